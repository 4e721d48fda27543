//go:build cgo

package duckdb

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// A file that this user may not read is not taken for a missing or a damaged one.
func TestAFileOfAnotherUser(t *testing.T) {
	if path := os.Getenv("SIGHTLINE_DENIED"); path != "" { // in the other process
		_, opened := Open(t.Context(), Config{Path: path})
		_, checked := Check(Config{Path: path})
		for _, err := range []error{opened, checked} {
			if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrCorrupt) ||
				!strings.Contains(err.Error(), "ermission denied") {
				t.Errorf("%s: %v", path, err)
			}
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root, to open files as another user")
	}
	dir, err := os.MkdirTemp("", "sightline-denied-") //nolint:usetesting // others cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	text, err := os.ReadFile(os.Args[0])
	if err := errors.Join(err, os.Chmod(dir, 0o755), os.WriteFile(filepath.Join(dir, "test"), text,
		0o755)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		folder os.FileMode
		log    bool
	}{{"private", 0o700, false}, {"readable", 0o777, false}, {"with-a-log", 0o777, true}} {
		path := filepath.Join(dir, c.name, "events.duckdb")
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(s.Close(t.Context()), os.Chmod(path, 0o600))
		if c.log {
			err = errors.Join(err, os.WriteFile(path+".wal", []byte("x"), 0o600), os.Chown(path, 65534, 65534))
		}
		if err := errors.Join(err, os.Chmod(filepath.Dir(path), c.folder)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "test"), "-test.run=^TestAFileOfAnotherUser$",
			"-test.v")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "SIGHTLINE_DENIED="+path, "HOME=/", "TMPDIR=/tmp")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v, %s", c.name, err, out)
		}
	}
}
