//go:build unix

package control

import (
	"io/fs"
	"syscall"
)

// identity returns numbers that identify a file on this machine.
func identity(info fs.FileInfo) (device, file uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev), uint64(s.Ino) //nolint:unconvert // other types on other systems; only compared
	}
	return 0, 0
}
