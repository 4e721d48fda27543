package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/sightline-analytics/sightline/store"
)

// explain wraps an error of the driver in the matching error of package store. It returns other errors unchanged.
func explain(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	kind := error(nil)
	switch e.Code() & 0xff { // the other bits have details
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB, codes.SQLITE_FORMAT:
		kind = store.ErrCorrupt
	case codes.SQLITE_FULL:
		kind = store.ErrFull
	case codes.SQLITE_NOMEM:
		kind = store.ErrTooMuch
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED, codes.SQLITE_CANTOPEN, codes.SQLITE_IOERR,
		codes.SQLITE_READONLY, codes.SQLITE_PERM, codes.SQLITE_PROTOCOL:
		kind = store.ErrUnavailable
	}
	if e.Code() == codes.SQLITE_IOERR_SHMSIZE { // the file for shared memory cannot grow
		kind = store.ErrFull
	}
	if kind == nil {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}
