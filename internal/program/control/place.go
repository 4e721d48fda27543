package control

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Place names a folder, and what a process sees there. A server whose unit has PrivateTmp=yes, or that runs in a
// container, sees other files under the same path than a command.
type Place struct {
	Path string // absolute; it may not exist yet
	// Nearest is the deepest existing folder of Path. Device and File identify it; they are 0 where the system has no
	// such numbers.
	Nearest      string
	Device, File uint64
}

// PlaceOf returns what this process sees at path.
func PlaceOf(path string) (Place, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return Place{}, err
	}
	p := Place{Path: full}
	for p.Nearest = full; ; p.Nearest = filepath.Dir(p.Nearest) {
		info, err := os.Stat(p.Nearest)
		switch {
		case err == nil:
			p.Device, p.File = identity(info)
			return p, nil
		case !errors.Is(err, fs.ErrNotExist) || p.Nearest == filepath.Dir(p.Nearest):
			return Place{}, err
		}
	}
}

// check returns an error unless this process sees the same folder as the process that made p.
func (p Place) check() error {
	seen, err := PlaceOf(p.Path)
	if err == nil && seen != p {
		err = elsewhere(p.Path)
	}
	return err
}

// elsewhere says what to do about a server that sees other files at path.
func elsewhere(path string) error {
	return fmt.Errorf("%w at %s, so nobody could find its backup: the unit of the server has PrivateTmp=yes, or the server runs "+
		"in a container; use a folder outside of /tmp, /var/tmp and home folders, and name it in ReadWritePaths= of the "+
		"unit (docs/operations.md)", ErrElsewhere, path)
}
