// Package doctor looks for problems of an installation:
//
//	for _, f := range doctor.Check(ctx, doctor.Config{Data: "data", Now: time.Now}) {
//		fmt.Println(f.Level, f.Check, f.Text, f.Do)
//	}
//
// It works while a server runs on the data folder, through the server's socket, and without one. Without a server it
// first checks the files without changing them. If they are sound, it opens them as a server does, which moves the log
// of events into its file.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/program/control"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/embedded"
)

// A Level says how serious a finding is.
type Level string

// The levels of findings.
const (
	OK      Level = "ok"
	Warning Level = "warning" // the service works, but something should be done
	Problem Level = "problem" // data is lost or in danger, or the service does not work
)

// A Finding is the result of one check.
type Finding struct {
	Level Level `json:"level"`
	// folder, files, server, events, records, geoip, proxy, disk, clock, retention, sealing, clickhouse, redis or
	// backups
	Check string `json:"check"`
	Text  string `json:"text"` // what was found
	Do    string `json:"do,omitempty"`
}

// Config has what an installation consists of.
type Config struct {
	Data       string
	Meta       string            // DSN of PostgreSQL; empty: SQLite in the data folder
	ClickHouse clickhouse.Config // without a DSN, events are in the data folder
	Redis      string            // address; empty: none
	PepperFile string            // empty: the pepper of the data folder
	BackupTo   string            // folder of regular backups; empty: the one of the running server
	Every      time.Duration     // time between regular backups, unless the server says another; 0: 24 h
	MinFree    int64             // embedded.Config.MinFree of the server
	GeoIP      string            // file of serve --geoip; empty: none
	Days       int               // number of days before today whose stored results are compared with their events
	Now        func() time.Time

	HasCountryHeader bool // serve has --country-header
	HasProxy         bool // serve has --trusted-proxy
}

// A doctor collects findings.
type doctor struct {
	Config

	findings []Finding
	running  *control.Client // nil without a server

	recordsSound bool
}

// source is a store of events, opened or through a server.
type source interface {
	store.Store
	Subjects(ctx context.Context) ([]store.Subject, error)
}

func (d *doctor) found(level Level, check, do, format string, args ...any) {
	d.findings = append(d.findings, Finding{level, check, fmt.Sprintf(format, args...), do})
}

// Check looks at every part of an installation. Checks of parts that do not exist, or that a problem makes impossible,
// are left out.
func Check(ctx context.Context, cfg Config) []Finding {
	d := &doctor{Config: cfg}
	if !d.checkFolder() {
		return d.findings
	}
	sound := d.checkFiles()
	d.checkServer(ctx)
	if d.running != nil {
		defer func() { _ = d.running.Close(ctx) }()
	}
	d.checkRecords(ctx)
	d.checkLost(ctx)
	d.checkRedis(ctx)
	d.checkPlaces()
	d.checkProxy()
	d.checkDisk()
	d.checkBackups(ctx)
	if events, closeEvents := d.openEvents(ctx, sound); events != nil {
		d.checkEvents(ctx, events)
		if err := closeEvents(context.WithoutCancel(ctx)); err != nil {
			d.found(Problem, "events", "see docs/operations.md#damage", "the events cannot be closed: %v", err)
		}
	}
	return d.findings
}

// checkServer connects to the running server.
func (d *doctor) checkServer(ctx context.Context) {
	if d.ClickHouse.DSN != "" {
		return // such a server has no socket
	}
	d.running = control.Dial(ctx, filepath.Join(d.Data, install.SocketFile))
	if d.running == nil {
		d.found(OK, "server", "", "no server runs on the folder")
		return
	}
	d.found(OK, "server", "", "a server runs on the folder")
}

// openEvents opens the store of events, unless it is not sound.
func (d *doctor) openEvents(ctx context.Context, sound bool) (source, func(context.Context) error) {
	log := slog.New(slog.DiscardHandler)
	switch {
	case d.ClickHouse.DSN != "":
		cfg := d.ClickHouse
		cfg.Now, cfg.Logger = d.Now, log
		s, err := clickhouse.Open(ctx, cfg)
		if err != nil {
			d.found(Problem, "clickhouse", "check the address and the server", "ClickHouse cannot be used: %v", err)
			return nil, nil
		}
		return s, s.Close
	case d.running != nil:
		return d.running, func(context.Context) error { return nil } // Check closes it
	case !sound:
		return nil, nil
	}
	if !d.checkFile() {
		return nil, nil
	}
	s, err := install.OpenFile(ctx, d.Data, embedded.Config{Now: d.Now, Logger: log})
	if err != nil {
		d.found(Problem, "events", "see docs/operations.md#damage", "%v", err)
		return nil, nil
	}
	return s, s.Close
}

// checkFile looks for damage of the file of events.
func (d *doctor) checkFile() (sound bool) {
	unfinished, err := embedded.Check(d.Data)
	switch {
	case errors.Is(err, store.ErrLocked):
		d.found(Problem, "events", "wait until the process has started or ended; if it does not, find it with: fuser "+
			filepath.Join(d.Data, embedded.File), "another process has opened the events, and does not answer on %s",
			install.SocketFile)
	case errors.Is(err, store.ErrNewerSchema):
		d.found(Problem, "events", "use the newer program, or restore a backup",
			"the tables are of a newer program: %v", err)
	case errors.Is(err, store.ErrCorrupt):
		d.found(Problem, "events", "follow docs/operations.md#damage before you start the server", "the events are damaged: %v",
			err)
	case err != nil:
		d.found(Problem, "events", "see docs/operations.md#damage", "the events cannot be read: %v", err)
	case unfinished > 0:
		d.found(Warning, "events", "nothing after a crash or a power loss; otherwise see docs/operations.md#damage",
			"the log ends in an unfinished commit of %d bytes, which a start removes", unfinished)
		return true
	default:
		d.found(OK, "events", "", "all blocks of the file, and all commits of its log, are undamaged")
		return true
	}
	return false
}

// checkEvents checks an open store of events.
func (d *doctor) checkEvents(ctx context.Context, events source) {
	name := "events"
	if d.ClickHouse.DSN != "" {
		name = "clickhouse"
	}
	if err := events.Ping(ctx); errors.Is(err, clickhouse.ErrNoSchema) {
		d.found(Problem, name, "create or upgrade the tables with clickhouse migrate",
			"the tables are missing or old: %v", err)
		return
	} else if err != nil {
		d.found(Problem, name, "check the server and its log", "the events do not answer: %v", err)
		return
	}
	subjects, err := events.Subjects(ctx)
	if err != nil {
		d.found(Problem, name, "check the log of the server", "the websites cannot be listed: %v", err)
		return
	}
	d.found(OK, name, "", "the store answers; it has events of %d websites, links and monitors", len(subjects))
	d.checkPair(ctx, events)
	d.checkNewest(ctx, events, subjects)
	d.checkRetention(ctx, events, subjects)
	d.checkSealing(ctx, events, subjects)
}

// readAboutPairs is the advice about stores that do not belong together. The errors have the details.
const readAboutPairs = "read docs/operations.md#when-one-of-the-two-stores-is-missing before you start the server"

// checkLost looks for a missing file of events that the records know.
func (d *doctor) checkLost(ctx context.Context) {
	if !d.recordsSound || d.running != nil {
		return
	}
	if err := d.pair().CheckFiles(ctx, slog.New(slog.DiscardHandler), d.Now); err != nil {
		d.found(Problem, "records", readAboutPairs, "%v", err)
	}
}

func (d *doctor) pair() install.Pair {
	return install.Pair{Data: d.Data, Meta: d.Meta, ClickHouse: d.ClickHouse.DSN != ""}
}

// checkPair checks that the events and the records belong together. A running server did so when it started.
func (d *doctor) checkPair(ctx context.Context, events source) {
	if !d.recordsSound || d.running != nil {
		return
	}
	records, err := install.OpenRecords(ctx, d.Data, d.Meta, auth.Pepper{}, slog.New(slog.DiscardHandler), d.Now)
	if err == nil {
		defer func() { _ = records.Close(context.WithoutCancel(ctx)) }()
		err = d.pair().Check(ctx, events, records)
	}
	if err != nil {
		d.found(Problem, "records", readAboutPairs, "%v", err)
	}
}

// checkSealing compares the stored results of the last days with their events.
func (d *doctor) checkSealing(ctx context.Context, events source, subjects []store.Subject) {
	seals, ok := events.(control.Seals)
	if !ok {
		engine, err := query.New(query.Config{Store: events, Now: d.Now})
		if err != nil {
			d.found(Problem, "sealing", "check the log of the server", "the stored results cannot be compared: %v", err)
			return
		}
		defer func() { _ = engine.Close(context.WithoutCancel(ctx)) }()
		seals = engine
	}
	verified, wrong := 0, 0
	from := d.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -d.Days)
	for _, s := range subjects {
		if s.Kind != store.KindWebsite {
			continue
		}
		report, err := seals.VerifySeals(ctx, s, from, d.Now())
		if err != nil {
			d.found(Problem, "sealing", "check the log of the server",
				"stored results of website %q cannot be compared: %v", s.ID, err)
			return
		}
		verified += report.Verified
		if n := len(report.Differences); n > 0 {
			wrong++
			d.found(Problem, "sealing", "run derived rebuild --website "+s.ID,
				"stored results of website %q differ from its events on %d days, first on %s", s.ID, n,
				report.Differences[0].Day.Format(time.DateOnly))
		}
	}
	if wrong == 0 {
		d.found(OK, "sealing", "",
			"stored results of the last %d days agree with their events (%d compared, counted per table)", d.Days,
			verified)
	}
}
