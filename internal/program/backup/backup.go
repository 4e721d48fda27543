// Package backup makes and restores backups of a data folder:
//
//	source := backup.Source{Folder: "data", Events: events, Records: records, Now: time.Now, Program: version}
//	made, err := source.Create(ctx, "/var/backups/sightline") // while events arrive
//	err = backup.Prune("/var/backups/sightline", 7, made.Path)
//	restored, err := backup.Restore(ctx, made.Path, "new-data")
//
// A folder of backups has a subfolder for each: sightline-20261128T111247Z. While a backup is made, its name ends in
// .partial. It gets its own name when it is complete, so a process that is killed leaves only a .partial folder, which
// the next Create removes.
//
// A backup has the file of events, with its log, the file of records, the heads of the audit trail, and the progress of
// imports and of the demo. It does not have the pepper.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sightline-analytics/sightline/internal/atomicfile"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
)

// A Source is the open data of a folder.
type Source struct {
	Folder  string         // the data folder
	Events  embedded.Store // the file of events in the folder
	Records *meta.Store    // in the folder; nil if the records are in PostgreSQL
	Now     func() time.Time
	Program string // version of the program
}

// Made describes a new backup.
type Made struct {
	Path     string        // its folder
	Manifest Manifest      // also in the folder
	Stalled  time.Duration // how long writes of events waited
	Took     time.Duration
}

// timeLayout is the time in the name of a backup, in UTC.
const (
	timeLayout = "20060102T150405Z"
	prefix     = "sightline-"
	partial    = ".partial"
)

// Create makes a backup in the folder to, which it creates if it does not exist. It first removes what killed processes
// left there. If it fails, it removes its own files.
func (s *Source) Create(ctx context.Context, to string) (made Made, err error) {
	began := s.Now()
	if err := os.MkdirAll(to, 0o700); err != nil {
		return Made{}, unwritable(to, err)
	}
	if err := clean(to); err != nil {
		return Made{}, unwritable(to, err)
	}
	path := filepath.Join(to, prefix+began.UTC().Format(timeLayout))
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return Made{}, fmt.Errorf("%s exists; try again in a second", path)
	}
	draft := path + partial
	release, err := begin(draft)
	if err != nil {
		return Made{}, unwritable(to, err)
	}
	defer func() { err = errors.Join(err, release(err == nil)) }()
	made, err = s.fill(ctx, draft)
	if err != nil {
		return Made{}, err
	}
	if err := errors.Join(os.Rename(draft, path), atomicfile.SyncFolder(to)); err != nil {
		return Made{}, err
	}
	made.Path, made.Took = path, s.Now().Sub(began)
	return made, nil
}

// unwritable returns err with what an operator can do if this process may not write to the folder to.
func unwritable(to string, err error) error {
	switch {
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w; the file system is read-only for this process: if it is a systemd unit with ProtectSystem=, add ReadWritePaths=%s to the unit and restart it",
			err, to)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %w", err, install.Denied(to, true))
	}
	return err
}

// fill copies the data to dir, and completes it with a manifest.
func (s *Source) fill(ctx context.Context, dir string) (made Made, err error) {
	events, records, err := versions()
	if err != nil {
		return Made{}, err
	}
	made.Manifest = Manifest{Format: formatVersion, Program: s.Program,
		Events: Database{embedded.Database, events}, Records: Database{Name: "PostgreSQL"}}
	// These files must not be newer than the databases: a head must be in the trail, and an imported line in the
	// events.
	names, err := s.copySmall(ctx, dir)
	if err != nil {
		return Made{}, err
	}
	var snapshot *meta.Snapshot
	if s.Records != nil {
		if snapshot, err = s.Records.Snapshot(ctx); err != nil {
			return Made{}, err
		}
		defer func() { err = errors.Join(err, snapshot.Close()) }()
	}
	err = s.Events.Backup(ctx, filepath.Join(dir, embedded.File), func() (err error) {
		made.Manifest.Moment = s.Now().UTC()
		if snapshot != nil {
			err = snapshot.Take(ctx)
		}
		made.Stalled = s.Now().Sub(made.Manifest.Moment)
		return err
	})
	if err != nil {
		return Made{}, err
	}
	names = append(names, embedded.File)
	if exists, err := install.Exists(dir, embedded.File+".wal"); err != nil {
		return Made{}, err
	} else if exists {
		names = append(names, embedded.File+".wal")
	}
	if snapshot != nil {
		if err := snapshot.Save(ctx, filepath.Join(dir, install.RecordsFile)); err != nil {
			return Made{}, err
		}
		names, made.Manifest.Records = append(names, install.RecordsFile), Database{"SQLite", records}
	}
	for _, name := range names {
		f := File{Name: name}
		if f.SHA256, err = digest(ctx, filepath.Join(dir, name), (*counter)(&f.Bytes)); err != nil {
			return Made{}, err
		}
		made.Manifest.Files = append(made.Manifest.Files, f)
	}
	return made, made.Manifest.write(dir)
}

// A counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// copySmall copies the small files beside the databases, and returns their names.
func (s *Source) copySmall(ctx context.Context, dir string) (names []string, err error) {
	entries, err := os.ReadDir(s.Folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name := entry.Name()
		isProgress := strings.HasPrefix(name, "import-") && strings.HasSuffix(name, ".json")
		if name != install.HeadsFile && name != install.ProgressFile && !isProgress {
			continue
		}
		_, err := copyFile(ctx, filepath.Join(s.Folder, name), filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // an import ended meanwhile
		}
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// copyFile copies a file to the new file to, with mode 0600, syncs it to disk and returns its SHA-256. After an error
// the new file does not exist.
func copyFile(ctx context.Context, from, to string) (sum string, err error) {
	if _, err := os.Stat(from); err != nil {
		return "", err
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	sum, err = digest(ctx, from, io.Writer(file))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(to))
	}
	return sum, nil
}
