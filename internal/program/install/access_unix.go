//go:build unix

package install

import (
	"errors"
	"io/fs"
	"strconv"
	"syscall"
)

// The modes of access(2).
const (
	mayRead  = 4
	mayWrite = 2
	mayEnter = 1
)

// mayUse reports whether the user of this process may read path, and write to it if isWrite is true. It reports true
// if something else is wrong with path, which the program finds out when it uses it.
func mayUse(path string, isWrite bool) bool {
	mode := uint32(mayRead)
	if isWrite {
		mode |= mayWrite
	}
	var info syscall.Stat_t
	if syscall.Stat(path, &info) == nil && info.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		mode |= mayEnter
	}
	err := syscall.Access(path, mode)
	return !errors.Is(err, syscall.EACCES) && !errors.Is(err, syscall.EPERM)
}

// ownerOf returns the name of the user that a file belongs to.
func ownerOf(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return userName(strconv.FormatUint(uint64(s.Uid), 10))
	}
	return ""
}
