//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// lockFile holds the file of that path until it is closed or the process ends.
func lockFile(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%w: it is in use by another writer", ErrConflict)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
