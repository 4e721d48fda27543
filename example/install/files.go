//go:build cgo

// Package install is where a standalone install keeps what it has: the files of its data
// folder, and the databases that are named in place of some of them.
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

// Owner is whose everything is in a standalone install, unless another is named.
const Owner = "local"

// The files of a data folder. Those that hold secrets have mode 0600.
const (
	EventsFile  = "analytics.duckdb"
	RecordsFile = "meta.sqlite"
	PepperFile  = "pepper"
	DemoKeyFile = "demo-key"
	HeadsFile   = "audit-heads.json" // of the audit trail, apart from it
	SocketFile  = "control.sock"     // of the running server, for commands beside it

	// How far demo traffic was written, to the data folder and to ClickHouse.
	ProgressFile           = "demo.json"
	ClickHouseProgressFile = "demo-clickhouse.json"
)

// CreateFolder makes the data folder, for nobody else to read.
func CreateFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}

// Exists reports whether the data folder has a file of that name.
func Exists(dir, name string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Pepper reads the pepper from file or, when file is empty, from the data folder,
// where it is made the first time. Each line of the file is one, the newest first.
func Pepper(dir, file string) (auth.Pepper, error) {
	if file == "" {
		file = filepath.Join(dir, PepperFile)
		if err := makePepper(file); err != nil {
			return auth.Pepper{}, fmt.Errorf("making a pepper: %w", err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return auth.Pepper{}, fmt.Errorf("pepper: %w", err)
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

// makePepper makes file unless it is there. Of two processes that try together one wins.
func makePepper(file string) error {
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
	err = os.Link(temp, file) // unlike a rename, it never replaces
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(temp), syncFolder(filepath.Dir(file)))
}

// Replace writes data to file so that a crash leaves the old or the new, whole.
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

// writeTemp writes data to a new file beside file, with mode 0600, down to the disk.
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

// syncFolder makes new names in dir last. Windows has no such thing, and needs none.
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
