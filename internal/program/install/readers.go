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

// others is the permissions of users that do not own a file. Windows has no such permissions.
const others fs.FileMode = 0o077

// Protect sets the mode of data files in a folder, with their logs, to 0600. It does not change the pepper: see
// WarnOfReaders.
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
		if !errors.Is(err, fs.ErrNotExist) { // a temporary file that another process deleted
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// isData reports whether a name belongs to a data file, or to its log or temporary files.
func isData(name string) bool {
	for _, data := range []string{EventsFile, RecordsFile, DemoKeyFile, HeadsFile, SocketFile, ProgressFile,
		ClickHouseProgressFile} {
		if strings.HasPrefix(name, data) {
			return true
		}
	}
	return false
}

// WarnOfReaders logs a warning if other users can read the data folder or the pepper. It changes neither: a pepper that
// was readable should be replaced, and a folder may be shared on purpose. An empty pepperFile means the pepper of the
// folder.
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
			log.Warn("other users may read the "+one.what, "path", one.path, "mode", fmt.Sprintf("%04o", mode),
				"do", fmt.Sprintf("chmod %04o %s", one.want, one.path))
		}
	}
	return nil
}
