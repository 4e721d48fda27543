package install

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// An AccessError says that this process may not use a file or a folder. It wraps [fs.ErrPermission], so it is never
// taken for a missing or a damaged file.
type AccessError struct {
	Path    string // what may not be used
	At      string // Path, or the folder above it that denies access
	Owner   string // user that At belongs to; empty if unknown
	User    string // user of this process
	Mode    fs.FileMode
	IsWrite bool   // whether it has to be written, too
	Folder  string // the data folder; empty if Path is outside of it
}

// Error says what may not be done, and what to do about it.
func (e *AccessError) Error() string { return e.What() + "; " + e.Do() }

// What says what may not be done.
func (e *AccessError) What() string {
	verb := "read"
	if e.IsWrite {
		verb = "read and write"
	}
	text := fmt.Sprintf("user %s may not %s %s", e.User, verb, e.Path)
	if e.Owner != "" {
		what := "which"
		if e.At != e.Path {
			what = "because " + e.At
		}
		text += fmt.Sprintf(", %s belongs to user %s (mode %04o)", what, e.Owner, e.Mode.Perm())
	}
	return text
}

// Do says what an operator can do.
func (e *AccessError) Do() string {
	switch {
	case e.Owner == e.User:
		return "allow it: chmod u+rwX " + e.At
	case e.Folder != "":
		return fmt.Sprintf("run this as the user of the server (sudo -u %s), or give the files to that user: chown -R USER %s",
			cmp.Or(e.Owner, "USER"), e.Folder)
	}
	return fmt.Sprintf("run this as user %s, or let user %s use it", cmp.Or(e.Owner, "USER"), e.User)
}

// Is reports whether target is [fs.ErrPermission].
func (*AccessError) Is(target error) bool { return target == fs.ErrPermission }

// Denied returns the [AccessError] of path. It looks for the folder above it that denies access.
func Denied(path string, isWrite bool) *AccessError {
	e := &AccessError{Path: path, At: path, User: userName(strconv.Itoa(os.Geteuid())), IsWrite: isWrite}
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil {
			e.At, e.Owner, e.Mode = at, ownerOf(info), info.Mode()
			return e
		}
		if at == filepath.Dir(at) {
			return e
		}
	}
}

// userName returns the name of the user with an id, or the id itself.
func userName(id string) string {
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// CheckAccess returns an [AccessError] if this process may not use the data folder or one of its files. A folder that
// does not exist is not an error. It opens no file: closing one would release the locks of this process on it.
func CheckAccess(dir string) error {
	denied := func(path string, isWrite bool) error {
		e := Denied(path, isWrite)
		e.Folder = dir
		return e
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return denied(dir, true)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("data folder: %w", err)
	case !mayUse(dir, true):
		return denied(dir, true)
	}
	for _, entry := range entries {
		name, path := entry.Name(), filepath.Join(dir, entry.Name())
		isPepper := name == PepperFile || name == RestoreFile // which are only read
		if !isPepper && (!isData(name) || name == SocketFile) {
			continue
		}
		if !mayUse(path, !isPepper) {
			return denied(path, !isPepper)
		}
	}
	return nil
}

// ExplainAccess returns err, or what to do about a file in it that this process may not use.
func ExplainAccess(err error) error {
	var denied *AccessError
	var at *fs.PathError
	switch {
	case errors.As(err, &denied), !errors.Is(err, fs.ErrPermission):
		return err
	case errors.As(err, &at):
		denied := Denied(at.Path, strings.HasPrefix(at.Op, "mkdir"))
		return fmt.Errorf("%w: %w", err, denied)
	}
	return err
}
