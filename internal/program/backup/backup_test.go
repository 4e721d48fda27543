//go:build cgo

package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
)

var quiet = slog.New(slog.DiscardHandler)

// open opens a new data folder with one website and one event.
func open(t *testing.T, now func() time.Time) *Source {
	t.Helper()
	s := &Source{Folder: t.TempDir(), Now: now, Program: "test"}
	var err error
	if s.Events, err = embedded.Open(t.Context(), embedded.Config{Folder: s.Folder}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Events.Close(context.Background()) })
	if s.Records, err = meta.Open(t.Context(),
		meta.Config{Path: filepath.Join(s.Folder, install.RecordsFile)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Records.Close(context.Background()) })
	if _, err := s.Records.CreateOwner(t.Context(), meta.Owner{ID: "acme"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Records.CreateWebsite(t.Context(),
		store.Website{ID: "w", Owner: "acme", Domain: "w.example"}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{install.HeadsFile: "heads", "import-w.json": "progress",
		install.PepperFile: "secret"} {
		if err := os.WriteFile(filepath.Join(s.Folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(t, s, "first")
	return s
}

func write(t *testing.T, s *Source, id string) {
	t.Helper()
	if _, err := s.Events.Write(t.Context(),
		&store.Batch{Events: []store.Event{{Website: "w", ID: id, Time: time.UnixMilli(1)}}}); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, s *Source, to string) Made {
	t.Helper()
	made, err := s.Create(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// ticking returns a clock that advances by a second each time it is read.
func ticking() func() time.Time {
	at := time.Date(2026, 11, 28, 11, 0, 0, 0, time.UTC)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

// names returns the names of the files in a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// Prune removes the oldest complete backups. Create removes what killed processes left, and not what others make.
func TestFolder(t *testing.T) {
	s, to := open(t, ticking()), t.TempDir()
	var made []string
	for range 4 {
		made = append(made, filepath.Base(create(t, s, to).Path))
	}
	for _, name := range []string{"sightline-20260101T000000Z.partial", "sightline-notes", "other.partial"} {
		if err := os.MkdirAll(filepath.Join(to, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	release, err := begin(filepath.Join(to, "sightline-20260102T000000Z.partial"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = release(false) }()
	if _, incomplete, err := List(to); len(incomplete) != 2 || err != nil {
		t.Errorf("incomplete: %v, %v; want two", incomplete, err)
	}
	made = append(made, filepath.Base(create(t, s, to).Path))
	if err := Prune(to, 2, filepath.Join(to, made[4])); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(append([]string{"other.partial", "sightline-notes",
		"sightline-20260102T000000Z.partial"}, made[3:]...)))
	if got := names(t, to); !slices.Equal(got, want) {
		t.Errorf("the folder has %v, want %v", got, want)
	}
	all, _, err := List(to)
	if len(all) != 2 || err != nil || filepath.Base(all[1].Path) != made[4] {
		t.Errorf("List: %v, %v; want the two newest, %v", all, err, made[3:])
	}
}

// A backup that fails leaves nothing in its folder.
func TestFailedBackup(t *testing.T) {
	s, to := open(t, ticking()), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Create(ctx, to); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	if left := names(t, to); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// Regular backups are made when they are due. A failure is reported until a backup succeeds.
func TestSchedule(t *testing.T) {
	at := time.Date(2026, 11, 28, 11, 0, 0, 0, time.UTC)
	source := open(t, func() time.Time { return at })
	dir := t.TempDir()
	s := &Schedule{Source: *source, To: filepath.Join(dir, "to"), Every: 2 * time.Hour, Keep: 2, Log: quiet}
	step := func(wait time.Duration, backups int) {
		t.Helper()
		if got := s.attempt(t.Context()); got != wait {
			t.Errorf("at %v it waits %v, want %v", at, got, wait)
		}
		if all, _, err := List(s.To); len(all) != backups || err != nil {
			t.Errorf("at %v there are %d backups, %v; want %d", at, len(all), err, backups)
		}
	}
	step(2*time.Hour, 1)
	at = at.Add(30 * time.Minute)
	step(90*time.Minute, 1)
	at = at.Add(90 * time.Minute)
	step(2*time.Hour, 2)
	at = at.Add(3 * time.Hour)
	if err := s.Probe(t.Context()); err != nil {
		t.Errorf("an hour late: %v", err)
	}
	at = at.Add(time.Minute)
	if err := s.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "2026-11-28T13:00:00Z") {
		t.Errorf("more than an hour late: %v", err)
	}
	step(2*time.Hour, 2)
	if err := s.Probe(t.Context()); err != nil {
		t.Errorf("after a backup: %v", err)
	}
	newest := s.Status().Newest

	at = at.Add(2 * time.Hour)
	if err := os.Rename(s.To, s.To+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.To, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.attempt(t.Context()); got != retryAfter {
		t.Errorf("after a failure it waits %v, want %v", got, retryAfter)
	}
	if found := s.Status(); found.Error == "" || !found.Failed.Equal(at) || s.Probe(t.Context()) == nil {
		t.Errorf("after a failure: %+v", found)
	}
	if err := errors.Join(os.Remove(s.To), os.Rename(s.To+".away", s.To)); err != nil {
		t.Fatal(err)
	}
	step(2*time.Hour, 2)
	if found := s.Status(); found.Error != "" || !found.Newest.After(newest) {
		t.Errorf("after the cause is gone: %+v", found)
	}
	at = at.Add(-48 * time.Hour) // the newest backup is of the future now, so its clock was wrong, or this one is
	step(2*time.Hour, 2)
	if all, _, err := List(s.To); err != nil || len(all) != 2 || !all[0].Manifest.Moment.Equal(at) {
		t.Errorf("the backup of a clock that was set back is not there: %v, %v", all, err)
	}
}

// The manifest is documented: these are its fields.
func TestManifest(t *testing.T) {
	s := open(t, ticking())
	made := create(t, s, t.TempDir())
	text, err := os.ReadFile(filepath.Join(made.Path, ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Format  int
		Moment  time.Time
		Program string
		Events  Database
		Records Database
		Files   []map[string]any
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if m.Format != 1 || m.Program != "test" || m.Events.Name != "DuckDB" || m.Records.Name != "SQLite" ||
		len(m.Files) != 5 ||
		m.Files[0]["name"] != install.HeadsFile || m.Files[0]["bytes"] != 5.0 ||
		len(fmt.Sprint(m.Files[0]["sha256"])) != 64 {
		t.Errorf("the manifest is %s", text)
	}
	if age := s.Now().Sub(m.Moment); age <= 0 || age > time.Minute {
		t.Errorf("the moment is %v", m.Moment)
	}
}
