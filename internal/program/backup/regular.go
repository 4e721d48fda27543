package backup

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// needRegular returns an error that wraps ErrDamaged unless info describes a regular file at path: a link or a device
// in a backup would bring other data of this machine into the data folder. Tools that copy backups share equal files by
// hard links, so these are only refused if the file belongs to another user than its folder.
func needRegular(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is not a file but a link, a folder or a device", ErrDamaged, path)
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	if isLinkOfAnother(info, folder) {
		return fmt.Errorf("%w: %s is a hard link to a file of another user", ErrDamaged, path)
	}
	return nil
}

// openRegular opens the regular file at path. It follows no symbolic link at the end of path, and does not wait for a
// pipe.
func openRegular(path string) (*os.File, error) {
	seen, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if err := needRegular(path, seen); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !os.SameFile(seen, info) {
		err = fmt.Errorf("%w: %s was replaced meanwhile", ErrDamaged, path)
	}
	if err != nil {
		_ = file.Close() // nothing was read
		return nil, err
	}
	return file, nil
}
