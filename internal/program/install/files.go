// Package install opens the files and databases of a standalone installation.
package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sightline-analytics/sightline/demo/site"
	"github.com/sightline-analytics/sightline/store/embedded"
)

// Owner is the default owner of websites, links, monitors and keys.
const Owner = site.Owner

// These are the files of a data folder. They have mode 0600.
const (
	EventsFile  = embedded.File
	RecordsFile = "meta.sqlite"
	PepperFile  = "pepper"
	DemoKeyFile = site.KeyFile
	HeadsFile   = "audit-heads.json"   // heads of the audit trail, outside its database
	SocketFile  = "control.sock"       // socket of the running server, for commands
	RestoreFile = "restore.unfinished" // exists while a backup is restored into the folder, and after a killed restore

	// These files have the progress of demo traffic in the data folder and in ClickHouse.
	ProgressFile           = site.ProgressFile
	ClickHouseProgressFile = "demo-clickhouse.json"
)

// CreateFolder creates the data folder, readable only for its owner.
func CreateFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ExplainAccess(fmt.Errorf("data folder: %w", err))
	}
	return nil
}

// Exists reports whether the data folder has a file with a name.
func Exists(dir, name string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// CheckRestored returns an error if a restore into the data folder has not finished. Its error is an [AccessError] if
// this process may not use the folder or its files.
func CheckRestored(dir string) error {
	if err := CheckAccess(dir); err != nil {
		return err
	}
	exists, err := Exists(dir, RestoreFile)
	if exists {
		err = fmt.Errorf("the restore into %s is not finished: run restore again, or empty the folder", dir)
	}
	return err
}
