// Package atomicfile writes small files so that a crash leaves the old content or the new one:
//
//	err := atomicfile.Replace("heads.json", text)      // the new content, or the old one
//	err = atomicfile.Create("pepper", []byte(secret)) // never replaces a file
//
// Files have mode 0600.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Create creates file with data, unless it exists. If two processes call it at the same time, one of them wins, and
// both return nil.
func Create(file string, data []byte) error {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := writeTemp(file, data)
	if err != nil {
		return err
	}
	err = os.Link(temp, file) // unlike a rename, a link never replaces a file
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(temp), SyncFolder(filepath.Dir(file)))
}

// Replace replaces the content of file atomically, also in a crash.
func Replace(file string, data []byte) error {
	temp, err := writeTemp(file, data)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, file); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return SyncFolder(filepath.Dir(file))
}

// writeTemp writes data to a new file next to file, with mode 0600, and syncs it to disk.
func writeTemp(file string, data []byte) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.tmp")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// SyncFolder syncs new names in dir to disk. Windows does not need that.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
