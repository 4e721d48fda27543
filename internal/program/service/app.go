// Package service runs the server of the standalone program. app.go opens the stores, and wiring.go gives
// them to a sightline.Service.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/program/backup"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/redisbus"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/track/geoip"
)

// flushTimeout bounds the end of the service: its last work, and the writing of the last audit entries.
const flushTimeout = 10 * time.Second

// closeTimeout bounds the end of everything after the last request: flushTimeout, and closing the stores. A file that
// is not closed by then has all its events in its log.
const closeTimeout = 25 * time.Second

// An app has the open stores and services of a running server.
type app struct {
	settings Settings
	log      *slog.Logger
	now      func() time.Time
	pepper   auth.Pepper
	events   events
	records  *meta.Store
	heads    *install.HeadStore
	service  *sightline.Service
	backups  *backup.Schedule              // nil if the events are in ClickHouse
	metrics  *metrics                      // nil without --metrics-addr
	redis    *redis.Client                 // nil without Redis
	bus      *redisbus.Bus                 // on redis; nil without Redis
	geo      *geoip.File                   // nil without a file
	closers  []func(context.Context) error // in the order of opening
}

// events is the store of events: an embedded file or ClickHouse.
type events interface {
	store.Store
	store.Writer
	Subjects(ctx context.Context) ([]store.Subject, error)
	Close(ctx context.Context) error
}

// Version returns the version of the build, or "dev".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}

// open opens the data folder. If it returns an error, it has closed everything.
func open(ctx context.Context, s Settings, log *slog.Logger, now func() time.Time) (_ *app, err error) {
	a := &app{settings: s, log: log, now: now}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	if err := install.CreateFolder(s.Data); err != nil {
		return nil, err
	}
	// Protect runs before the stores open, because SQLite creates its other files with the mode of the database file.
	if err := install.Protect(s.Data); err != nil {
		log.Warn("other users may read the data files", "error", err)
	}
	if s.GeoIP != "" {
		if a.geo, err = geoip.Open(s.GeoIP); err != nil {
			return nil, fmt.Errorf("--geoip: %w", err)
		}
	}
	if err := a.pair().CheckFiles(ctx, log, now); err != nil {
		return nil, err
	}
	// The file of events is opened first. It is locked, so a second server with the same folder fails here.
	if a.events, err = a.openEvents(ctx); err != nil {
		return nil, err
	}
	a.onClose(a.events.Close)
	if err := a.pair().CheckNew(ctx, a.events); err != nil {
		return nil, err
	}
	if s.Redis != "" {
		if a.redis, err = install.OpenRedis(s.Redis); err != nil {
			return nil, err
		}
		a.onClose(func(context.Context) error { return a.redis.Close() })
		a.askRedis(ctx)
		if a.bus, err = redisbus.New(redisbus.Config{Client: a.redis, Logger: log}); err != nil {
			return nil, err
		}
		a.onClose(a.bus.Close)
	}
	if err := a.openRecords(ctx); err != nil {
		return nil, err
	}
	if err := a.openHeads(); err != nil {
		return nil, err
	}
	a.openBackups()
	if s.MetricsAddr != "" {
		a.metrics = newMetrics(a.records.Audit(), a.now)
		a.metrics.watchGeo(a.geo, a.now)
		a.metrics.watchBackups(a.backups)
		if a.settings.ClickHouse.DSN == "" {
			a.metrics.watchDisk(a.settings.Data, a.settings.MinFree)
		}
	}
	if err := a.openService(); err != nil {
		return nil, err
	}
	return a, install.WarnOfReaders(s.Data, s.PepperFile, log)
}

// pair returns the check that events and records belong together.
func (a *app) pair() install.Pair {
	s := &a.settings
	return install.Pair{Data: s.Data, Meta: s.Meta, ClickHouse: s.ClickHouse.DSN != "", NewRecords: s.NewRecords,
		NewEvents: s.NewEvents}
}

// openRecords opens the records with their pepper.
func (a *app) openRecords(ctx context.Context) (err error) {
	s := &a.settings
	if s.NewPepper {
		if err := a.forgetPepper(ctx); err != nil {
			return err
		}
	}
	if a.pepper, err = install.Pepper(ctx, s.Data, s.Meta, s.PepperFile, a.log, a.now); err != nil {
		return err
	}
	if a.records, err = install.OpenRecords(ctx, s.Data, s.Meta, a.pepper, a.log, a.now); err != nil {
		return err
	}
	a.onClose(a.records.Close)
	return a.pair().Check(ctx, a.events, a.records)
}

// forgetPepper prepares the records for another pepper, unless the present one is theirs. It also moves the heads of
// the audit trail away, which are of the lost pepper.
func (a *app) forgetPepper(ctx context.Context) (err error) {
	s := &a.settings
	records, err := install.OpenRecords(ctx, s.Data, s.Meta, auth.Pepper{}, a.log, a.now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, records.Close(context.WithoutCancel(ctx))) }()
	pepper, err := install.ReadPepper(s.Data, s.PepperFile)
	if err == nil {
		err = records.CheckPepper(ctx, pepper)
	}
	if !errors.Is(err, meta.ErrOtherPepper) && (s.PepperFile != "" || !errors.Is(err, os.ErrNotExist)) {
		return err // the pepper is right, or something else is wrong
	}
	a.log.Warn("the records get another pepper: rotate all keys; the audit trail up to now is deleted")
	heads := filepath.Join(s.Data, install.HeadsFile)
	err = os.Rename(heads, heads+"."+a.now().UTC().Format("20060102T150405Z"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, records.ForgetPepper(ctx))
}

// redisTimeout bounds the time that a start waits for Redis.
const redisTimeout = 2 * time.Second

// askRedis warns at once if Redis does not answer. The server works without it.
func (a *app) askRedis(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, redisTimeout)
	defer cancel()
	if err := a.redis.Ping(ctx).Err(); err != nil {
		a.log.Warn("Redis does not answer: until it does, each server has rate limits of its own, and learns of changed keys and flags later",
			"error", err)
	}
}

// onClose registers closer for close, which runs closers in reverse order.
func (a *app) onClose(closer func(context.Context) error) { a.closers = append(a.closers, closer) }

func (a *app) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var faults []error
	for _, closer := range slices.Backward(a.closers) {
		faults = append(faults, closer(ctx))
	}
	return errors.Join(faults...)
}

func (a *app) openEvents(ctx context.Context) (events, error) {
	if a.settings.ClickHouse.DSN == "" {
		return install.OpenFile(ctx, a.settings.Data,
			embedded.Config{Memory: a.settings.divide().duckDB, MinFree: a.settings.MinFree, Now: a.now, Logger: a.log})
	}
	o := a.settings.ClickHouse
	o.Now, o.Logger = a.now, a.log
	tables, err := install.OpenClickHouse(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("--clickhouse: %w", err)
	}
	return tables, nil
}

// openBackups prepares backups of the data folder. Backing up ClickHouse is left to its administrator.
func (a *app) openBackups() {
	file, ok := a.events.(embedded.Store)
	if !ok || a.settings.ClickHouse.DSN != "" {
		return
	}
	a.backups = &backup.Schedule{
		Source: backup.Source{Folder: a.settings.Data, Events: file, Now: a.now, Program: Version()},
		To:     a.settings.BackupTo, Every: a.settings.BackupEvery, Keep: a.settings.BackupKeep, Log: a.log,
	}
	if a.settings.Meta == "" {
		a.backups.Source.Records = a.records
	}
}

// openHeads opens the file with the heads of the audit trail.
func (a *app) openHeads() (err error) {
	a.heads, err = install.OpenHeads(filepath.Join(a.settings.Data, install.HeadsFile), a.settings.AuditKeep, a.now,
		a.log)
	if err != nil {
		return fmt.Errorf("audit trail: %w", err)
	}
	a.onClose(func(context.Context) error { return a.heads.Close() })
	return nil
}
