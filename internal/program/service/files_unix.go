//go:build unix

package service

import "syscall"

// openFiles returns the number of files that this process may open.
func openFiles() (n uint64, ok bool) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return uint64(limit.Cur), err == nil //nolint:unconvert // Cur has another type on other systems
}
