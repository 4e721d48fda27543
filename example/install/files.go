//go:build cgo

// Package install opens the files and databases of a standalone installation.
package install

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/sightline-analytics/sightline/auth"
)

// Owner is the default owner of websites, links, monitors and keys.
const Owner = "local"

// These are the files of a data folder. They have mode 0600.
const (
	EventsFile  = "analytics.duckdb"
	RecordsFile = "meta.sqlite"
	PepperFile  = "pepper"
	DemoKeyFile = "demo-key"
	HeadsFile   = "audit-heads.json" // heads of the audit trail, outside its database
	SocketFile  = "control.sock"     // socket of the running server, for commands

	// These files have the progress of demo traffic in the data folder and in ClickHouse.
	ProgressFile           = "demo.json"
	ClickHouseProgressFile = "demo-clickhouse.json"
)

// CreateFolder creates the data folder, readable only for its owner.
func CreateFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
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

// Pepper reads the pepper from file. If file is empty, it reads the pepper of the data folder, or creates it. Each line
// of a file is a pepper, the newest first.
func Pepper(dir, file string) (auth.Pepper, error) {
	if file == "" {
		file = filepath.Join(dir, PepperFile)
		if err := createPepper(file); err != nil {
			return auth.Pepper{}, fmt.Errorf("create the pepper: %w", err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return auth.Pepper{}, fmt.Errorf("read the pepper: %w", err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	for i, line := range lines {
		lines[i] = bytes.TrimSpace(line)
	}
	p, err := auth.NewPepper(lines[0], lines[1:]...)
	if err != nil {
		return auth.Pepper{}, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// createPepper creates file if it does not exist. If two processes call it at the same time, one of them wins.
func createPepper(file string) error {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	temp, err := writeTemp(file, []byte(hex.EncodeToString(random)+"\n"))
	if err != nil {
		return err
	}
	err = os.Link(temp, file) // unlike a rename, a link never replaces a file
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(temp), syncFolder(filepath.Dir(file)))
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
	return syncFolder(filepath.Dir(file))
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

// syncFolder syncs new names in dir to disk. Windows does not need that.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
