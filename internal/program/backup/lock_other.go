//go:build !unix

package backup

import (
	"io/fs"
	"os"
)

// tryLock reports true: without locks, only one process at a time may make backups in a folder.
func tryLock(*os.File) bool { return true }

func isLinkOfAnother(fs.FileInfo, fs.FileInfo) bool { return false }
