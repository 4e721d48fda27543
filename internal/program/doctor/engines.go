package doctor

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/internal/program/backup"
	"github.com/sightline-analytics/sightline/internal/program/control"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/internal/scan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/meta"
)

// Differences between clocks that are worth a finding. Visitor ids depend on the day, and limits and keys on the
// second.
const (
	someSkew = 2 * time.Second
	muchSkew = time.Minute
)

// futureRows is how far the newest event may be ahead of the clock: senders may have clocks that are a little ahead.
const futureRows = 15 * time.Minute

// engineTimeout bounds a check of another server.
const engineTimeout = 10 * time.Second

// checkRecords checks the records in the file or in PostgreSQL.
func (d *doctor) checkRecords(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	cfg := meta.Config{DSN: d.Meta}
	what := "PostgreSQL"
	if d.Meta == "" {
		what, cfg.Path = install.RecordsFile, filepath.Join(d.Data, install.RecordsFile)
		if exists, err := install.Exists(d.Data, install.RecordsFile); err != nil || !exists {
			return // checkFiles reports it
		}
	}
	asked := d.Now()
	var noPepper error
	cfg.Pepper, noPepper = install.ReadPepper(d.Data, d.PepperFile)
	if noPepper != nil && d.PepperFile != "" { // checkFiles reports a missing pepper of the folder
		d.found(Problem, "files", "name the pepper of the server with --pepper-file", "%v", noPepper)
	}
	clock, err := meta.Check(ctx, cfg)
	switch {
	case errors.Is(err, meta.ErrOtherPepper):
		d.recordsSound = true
		d.found(Problem, "records", "put the right pepper back from your copy, or name it with --pepper-file; if it is lost, see docs/security.md",
			"this is not the pepper of the records in %s: no key works, and the audit trail cannot be verified", what)
	case errors.Is(err, meta.ErrUnfinishedCopy):
		d.found(Problem, "records", "run the same copy --meta again", "the records in %s are a copy that was stopped", what)
	case errors.Is(err, store.ErrNewerSchema):
		d.found(Problem, "records", "use the newer program, or restore a backup",
			"the tables in %s are of a newer program: %v", what, err)
	case errors.Is(err, store.ErrCorrupt):
		d.found(Problem, "records", "restore a backup", "the records in %s are damaged, or of another program: %v",
			what, err)
	case err != nil:
		d.found(Problem, "records", "check the address and the server", "the records in %s cannot be read: %v", what,
			err)
	default:
		d.recordsSound = true
		d.found(OK, "records", "", "the records in %s can be read, and their tables fit this program", what)
		if !clock.IsZero() {
			d.checkSkew("PostgreSQL", clock, asked)
		}
	}
}

// checkRedis asks Redis for its time.
func (d *doctor) checkRedis(ctx context.Context) {
	if d.Redis == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	client, err := install.OpenRedis(d.Redis)
	if err == nil {
		defer func() { _ = client.Close() }()
		asked := d.Now()
		var clock time.Time
		if clock, err = client.Time(ctx).Result(); err == nil {
			d.found(OK, "redis", "", "Redis answers")
			d.checkSkew("Redis", clock, asked)
			return
		}
	}
	d.found(Problem, "redis", "check the address and the server; until then each process has limits of its own",
		"Redis does not answer: %v", err)
}

// checkSkew compares the clock of a server, which was asked at an instant, with the clock of this machine.
func (d *doctor) checkSkew(server string, clock, asked time.Time) {
	// The server read its clock between the two instants.
	var skew time.Duration
	switch answered := d.Now(); {
	case clock.Before(asked):
		skew = asked.Sub(clock)
	case clock.After(answered):
		skew = clock.Sub(answered)
	}
	level, do := OK, ""
	switch {
	case skew > muchSkew:
		level, do = Problem, "set both clocks, and keep them right with NTP"
	case skew > someSkew:
		level, do = Warning, "keep both clocks right with NTP"
	}
	d.found(level, "clock", do, "the clocks of this machine and of %s differ by %v", server,
		skew.Round(time.Millisecond))
}

// checkNewest compares the newest events with the clock.
func (d *doctor) checkNewest(ctx context.Context, events source, subjects []store.Subject) {
	if d.ClickHouse.DSN != "" {
		asked := d.Now()
		rows, err := events.Query(ctx,
			store.Statement{Label: "clock", SQL: "SELECT toUnixTimestamp64Milli(now64(3)) AS clock",
				Kinds: []dialect.Kind{dialect.Int}})
		if err != nil || rows.Len != 1 {
			d.found(Problem, "clickhouse", "check the log of the server", "ClickHouse does not tell its time: %v", err)
			return
		}
		d.checkSkew("ClickHouse", time.UnixMilli(rows.Columns[0].Ints[0]), asked)
	}
	var newest int64
	var of store.Subject
	for _, s := range subjects {
		if s.Kind != store.KindWebsite {
			continue
		}
		var args scan.Args
		rows, err := events.Query(ctx, store.Statement{
			Label: "newest event",
			SQL: "SELECT coalesce(max(t.time), 0) AS newest FROM events AS t WHERE t.subject = " +
				args.Subject(events.Dialect(), s),
			Args: args, Kinds: []dialect.Kind{dialect.Int},
		})
		if err != nil {
			d.found(Problem, "events", "check the log of the server",
				"the newest event of website %q cannot be read: %v", s.ID, err)
			return
		}
		if rows.Len == 1 && rows.Columns[0].Ints[0] > newest {
			newest, of = rows.Columns[0].Ints[0], s
		}
	}
	if newest == 0 {
		return
	}
	at := time.UnixMilli(newest).UTC()
	if ahead := at.Sub(d.Now()); ahead > futureRows {
		d.found(Warning, "clock", "check the clock; if it is right, a sender with a key has a wrong clock",
			"the newest event, of website %q, is %v after the time of this clock", of.ID, ahead.Round(time.Second))
		return
	}
	d.found(OK, "clock", "", "the newest event is of %s, and not after the time of this clock", at.Format(time.RFC3339))
}

// lateBy is how late a backup may be: it takes time, and the server may have been stopped.
const lateBy = time.Hour

// checkBackups checks the age and the files of the newest backup.
func (d *doctor) checkBackups(ctx context.Context) {
	to, every := d.BackupTo, d.Every
	if d.running != nil {
		status, err := d.running.Backups(ctx)
		switch {
		case errors.Is(err, control.ErrElsewhere):
			d.found(Warning, "backups", "use a folder outside of /tmp, /var/tmp and home folders, or run doctor where the server runs",
				"%v, so its backups cannot be checked", err)
			return
		case err != nil:
			d.found(Problem, "backups", "check the log of the server", "the server does not tell its backups: %v", err)
		case status.Error != "":
			d.found(Problem, "backups", "remove the cause; the server tries again", "the last backup failed at %s: %s",
				status.Failed.UTC().Format(time.RFC3339), status.Error)
		}
		if to == "" && status.To != "" {
			to, every = status.To, status.Every
		}
	}
	if d.ClickHouse.DSN != "" {
		return
	}
	if to == "" {
		d.found(Warning, "backups", "start serve with --backup-to, or run backup regularly",
			"no regular backups are known")
		return
	}
	all, incomplete, err := backup.List(to)
	if err != nil {
		d.found(Problem, "backups", "check the folder and its permissions", "the backups in %s cannot be read: %v", to,
			err)
		return
	}
	if len(incomplete) > 0 {
		d.found(Warning, "backups",
			"nothing while a backup is made; otherwise the next backup removes those that end in .partial",
			"%s has %d incomplete backups", to, len(incomplete))
	}
	if len(all) == 0 {
		d.found(Problem, "backups", "run backup "+to, "%s has no complete backup", to)
		return
	}
	newest := all[len(all)-1]
	age := d.Now().Sub(newest.Manifest.Moment)
	switch err := newest.Manifest.Verify(ctx, newest.Path, false); {
	case err != nil:
		d.found(Problem, "backups", "run backup "+to+", and check the disk", "%s: %v", newest.Path, err)
	case age > every+lateBy:
		d.found(Problem, "backups", "check the log of the server, or run backup "+to,
			"the newest backup in %s is %v old", to, age.Round(time.Minute))
	default:
		d.found(OK, "backups", "", "the newest of %d backups in %s is %v old", len(all), to,
			max(0, age).Round(time.Second))
	}
}
