//go:build cgo && unix

package backup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store/embedded"
)

// Restore follows no links out of a backup, reads no devices, and writes through no link.
func TestRestoreFollowsNoLinks(t *testing.T) {
	s := open(t, ticking())
	made := create(t, s, t.TempDir())
	copied := func(t *testing.T) string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(dir, os.DirFS(made.Path)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for _, name := range []string{embedded.File, "meta.sqlite", "audit-heads.json", ManifestFile} {
		original := filepath.Join(made.Path, name) // has the right content, so no checksum shows the link
		for says, replace := range map[string]func(path string) error{
			"a symbolic link":   func(path string) error { return os.Symlink(original, path) },
			"a link to itself":  func(path string) error { return os.Symlink(filepath.Base(path), path) },
			"a link to nothing": func(path string) error { return os.Symlink("nothing", path) },
			"a pipe":            func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"a device":          func(path string) error { return os.Symlink("/dev/zero", path) },
			"a folder":          func(path string) error { return os.Mkdir(path, 0o700) },
		} {
			dir, folder := copied(t), filepath.Join(t.TempDir(), "new")
			path := filepath.Join(dir, name)
			if err := errors.Join(os.Remove(path), replace(path)); err != nil {
				t.Fatal(err)
			}
			_, err := Restore(t.Context(), dir, folder, time.Now, quiet)
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path+" is not a file") {
				t.Errorf("%s as %s: %v", name, says, err)
			}
			if left := names(t, folder); len(left) > 0 {
				t.Errorf("%s as %s: Restore wrote %v", name, says, left)
			}
		}
	}

	real, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(t.Context(), made.Path, link, time.Now, quiet); err == nil || !strings.Contains(err.Error(),
		"is a symbolic link") {
		t.Errorf("a data folder that is a link: %v", err)
	}
	if left := names(t, real); len(left) > 0 {
		t.Errorf("Restore wrote %v through a link", left)
	}
	mark := filepath.Join(t.TempDir(), "mark")
	if err := errors.Join(os.WriteFile(mark, []byte(`["meta.sqlite"]`), 0o600),
		os.Symlink(mark, filepath.Join(real, "restore.unfinished")),
		os.WriteFile(filepath.Join(real, "meta.sqlite"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(t.Context(), made.Path, real, time.Now, quiet); !errors.Is(err, ErrDamaged) {
		t.Errorf("a mark that is a link: %v", err)
	}
	if len(names(t, real)) != 2 {
		t.Errorf("Restore removed files by the list of a link: %v", names(t, real))
	}
}

// A tool that copies backups may share equal files by hard links. A hard link to a file of another user is refused.
func TestHardLinksInABackup(t *testing.T) {
	s := open(t, ticking())
	made := create(t, s, t.TempDir())
	path := filepath.Join(made.Path, "meta.sqlite")
	if err := os.Link(path, filepath.Join(t.TempDir(), "also")); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(t.Context(), made.Path, filepath.Join(t.TempDir(), "new"), time.Now, quiet); err != nil {
		t.Errorf("a hard link to a file of the same user: %v", err)
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root, to give a file to another user")
	}
	if err := os.Chown(path, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	_, err := Restore(t.Context(), made.Path, filepath.Join(t.TempDir(), "new"), time.Now, quiet)
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "hard link") {
		t.Errorf("a hard link to a file of another user: %v", err)
	}
}
