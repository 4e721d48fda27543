//go:build cgo

package install

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// others are the permissions of those who do not own a file. Windows has no such thing.
const others fs.FileMode = 0o077

// Protect gives the data files of a folder, and what their databases keep beside them, the
// mode 0600, whatever they were made with. The pepper is left alone: see WarnOfReaders.
func Protect(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var faults []error
	for _, entry := range entries {
		if !isData(entry.Name()) {
			continue
		}
		file := filepath.Join(dir, entry.Name())
		info, err := os.Stat(file)
		if err == nil && !info.IsDir() && info.Mode()&others != 0 {
			err = os.Chmod(file, 0o600)
		}
		if !errors.Is(err, fs.ErrNotExist) { // a temporary one of another process, by now
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// isData reports whether a file of that name is a data file, or one that belongs to it as
// logs and temporary files do.
func isData(name string) bool {
	for _, data := range []string{EventsFile, RecordsFile, DemoKeyFile, HeadsFile, SocketFile, ProgressFile, ClickHouseProgressFile} {
		if strings.HasPrefix(name, data) {
			return true
		}
	}
	return false
}

// WarnOfReaders logs a line each about a data folder and a pepper that others than their owner
// may read, and changes neither: a pepper that was read should be exchanged, and who shares
// a folder may mean to. pepperFile is empty when the pepper is that of the folder.
func WarnOfReaders(dir, pepperFile string, log *slog.Logger) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if pepperFile == "" {
		pepperFile = filepath.Join(dir, PepperFile)
	}
	for _, one := range []struct {
		what, path string
		want       fs.FileMode
	}{{"data folder", dir, 0o700}, {"pepper", pepperFile, 0o600}} {
		info, err := os.Stat(one.path)
		if err != nil {
			return fmt.Errorf("%s: %w", one.what, err)
		}
		if mode := info.Mode().Perm(); mode&others != 0 {
			log.Warn("others may read the "+one.what, "path", one.path, "mode", fmt.Sprintf("%04o", mode),
				"do", fmt.Sprintf("chmod %04o %s", one.want, one.path))
		}
	}
	return nil
}
