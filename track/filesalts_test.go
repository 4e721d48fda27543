package track_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
	"github.com/sightline-analytics/sightline/track/tracktest"
)

const aDay = 24 * time.Hour

func midday() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }

func openSalts(t *testing.T, folder string, now func() time.Time) *track.FileSalts {
	t.Helper()
	s, err := track.NewFileSalts(track.FileSaltsConfig{Folder: folder, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFileSalts(t *testing.T) {
	tracktest.RunSalts(t, func(t *testing.T) tracktest.Opener {
		folder := filepath.Join(t.TempDir(), "data", "salts") // does not exist yet
		return func(now func() time.Time) track.Salts { return openSalts(t, folder, now) }
	})
}

// namesIn returns the names of the files in a folder.
func namesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Only the owner may read a salt. The folder has one file for each day, and no other file stays.
func TestFilesOfSalts(t *testing.T) {
	folder, now := filepath.Join(t.TempDir(), "salts"), midday()
	s := openSalts(t, folder, func() time.Time { return now })
	if _, err := s.Salt(t.Context(), now.Add(-aDay)); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(namesIn(t, folder)); got != "[2026-03-03.salt 2026-03-04.salt]" {
		t.Errorf("files %s", got)
	}
	for path, want := range map[string]fs.FileMode{folder: 0o700 | fs.ModeDir,
		filepath.Join(folder, "2026-03-04.salt"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

// An old salt is destroyed with all its names and bytes. A crash can leave a file that is not complete, or a second
// name of a salt. Files of the host stay.
func TestOldFilesAreDestroyed(t *testing.T) {
	for says, wake := range map[string]func(*testing.T, *track.FileSalts, string, func() time.Time) error{
		"by the first salt of a later day": func(t *testing.T, s *track.FileSalts, _ string,
			now func() time.Time) error {
			_, err := s.Salt(t.Context(), now())
			return err
		},
		"by maintenance": func(t *testing.T, s *track.FileSalts, _ string, _ func() time.Time) error {
			return s.Maintain(t.Context())
		},
		"by a start": func(t *testing.T, _ *track.FileSalts, folder string, now func() time.Time) error {
			openSalts(t, folder, now)
			return nil
		},
	} {
		t.Run(says, func(t *testing.T) {
			folder, now := t.TempDir(), midday()
			clock := func() time.Time { return now }
			s := openSalts(t, folder, clock)
			old := filepath.Join(folder, "2026-03-04.salt")
			outside := filepath.Join(t.TempDir(), "link") // shows the bytes of the file after it is deleted
			if err := errors.Join(
				os.Link(old, outside),
				os.Link(old, filepath.Join(folder, "2026-03-04.1.tmp")),
				os.WriteFile(filepath.Join(folder, "2026-03-04.2.tmp"), []byte("abc"), 0o600),
				os.WriteFile(filepath.Join(folder, "2026-03-04.txt"), nil, 0o600),
				os.WriteFile(filepath.Join(folder, "notes"), nil, 0o600),
			); err != nil {
				t.Fatal(err)
			}
			now = now.Add(aDay)
			if _, err := s.Salt(t.Context(), now); err != nil {
				t.Fatal(err)
			}
			if n := len(namesIn(t, folder)); n != 6 {
				t.Errorf("on the next day: %d files, want all", n)
			}
			now = now.Add(aDay)
			if err := wake(t, s, folder, clock); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(namesIn(t, folder), " ")
			if got = strings.Replace(got, " 2026-03-06.salt", "", 1); got != "2026-03-04.txt 2026-03-05.salt notes" {
				t.Errorf("two days later: files %s", got)
			}
			if b, err := os.ReadFile(outside); err != nil || len(b) == 0 || bytes.Count(b, []byte{0}) != len(b) {
				t.Errorf("the bytes of the old salt are %q, %v", b, err)
			}
		})
	}
}

// A damaged file must be noticed: a new salt would give the visitors of the day other ids.
func TestDamagedSalts(t *testing.T) {
	for _, text := range []string{"", "00", strings.Repeat("x", 64), strings.Repeat("0", 66)} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "2026-03-04.salt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := track.NewFileSalts(track.FileSaltsConfig{Folder: folder, Now: midday}); !errors.Is(err,
			store.ErrCorrupt) || s != nil {
			t.Errorf("with %q: %v", text, err)
		}
	}
}

func TestFoldersThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{file, filepath.Join(file, "below")} {
		if s, err := track.NewFileSalts(track.FileSaltsConfig{Folder: folder}); err == nil || s != nil {
			t.Errorf("folder %q is accepted", folder)
		}
	}
	s := openSalts(t, t.TempDir(), midday)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if salt, err := s.Salt(ended, midday().Add(aDay)); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %x, %v", salt, err)
	}
}

const saltsVariable = "TRACK_TEST_SALTS_IN"

// TestPrintSalt is one of the processes of TestProcessesShareSalts.
func TestPrintSalt(t *testing.T) {
	folder := os.Getenv(saltsVariable)
	if folder == "" {
		t.Skip("run by TestProcessesShareSalts")
	}
	salt, err := openSalts(t, folder, midday).Salt(t.Context(), midday())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("salt", hex.EncodeToString(salt))
}

// Processes that start at the same time on an empty folder use one salt.
func TestProcessesShareSalts(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	var running [4]*exec.Cmd
	var outputs [len(running)]bytes.Buffer
	for i := range running {
		running[i] = exec.CommandContext(t.Context(), exe, "-test.run=^TestPrintSalt$")
		running[i].Env = append(os.Environ(), saltsVariable+"="+folder)
		running[i].Stdout = &outputs[i]
		if err := running[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	stored := ""
	for i, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, &outputs[i])
		}
		if stored == "" {
			text, err := os.ReadFile(filepath.Join(folder, "2026-03-04.salt"))
			if err != nil {
				t.Fatal(err)
			}
			stored = "salt " + string(text)
		}
		if !strings.Contains(outputs[i].String(), stored) {
			t.Errorf("a process printed %q, but the folder has %q", &outputs[i], stored)
		}
	}
}
