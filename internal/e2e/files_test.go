//go:build cgo && unix

package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesArePrivate starts with a usual umask in a folder that other users may enter, and again after all files were
// made readable.
func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	serve := func() *process {
		cmd := command("serve", "--addr", "127.0.0.1:0", "--data", dir, "--demo-days", "1", "--json")
		shell := exec.Command("sh", append([]string{"-c", `umask 022; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)...)
		shell.Env = cmd.Env
		p := begin(t, shell)
		p.await(t)
		ask(t, p.ready, websiteOf(p.ready), "pages", nil) // which adds an entry to the audit trail
		return p
	}
	p := serve()
	for _, name := range []string{
		"analytics.duckdb", "analytics.duckdb.wal", "meta.sqlite", "meta.sqlite-wal", "meta.sqlite-shm", "pepper",
		"demo-key", "demo.json", "control.sock",
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("nothing is known about it: %v", err)
		}
	}
	wantModes(t, dir, nil)
	wantWarning(t, p, "the data folder", dir, "0755", "chmod 0700 "+dir)
	if strings.Contains(p.stderr.String(), "read the pepper") {
		t.Errorf("a warning about a private pepper: %s", p.stderr)
	}
	p.stop(t)

	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.Chmod(filepath.Join(dir, f.Name()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p = serve()
	wantModes(t, dir, map[string]fs.FileMode{"pepper": 0o644})
	pepper := filepath.Join(dir, "pepper")
	wantWarning(t, p, "the pepper", pepper, "0644", "chmod 0600 "+pepper)
	p.stop(t)
}

// wantModes checks that only the owner can access the files below dir, except files with other modes in the list.
func wantModes(t *testing.T, dir string, but map[string]fs.FileMode) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		want, found := but[entry.Name()]
		if !found {
			want = 0o600
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: mode %v, want %v", path, got, want)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// wantWarning checks that one line of the log has all parts.
func wantWarning(t *testing.T, p *process, parts ...string) {
	t.Helper()
	for line := range strings.Lines(p.stderr.String()) {
		holds := strings.Contains(line, "level=WARN")
		for _, part := range parts {
			holds = holds && strings.Contains(line, part)
		}
		if holds {
			return
		}
	}
	t.Errorf("no warning with %q:\n%s", parts, p.stderr)
}
