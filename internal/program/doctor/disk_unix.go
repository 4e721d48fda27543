//go:build linux || darwin

package doctor

import "syscall"

// freeSpace returns the bytes that an unprivileged user can still write in dir.
func freeSpace(dir string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // Bsize has another type on other systems
}
