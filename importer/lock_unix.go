//go:build unix

package importer

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock locks the progress file against other imports. The lock ends with the process, also after a kill. The locked
// file stays.
func lock(progress string) (unlock func(), err error) {
	if progress == "" {
		return func() {}, nil
	}
	f, err := os.OpenFile(progress+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("importer: progress: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrBusy
		}
		return nil, fmt.Errorf("importer: progress: %w", err)
	}
	return func() { _ = f.Close() }, nil
}
