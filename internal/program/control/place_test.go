//go:build cgo && unix

package control

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/program/backup"
)

// fakeBackups is a server that sees other files than the command: it says that a backup is in the folder at.
type fakeBackups struct {
	at    string
	made  backup.Manifest
	calls int
}

func (f *fakeBackups) Create(context.Context, string, int) (backup.Made, error) {
	f.calls++
	return backup.Made{Path: f.at, Manifest: f.made}, nil
}

func (f *fakeBackups) Status() backup.Status { return backup.Status{To: f.at} }

func dialed(t *testing.T, b Backups) *Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "control.sock")
	l, err := Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: Handler(noEvents{}, noSeals{}, b)}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	c := Dial(t.Context(), path)
	if c == nil {
		t.Fatal("no server found")
	}
	return c
}

// noEvents and noSeals have methods that no test calls.
type (
	noEvents struct{ Source }
	noSeals  struct{ Seals }
)

// A backup that this process cannot see is not a success: it is missing, it is another one, or a part of its manifest.
func TestABackupThatNobodySeesIsAnError(t *testing.T) {
	to := t.TempDir()
	made := backup.Manifest{Moment: time.UnixMilli(5), Files: []backup.File{{Name: "f", Bytes: 1, SHA256: "s"}}}
	for _, row := range []struct {
		name, manifest string
		isElsewhere    bool
	}{
		{"none", "", true},
		{"another", `{"moment":"2026-11-28T11:00:00Z","files":[{"name":"f","bytes":1,"sha256":"s"}]}`, true},
		{"other files", `{"moment":"1970-01-01T00:00:00.005Z","files":[{"name":"f","bytes":2,"sha256":"s"}]}`, true},
		{"damaged", `{`, false},
	} {
		at := filepath.Join(to, row.name)
		if err := os.Mkdir(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if row.manifest != "" {
			if err := os.WriteFile(filepath.Join(at, backup.ManifestFile), []byte(row.manifest), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := dialed(t, &fakeBackups{at: at, made: made})
		_, err := c.Backup(t.Context(), to, 0)
		if err == nil || errors.Is(err, ErrElsewhere) != row.isElsewhere {
			t.Errorf("%s: %v", row.name, err)
		}
		if row.isElsewhere && (!strings.Contains(err.Error(), "PrivateTmp") ||
			!strings.Contains(err.Error(), "ReadWritePaths")) {
			t.Errorf("%s: the error does not say what to do: %v", row.name, err)
		}
	}
}

// A server makes no backup in a folder that is another one for the command.
func TestPlacesOfAnotherNamespaceAreRefused(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "real"), 0o700), os.Symlink("real", link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, link, filepath.Join(dir, "new"), filepath.Join(link, "a", "b")} {
		seen, err := PlaceOf(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := seen.check(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		others := []Place{seen, seen, seen}
		others[0].File++
		others[1].Device++
		others[2].Nearest = filepath.Dir(seen.Nearest)
		for _, other := range others {
			if err := other.check(); !errors.Is(err, ErrElsewhere) {
				t.Errorf("%s as %+v: %v", path, other, err)
			}
		}
	}
	t.Chdir(dir)
	if relative, err := PlaceOf("real"); err != nil || relative.Path != filepath.Join(dir, "real") {
		t.Errorf("a relative path: %+v, %v", relative, err)
	}
}
