//go:build cgo

package command

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// nobody is the id of a user that owns none of the files.
const nobody = 65534

// asNobody runs commands as another user. dir is a folder that this user can enter.
func asNobody(t *testing.T) (dir string, run func(args ...string) string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to run commands as another user")
	}
	dir, err := os.MkdirTemp("", "sightline-users-") //nolint:usetesting // others cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program := filepath.Join(dir, "sightline")
	err = os.Link(os.Args[0], program)
	if errors.Is(err, syscall.EXDEV) {
		var text []byte
		if text, err = os.ReadFile(os.Args[0]); err == nil {
			err = os.WriteFile(program, text, 0o755)
		}
	}
	if err := errors.Join(err, os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir, func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR=/tmp", "HOME=/")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, err := cmd.CombinedOutput()
		var status *exec.ExitError
		if !errors.As(err, &status) {
			t.Errorf("%v as another user: %v, %s; want an error", args, err, out)
		}
		return string(out)
	}
}

// Every command that another user starts says who may read the files and what to do. It never takes them for missing,
// damaged or half restored, and it changes nothing.
func TestCommandsOfAnotherUser(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	dir, run := asNobody(t)
	in := installed{dir: filepath.Join(dir, "data")}
	p := in.serve(t)
	in.do(t, "websites", "add", "--id", "w", "--domain", "one.example")
	in.secret(t, "keys", "add", "--id", "k", "--all")
	p.send(t, "POST", "/ingest/track", "", `{"websiteId":"w","name":"hello"}`)
	p.stop(t)
	exported := filepath.Join(dir, "export.ndjson")
	commands := [][]string{
		{"doctor"}, {"serve", "--demo=false", "--addr", "127.0.0.1:0"}, {"keys", "list"}, {"keys", "show", "k"},
		{"keys", "add", "--id", "k2", "--all"}, {"keys", "rotate", "k"}, {"keys", "revoke", "k"}, {"keys", "token",
			"k"},
		{"websites", "list"}, {"websites", "add", "--id", "x", "--domain", "two.example"}, {"owners", "list"},
		{"audit", "list"}, {"audit", "verify"}, {"backup", filepath.Join(dir, "to")}, {"derived", "verify"},
		{"export", "--website", "w", exported}, {"erase", "--website", "w", "--all", "--yes"},
		{"subject", "--website", "w", "--visitor", "v"},
	}
	wrong := []string{"run restore again", "empty the folder", "does not exist", "damaged", "is missing", "in use by"}
	for _, row := range []struct {
		says, file string
		mode       os.FileMode
	}{
		{"a private folder", in.dir, 0o700},
		{"a folder that others may enter and read", in.dir, 0o755},
		{"a folder that others may write to", in.dir, 0o777},
	} {
		if err := os.Chmod(row.file, row.mode); err != nil {
			t.Fatal(err)
		}
		for _, command := range commands {
			out := run(in.args(command...)...)
			if !strings.Contains(out, "user nobody may not read") || !strings.Contains(out, "belongs to user root") ||
				!strings.Contains(out, "sudo -u root") || !strings.Contains(out, "chown -R USER "+in.dir) {
				t.Errorf("%s: %v does not say what to do: %s", row.says, command, out)
			}
			for _, state := range wrong {
				if strings.Contains(out, state) {
					t.Errorf("%s: %v takes the files for another state, %q: %s", row.says, command, state, out)
				}
			}
		}
	}
	// files of other users in a folder of this user, as root's commands leave them
	if err := os.Chown(in.dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{install.EventsFile, install.RecordsFile, install.PepperFile, install.HeadsFile} {
		if err := os.Chown(filepath.Join(in.dir, name), nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	side := filepath.Join(in.dir, install.RecordsFile+"-wal")
	if err := os.WriteFile(side, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"doctor"}, {"keys", "list"}, {"serve", "--demo=false", "--addr",
		"127.0.0.1:0"}} {
		if out := run(in.args(command...)...); !strings.Contains(out, "may not read and write "+side) {
			t.Errorf("%v with root's log of the records: %s", command, out)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "export*")); err != nil || len(left) > 0 {
		t.Errorf("files of refused commands: %v, %v", left, err)
	}
}

// The same holds for files outside of the data folder.
func TestOtherFilesOfAnotherUser(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	dir, run := asNobody(t)
	mine, secret := filepath.Join(dir, "mine"), filepath.Join(dir, "secret")
	if err := errors.Join(os.Mkdir(mine, 0o700), os.Chown(mine, nobody, nobody),
		os.WriteFile(secret, []byte("a pepper of some length\n"), 0o600), os.Mkdir(filepath.Join(dir, "closed"),
			0o700)); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(mine, "data")
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", "--demo=false", "--addr", "127.0.0.1:0", "--data", data, "--pepper-file", secret},
			"user nobody may not read " + secret + ", which belongs to user root (mode 0600)"},
		{[]string{"serve", "--demo=false", "--addr", "127.0.0.1:0", "--data", data, "--geoip", secret},
			"may not read " +
				secret},
		{[]string{"keys", "add", "--all", "--data", data, "--pepper-file", secret}, "may not read " + secret},
		{[]string{"restore", "--data", data, filepath.Join(dir, "closed")}, "may not read " + filepath.Join(dir,
			"closed")},
		{[]string{"websites", "add", "--domain", "x.example", "--data", filepath.Join(dir, "closed", "data")},
			"because " + filepath.Join(dir, "closed") + " belongs to user root"},
		{[]string{"websites", "add", "--domain", "x.example", "--data", filepath.Join(dir, "new")},
			"because " + dir + " belongs to user root"},
	} {
		if out := run(row.args...); !strings.Contains(out, row.want) {
			t.Errorf("%v: %s; want %q", row.args, out, row.want)
		}
	}
}
