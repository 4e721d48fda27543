//go:build cgo

package backup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
)

// A restored folder has the events, records and small files of the moment, and no pepper.
func TestRestore(t *testing.T) {
	s, to := open(t, ticking()), t.TempDir()
	made := create(t, s, to)
	write(t, s, "second")
	create(t, s, to)
	write(t, s, "third")
	if want := []string{"analytics.duckdb", "analytics.duckdb.wal", "audit-heads.json", "import-w.json", ManifestFile,
		"meta.sqlite"}; !slices.Equal(names(t, made.Path), want) {
		t.Errorf("the backup has %v, want %v", names(t, made.Path), want)
	}
	for from, events := range map[string]int64{made.Path: 1, to: 2} {
		folder := filepath.Join(t.TempDir(), "new")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, install.PepperFile), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Restore(t.Context(), from, folder, time.Now, quiet); err != nil {
			t.Fatal(err)
		}
		if err := install.CheckRestored(folder); err != nil {
			t.Error(err)
		}
		if got := countEvents(t, folder); got != events {
			t.Errorf("%s has %d events, want %d", from, got, events)
		}
		records, err := meta.Open(t.Context(), meta.Config{Path: filepath.Join(folder, install.RecordsFile)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := records.Website(t.Context(), "w"); err != nil {
			t.Error(err)
		}
		if err := records.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(filepath.Join(folder, install.HeadsFile)); string(text) != "heads" || err != nil {
			t.Errorf("the heads are %q, %v", text, err)
		}
		if _, err := Restore(t.Context(), from, folder, time.Now, quiet); err == nil ||
			!strings.Contains(err.Error(), "is not empty") {
			t.Errorf("a folder with data: %v", err)
		}
		if got := countEvents(t, folder); got != events {
			t.Errorf("after a refused restore there are %d events, want %d", got, events)
		}
	}
}

func countEvents(t *testing.T, folder string) int64 {
	t.Helper()
	s, err := embedded.Open(t.Context(), embedded.Config{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	rows, err := s.Query(t.Context(),
		store.Statement{Label: "count", SQL: "SELECT count(*) AS n FROM events", Kinds: []dialect.Kind{dialect.Int}})
	if err != nil {
		t.Fatal(err)
	}
	return rows.Columns[0].Ints[0]
}

// A backup that is damaged, or that a newer program made, is refused before anything is written.
func TestRefusedBackups(t *testing.T) {
	s := open(t, ticking())
	made := create(t, s, t.TempDir())
	flip := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text[len(text)/2] ^= 1
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	change := func(amend func(*Manifest)) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			m, err := ReadManifest(dir)
			if err != nil {
				t.Fatal(err)
			}
			amend(&m)
			if err := m.write(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"a changed byte of the events", flip("analytics.duckdb"), "the checksum of analytics.duckdb is"},
		{"a changed byte of their log", flip("analytics.duckdb.wal"), "the checksum of analytics.duckdb.wal is"},
		{"a changed byte of the records", flip("meta.sqlite"), "the checksum of meta.sqlite is"},
		{"a cut file", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "meta.sqlite"), 4096); err != nil {
				t.Fatal(err)
			}
		}, "meta.sqlite has 4096 bytes"},
		{"a missing log", remove("analytics.duckdb.wal"), "analytics.duckdb.wal is missing"},
		{"a missing manifest", remove(ManifestFile), "has no complete backup"},
		{"a cut manifest", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, ManifestFile), 20); err != nil {
				t.Fatal(err)
			}
		}, ErrDamaged.Error()},
		{"a manifest without files", change(func(m *Manifest) { m.Files = nil }), "is incomplete"},
		{"a manifest with a path", change(func(m *Manifest) { m.Files[0].Name = "../x" }), `names the file "../x"`},
		{"a newer format", change(func(m *Manifest) { m.Format++ }), "newer version of this program"},
		{"newer tables of events", change(func(m *Manifest) { m.Events.Schema++ }), "newer version of this program"},
		{"newer tables of records", change(func(m *Manifest) { m.Records.Schema++ }), "newer version of this program"},
		{"another database", change(func(m *Manifest) { m.Events.Name = "SQLite" }), "CGO_ENABLED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, folder := filepath.Join(t.TempDir(), "copy"), filepath.Join(t.TempDir(), "new")
			if err := os.CopyFS(dir, os.DirFS(made.Path)); err != nil {
				t.Fatal(err)
			}
			c.damage(t, dir)
			_, err := Restore(t.Context(), dir, folder, time.Now, quiet)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Restore: %v, want %q in it", err, c.want)
			}
			if left := names(t, folder); len(left) > 0 {
				t.Errorf("Restore wrote %v", left)
			}
		})
	}
}

// Damage that checksums do not show, because the files were damaged before the backup, is found when the restored files
// are opened. Nothing stays then.
func TestRestoreThatFailsLeavesNothing(t *testing.T) {
	s := open(t, ticking())
	made := create(t, s, t.TempDir())
	m := made.Manifest
	path := filepath.Join(made.Path, "meta.sqlite")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, f := range m.Files {
		if f.Name == "meta.sqlite" {
			sum, err := digest(t.Context(), path, new(counter))
			if err != nil {
				t.Fatal(err)
			}
			m.Files[i] = File{f.Name, 11_000, sum}
		}
	}
	if err := m.write(made.Path); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "new")
	if _, err := Restore(t.Context(), made.Path, folder, time.Now, quiet); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("Restore: %v, want store.ErrCorrupt", err)
	}
	if left := names(t, folder); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// A folder with a restore that was killed is not opened, and the next restore replaces it.
func TestKilledRestore(t *testing.T) {
	s := open(t, ticking())
	made := create(t, s, t.TempDir())
	folder := t.TempDir()
	for name, text := range map[string]string{install.RestoreFile: `["analytics.duckdb", "meta.sqlite"]`,
		"analytics.duckdb": "a part", "analytics.duckdb.wal": "x",
		install.RestoreFile + ".12345.tmp": "[]"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := install.OpenFile(t.Context(), folder, embedded.Config{}); err == nil ||
		!strings.Contains(err.Error(), "run restore again") {
		t.Errorf("OpenFile: %v", err)
	}
	if _, err := Restore(t.Context(), made.Path, folder, time.Now, quiet); err != nil {
		t.Fatal(err)
	}
	if got := countEvents(t, folder); got != 1 {
		t.Errorf("%d events, want 1", got)
	}
}
