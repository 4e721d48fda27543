//go:build unix

package backup

import (
	"io/fs"
	"os"
	"syscall"
)

// tryLock locks a file until it is closed or the process ends, and reports false if another process has locked it.
func tryLock(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// isLinkOfAnother reports whether a file has further names, and belongs to another user than its folder.
func isLinkOfAnother(file, folder fs.FileInfo) bool {
	f, isFile := file.Sys().(*syscall.Stat_t)
	d, isFolder := folder.Sys().(*syscall.Stat_t)
	return isFile && isFolder && f.Nlink > 1 && f.Uid != d.Uid
}
