//go:build unix

package backup

import (
	"os"
	"syscall"
)

// tryLock locks a file until it is closed or the process ends, and reports false if another process has locked it.
func tryLock(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
