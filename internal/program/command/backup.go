package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/program/backup"
	"github.com/sightline-analytics/sightline/internal/program/control"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/internal/program/service"
	"github.com/sightline-analytics/sightline/store/embedded"
)

// makeBackup makes a backup in a folder of backups.
type makeBackup struct {
	dataFlags

	JSON bool   `name:"json" env:"SIGHTLINE_JSON" help:"Write JSON, for programs."`
	Keep int    `placeholder:"NUMBER" help:"Number of complete backups in DIR to keep. Older ones are removed after the new one is complete. Default: all."`
	Dir  string `arg:"" type:"path" help:"Folder of backups; created if it does not exist. The backup is a new subfolder."`
}

func (*makeBackup) Help() string {
	return `The backup has every event that was acknowledged before its moment, none that was sent later, and the records of the same moment. A running server makes the backup itself, so its user needs the right to write to DIR. The backup does not have the pepper: store a copy of that elsewhere. If the records are in PostgreSQL (--meta), back them up after this command. See docs/operations.md.`
}

func (b *makeBackup) Validate() error {
	if b.Keep < 0 {
		return errors.New("--keep is negative")
	}
	return nil
}

// A backupView describes a backup.
type backupView struct {
	Path          string    `json:"path"`
	Moment        time.Time `json:"moment"`
	Files         int       `json:"files"`
	Bytes         int64     `json:"bytes"`
	Milliseconds  int64     `json:"milliseconds,omitempty"`  // that the backup took
	StalledMicros int64     `json:"stalledMicros,omitempty"` // how long writes of events waited
}

// Run makes the backup.
func (b *makeBackup) Run(ctx context.Context, e environment) error {
	made, err := b.create(ctx, e)
	if err != nil {
		return err
	}
	m := &made.Manifest
	if b.JSON {
		return writeJSON(e.out, backupView{made.Path, m.Moment, len(m.Files), m.Bytes(), made.Took.Milliseconds(),
			made.Stalled.Microseconds()})
	}
	_, err = fmt.Fprintf(e.out, "backup: %s, of %s, %d files with %d bytes; writes waited %v\n", clean(made.Path),
		at(m.Moment), len(m.Files), m.Bytes(), made.Stalled.Round(time.Microsecond))
	return err
}

func (b *makeBackup) create(ctx context.Context, e environment) (_ backup.Made, err error) {
	if err := install.CheckAccess(b.Data); err != nil {
		return backup.Made{}, err
	}
	if running := control.Dial(ctx, filepath.Join(b.Data, install.SocketFile)); running != nil {
		defer func() { err = errors.Join(err, running.Close(ctx)) }()
		return running.Backup(ctx, b.Dir, b.Keep)
	}
	if err := needFiles(b.Data, b.Meta); err != nil {
		return backup.Made{}, err
	}
	log := slog.New(slog.NewTextHandler(e.errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	events, err := install.OpenFile(ctx, b.Data, embedded.Config{Now: e.now, Logger: log})
	if err != nil {
		return backup.Made{}, err
	}
	defer func() { err = errors.Join(err, events.Close(context.WithoutCancel(ctx))) }()
	s := backup.Schedule{Source: backup.Source{Folder: b.Data, Events: events, Now: e.now, Program: service.Version()},
		Log: log}
	if b.Meta == "" {
		records, err := install.OpenRecords(ctx, b.Data, "", auth.Pepper{}, log, e.now)
		if err != nil {
			return backup.Made{}, err
		}
		defer func() { err = errors.Join(err, records.Close(context.WithoutCancel(ctx))) }()
		s.Source.Records = records
	}
	return s.Create(ctx, b.Dir, b.Keep)
}

// needFiles returns an error if the folder does not have the files of events and of records.
func needFiles(dir string, meta dsn) error {
	names := []string{install.EventsFile}
	if meta == "" {
		names = append(names, install.RecordsFile)
	}
	for _, name := range names {
		file := filepath.Join(dir, name)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("no data: %s does not exist; docs/operations.md shows how to back up ClickHouse and PostgreSQL", file)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// restoreBackup restores a backup.
type restoreBackup struct {
	Data string `env:"SIGHTLINE_DATA" default:"./sightline-data" help:"Data folder to restore into; created if it does not exist. It must be empty, or have only the pepper."`
	JSON bool   `name:"json" env:"SIGHTLINE_JSON" help:"Write JSON, for programs."`
	Dir  string `arg:"" type:"path" help:"Folder of a backup, or a folder of backups, of which the newest is restored."`
}

func (*restoreBackup) Help() string {
	return `The command first verifies the checksums and versions of the backup. While it copies, the data folder has the file ` + install.RestoreFile + `, and serve does not start. If the command is killed, run it again.`
}

// Run restores the backup.
func (r *restoreBackup) Run(ctx context.Context, e environment) error {
	log := slog.New(slog.NewTextHandler(e.errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	found, err := backup.Restore(ctx, r.Dir, r.Data, e.now, log)
	if err != nil {
		return err
	}
	m := &found.Manifest
	if r.JSON {
		return writeJSON(e.out, backupView{Path: found.Path, Moment: m.Moment, Files: len(m.Files), Bytes: m.Bytes()})
	}
	_, err = fmt.Fprintf(e.out, "restored: %s, of %s, %d files with %d bytes\n", clean(found.Path), at(m.Moment),
		len(m.Files), m.Bytes())
	if err != nil {
		return err
	}
	if m.Records.Schema == 0 {
		_, err = fmt.Fprintf(e.out, "to do: restore the records in %s from a dump that was made after %s\n",
			m.Records.Name, at(m.Moment))
	}
	if exists, existsErr := install.Exists(r.Data, install.PepperFile); err == nil && !exists {
		_, err = fmt.Fprintf(e.out,
			"to do: put the pepper into %s, or name its file with --pepper-file; without it no key works\n",
			clean(filepath.Join(r.Data, install.PepperFile)))
		err = errors.Join(err, existsErr)
	}
	return err
}
