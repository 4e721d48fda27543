//go:build cgo

package command

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sightline-analytics/sightline/internal/program/backup"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// A server in another mount namespace, as with PrivateTmp and ReadOnlyPaths of systemd, makes no backup that the
// command cannot see, and both say what to do.
func TestBackupBesideAServerThatSeesOtherFiles(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), testenv.Program(t, "unshare"), "-m",
		"true").CombinedOutput(); err != nil {
		t.Skipf("this machine allows no mount namespaces: %v: %s", err, out)
	}
	dir := t.TempDir()
	in := installed{dir: filepath.Join(dir, "data")}
	private, fixed, shared := filepath.Join(dir, "tmp"), filepath.Join(dir, "fixed"), filepath.Join(dir, "shared")
	for _, d := range []string{in.dir, private, fixed, shared} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const script = `mount -t tmpfs tmpfs "$1" && mount --bind "$2" "$2" && mount -o remount,ro,bind "$2" && shift 2 &&
		exec "$@"`
	p := start(t, func(ctx context.Context, out, errs io.Writer) int {
		args := append([]string{"-m", "sh", "-c", script, "sh", private, fixed, os.Args[0]},
			in.args("serve", "--addr", "127.0.0.1:0", "--demo=false", "--json", "--backup-to", private)...)
		cmd := exec.CommandContext(ctx, "unshare", args...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		cmd.Stdout, cmd.Stderr = out, errs
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		if err := cmd.Run(); err != nil && ctx.Err() == nil {
			return 1
		}
		return 0 // the test ended it
	})
	if err := os.Symlink(private, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		to   string
		want []string
	}{
		{private, []string{"PrivateTmp", "ReadWritePaths"}},
		{filepath.Join(private, "new", "folder"), []string{"PrivateTmp", "ReadWritePaths"}},
		{filepath.Join(dir, "link"), []string{"PrivateTmp"}},
		{fixed, []string{"read-only", "ReadWritePaths=" + fixed}},
		{filepath.Join(fixed, "new"), []string{"read-only", "ReadWritePaths="}},
	} {
		out, errs, status := in.try(t, "backup", row.to)
		for _, want := range row.want {
			if status != 1 || out != "" || !strings.Contains(errs, want) {
				t.Errorf("backup %s: status %d, %s%s; want 1 and %q", row.to, status, out, errs, want)
			}
		}
		if left, err := os.ReadDir(row.to); err != nil && !errors.Is(err, syscall.ENOENT) || len(left) > 0 {
			t.Errorf("%s has %v, %v", row.to, left, err)
		}
	}
	if out, _, _ := in.try(t, "doctor"); !strings.Contains(out,
		"sees other files than this command in the folder of its backups") ||
		strings.Contains(out, "no complete backup") {
		t.Errorf("doctor: %s", out)
	}
	in.do(t, "backup", shared)
	if all, _, err := backup.List(shared); len(all) != 1 || err != nil {
		t.Errorf("a folder that both see has the backups %v, %v", all, err)
	}
	p.stop(t)
}
