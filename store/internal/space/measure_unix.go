//go:build linux || darwin || freebsd

package space

import "syscall"

// measure returns the bytes that this user may still write, and the size of the disk.
func measure(folder string) (free, size int64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, 0, err
	}
	block := int64(s.Bsize) //nolint:unconvert // Bsize has another type on other systems
	return int64(s.Bavail) * block, int64(s.Blocks) * block, nil
}
