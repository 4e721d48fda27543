package backup

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// lockFile is the file in an incomplete backup that the process which makes it holds locked.
const lockFile = "lock"

// begin creates the folder of an incomplete backup. release removes its lock, and the folder unless the backup is
// complete.
func begin(draft string) (release func(complete bool) error, err error) {
	if err := os.Mkdir(draft, 0o700); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("another process makes a backup there at this moment: %s", draft)
	} else if err != nil {
		return nil, err
	}
	name := filepath.Join(draft, lockFile)
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil && !tryLock(file) {
		err = fmt.Errorf("%s is locked", name)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(draft))
	}
	// The file stays until the backup has its name, because without it the folder looks abandoned.
	return func(complete bool) error {
		if !complete {
			return errors.Join(os.RemoveAll(draft), file.Close())
		}
		return errors.Join(os.Remove(filepath.Join(strings.TrimSuffix(draft, partial), lockFile)), file.Close())
	}, nil
}

// clean removes incomplete backups in dir that no process makes any more.
func clean(dir string) error {
	abandoned, err := filepath.Glob(filepath.Join(escapeGlob(dir), prefix+"*"+partial))
	if err != nil {
		return err
	}
	var faults []error
	for _, draft := range abandoned {
		if !inProgress(draft) {
			faults = append(faults, os.RemoveAll(draft))
		}
	}
	return errors.Join(faults...)
}

// escapeGlob returns a pattern that matches only dir.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// inProgress reports whether a process makes the incomplete backup in the folder draft.
func inProgress(draft string) bool {
	file, err := os.OpenFile(filepath.Join(draft, lockFile), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // also releases the lock
	return !tryLock(file)
}

// A Backup is a complete backup in a folder.
type Backup struct {
	Path     string
	Manifest Manifest
}

// List returns the complete backups in dir, the oldest first, and the paths of incomplete ones. A folder that does not
// exist has none.
func List(dir string) (complete []Backup, incomplete []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, entry := range entries {
		stamp, ok := strings.CutPrefix(entry.Name(), prefix)
		if !ok || !entry.IsDir() {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if _, err := time.Parse(timeLayout, stamp); err != nil {
			if strings.HasSuffix(stamp, partial) {
				incomplete = append(incomplete, path)
			}
			continue
		}
		m, err := ReadManifest(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) {
			incomplete = append(incomplete, path)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		complete = append(complete, Backup{path, m})
	}
	slices.SortFunc(complete, func(a, b Backup) int {
		return cmp.Or(a.Manifest.Moment.Compare(b.Manifest.Moment), cmp.Compare(a.Path, b.Path))
	})
	return complete, incomplete, nil
}

// Prune removes the oldest complete backups in dir, so that at most keep of them stay. 0 means all stay. It never
// removes the backup in the folder made, which a clock that was set back may have given an old moment.
func Prune(dir string, keep int, made string) error {
	all, _, err := List(dir)
	if err != nil || keep == 0 {
		return err
	}
	surplus := len(all) - keep
	all = slices.DeleteFunc(all, func(b Backup) bool { return b.Path == made })
	for _, old := range all[:min(max(0, surplus), len(all))] {
		// Under this name it counts as incomplete, also if this process ends before everything is removed.
		draft := old.Path + partial
		if err := os.Rename(old.Path, draft); err != nil {
			return err
		}
		if err := os.RemoveAll(draft); err != nil {
			return err
		}
	}
	return nil
}
