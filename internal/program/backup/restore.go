package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/atomicfile"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
)

// Restore copies a backup to an empty data folder, which it creates if it does not exist. from is the folder of a
// backup, or a folder of backups, of which Restore takes the newest. Restore first verifies all checksums and versions.
// It follows no symbolic links: neither in the backup, nor to the data folder.
//
// While it works, the folder has the file install.RestoreFile. Programs do not open such a folder. If Restore fails, it
// removes what it copied. If it is killed, call it again.
func Restore(ctx context.Context, from, folder string, now func() time.Time, log *slog.Logger) (Backup, error) {
	found, err := find(from)
	if err != nil {
		return Backup{}, err
	}
	m := &found.Manifest
	if err := m.usable(); err != nil {
		return Backup{}, fmt.Errorf("%s: %w", found.Path, err)
	}
	if err := m.Verify(ctx, found.Path, true); err != nil {
		return Backup{}, fmt.Errorf("%s: %w", found.Path, err)
	}
	if err := prepare(folder); err != nil {
		return Backup{}, err
	}
	names := make([]string, len(m.Files))
	for i, f := range m.Files {
		names[i] = f.Name
	}
	marker := filepath.Join(folder, install.RestoreFile)
	text, err := json.Marshal(names)
	if err == nil {
		err = atomicfile.Create(marker, text)
	}
	if err == nil {
		err = copyAll(ctx, found, folder, now, log)
	}
	if err != nil {
		return Backup{}, errors.Join(err, discard(folder, names))
	}
	return found, errors.Join(atomicfile.SyncFolder(folder), os.Remove(marker), atomicfile.SyncFolder(folder))
}

// find returns the backup in the folder from, or the newest one in its subfolders.
func find(from string) (Backup, error) {
	m, err := ReadManifest(from)
	if !errors.Is(err, fs.ErrNotExist) {
		return Backup{from, m}, err
	}
	all, incomplete, err := List(from)
	if err != nil {
		return Backup{}, err
	}
	if len(all) == 0 {
		return Backup{}, fmt.Errorf("%s has no complete backup: a complete one has the file %s (incomplete ones in it: %d)", from, ManifestFile, len(incomplete))
	}
	return all[len(all)-1], nil
}

// prepare makes sure that the data folder exists and is empty. It removes the files of a Restore that was killed.
func prepare(folder string) error {
	if info, err := os.Lstat(folder); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("the data folder %s is a symbolic link; name the folder that it leads to", folder)
	}
	if err := install.CreateFolder(folder); err != nil {
		return err
	}
	text, err := readMark(filepath.Join(folder, install.RestoreFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		var names []string
		if err := json.Unmarshal(text, &names); err != nil {
			return fmt.Errorf("%s is damaged; empty the folder: %w", filepath.Join(folder, install.RestoreFile), err)
		}
		if err := discard(folder, names); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		// a mark that was being written
		if name := entry.Name(); strings.HasPrefix(name, install.RestoreFile+".") && strings.HasSuffix(name, ".tmp") {
			if err := remove(filepath.Join(folder, name)); err != nil {
				return err
			}
			continue
		}
		if entry.Name() != install.PepperFile { // the pepper is not in backups, so it may be there before
			return fmt.Errorf("the data folder %s is not empty: it has %s; restore into another folder", folder,
				entry.Name())
		}
	}
	return nil
}

// readMark reads the mark of an unfinished restore.
func readMark(path string) ([]byte, error) {
	file, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	return io.ReadAll(file)
}

// discard removes restored files, and at last the mark of an unfinished restore.
func discard(folder string, names []string) error {
	var faults []error
	for _, name := range names {
		for _, also := range []string{"", "-wal", "-shm", ".lock"} { // of files that were opened
			faults = append(faults, remove(filepath.Join(folder, filepath.Base(name)+also)))
		}
	}
	faults = append(faults, remove(filepath.Join(folder, embedded.File+".wal")),
		os.RemoveAll(filepath.Join(folder, embedded.File+".tmp")))
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return errors.Join(atomicfile.SyncFolder(folder), remove(filepath.Join(folder, install.RestoreFile)))
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// copyAll copies the files of a backup, and opens them once: this replays the log, and upgrades older tables.
func copyAll(ctx context.Context, from Backup, folder string, now func() time.Time, log *slog.Logger) error {
	for _, f := range from.Manifest.Files {
		if err := f.matches(copyFile(ctx, filepath.Join(from.Path, f.Name),
			filepath.Join(folder, f.Name))); err != nil {
			return err
		}
	}
	events, err := embedded.Open(ctx, embedded.Config{Folder: folder, Now: now, Logger: log})
	if err != nil {
		return fmt.Errorf("open the restored events: %w", err)
	}
	if err := events.Close(ctx); err != nil {
		return fmt.Errorf("close the restored events: %w", err)
	}
	if from.Manifest.Records.Schema == 0 {
		return nil
	}
	records, err := meta.Open(ctx, meta.Config{Path: filepath.Join(folder, install.RecordsFile), Now: now, Logger: log})
	if err != nil {
		return fmt.Errorf("open the restored records: %w", err)
	}
	return records.Close(ctx)
}
