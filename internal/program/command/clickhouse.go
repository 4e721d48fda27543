package command

import (
	"context"
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
	"github.com/sightline-analytics/sightline/internal/program/control"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/embedded"
)

type printSchema struct{ tables }

func (p *printSchema) Run(e environment) error {
	o := p.options("")
	_, err := io.WriteString(e.out, strings.Join(o.Schema(), ";\n\n")+";\n")
	return err
}

type migrateTables struct {
	tables

	Clickhouse dsn `env:"SIGHTLINE_CLICKHOUSE" required:"" placeholder:"ADDRESS|@FILE" help:"ClickHouse, such as clickhouse://name:password@host:9000/database, or http:// with port 8123."`
}

func (m *migrateTables) Run(ctx context.Context, e environment) (err error) {
	o := m.options(m.Clickhouse)
	o.Logger = slog.New(slog.NewTextHandler(e.errs, nil))
	s, err := clickhouse.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.out, "the tables exist and are up to date")
	return err
}

// copyEvents copies all rows of a data folder to ClickHouse, or its records to PostgreSQL, and verifies the copy.
type copyEvents struct {
	tables

	Data   string `env:"SIGHTLINE_DATA" default:"./sightline-data" help:"Data folder to copy; a server may be running on it."`
	To     dsn    `env:"SIGHTLINE_CLICKHOUSE" placeholder:"ADDRESS|@FILE|duckdb" help:"ClickHouse, such as clickhouse://name:password@host:9000/database, or http:// with port 8123. duckdb: copy the SQLite file of a program without cgo to a DuckDB file in the same folder."`
	Meta   dsn    `placeholder:"ADDRESS|@FILE" help:"Copy the records (keys, websites, flags, audit and so on) instead of the events, into an empty PostgreSQL database, such as postgres://name:password@host/database?search_path=schema. Stop the server first."`
	Verify bool   `help:"Only compare; change nothing."`
	Before day    `placeholder:"DAY" help:"Leave out rows of this UTC day and later days, such as 2026-11-21."`
	Follow bool   `help:"Go on copying new rows while the server runs. When the server stops, copy the last rows and end."`
	Rows   int    `default:"20000" help:"Number of rows to hold in memory and store at a time."`
}

func (c *copyEvents) Validate() error {
	if c.Meta != "" {
		if c.Follow || !c.Before.IsZero() {
			return errors.New("--meta copies all records of a folder without a server: leave out --follow and --before")
		}
		return nil
	}
	if c.To == "" {
		return errors.New("--to is empty: name the database for the events, or copy the records with --meta")
	}
	if c.Rows < 0 {
		return errors.New("--rows is negative")
	}
	if c.Follow && (c.Verify || !c.Before.IsZero()) {
		return errors.New("--follow copies all rows: leave out --verify and --before")
	}
	if c.To == toDuckDB && (c.Follow || c.Verify || !c.Before.IsZero()) {
		return errors.New("--to duckdb copies all rows of a folder without a server: leave out --follow, --verify and --before")
	}
	return nil
}

func (c *copyEvents) Run(ctx context.Context, e environment) error {
	if c.Meta != "" {
		return c.records(ctx, e)
	}
	run := c.transfer
	if c.To == toDuckDB {
		run = c.toFile
	}
	report, err := run(ctx, e)
	if ctx.Err() != nil {
		return fmt.Errorf("stopped before the end; the same command continues from here: %w", ctx.Err())
	}
	if err != nil {
		return err
	}
	if err := showCopy(e.out, c.Verify, report.Copied, report.Differences); err != nil {
		return err
	}
	if n := len(report.Differences); n > 0 {
		return fmt.Errorf("%d of %d days differ, counted per table and per website, link or monitor", n, report.Days)
	}
	_, err = fmt.Fprintf(e.out, "verified: %d rows of %d websites, links and monitors are the same on both sides\n",
		report.Rows, report.Subjects)
	return err
}

func (c *copyEvents) transfer(ctx context.Context, e environment) (_ transfer.Report, err error) {
	log := slog.New(slog.NewTextHandler(e.errs, nil))
	from, closeFrom, err := openSource(ctx, c.Data, log, e.now)
	if err != nil {
		return transfer.Report{}, err
	}
	defer func() { err = errors.Join(err, closeFrom(context.WithoutCancel(ctx))) }()
	o := c.options(c.To)
	o.Logger, o.WriteTimeout, o.MaxExecutionTime = log, time.Minute, 10*time.Minute
	target, err := install.OpenClickHouse(ctx, o)
	if err != nil {
		return transfer.Report{}, fmt.Errorf("--to: %w", err)
	}
	defer func() { err = errors.Join(err, target.Close(context.WithoutCancel(ctx))) }()
	how := transfer.Options{Before: c.Before.Time, Rows: c.Rows, Progress: progressOn(e.errs, e.now)}
	if c.Verify {
		return transfer.Verify(ctx, from, target, how)
	}
	// The note is read before the copy: the demo may then write some rows again, but no rows can be missing.
	note, noteErr := os.ReadFile(filepath.Join(c.Data, install.ProgressFile))
	running, ok := from.(*control.Client)
	var report transfer.Report
	if c.Follow && ok {
		report, err = c.follow(ctx, e, running, target, how)
	} else {
		report, err = transfer.Copy(ctx, from, target, how)
	}
	if err != nil || len(report.Differences) > 0 {
		return report, err
	}
	if !c.Follow { // with it, the old days are sealed already, and a server shall start at once
		if err := sealCopied(ctx, target, e); err != nil {
			return report, fmt.Errorf("the rows are copied, but their days are not sealed: %w", err)
		}
	}
	if errors.Is(noteErr, fs.ErrNotExist) || !c.Before.IsZero() {
		return report, nil
	}
	if noteErr != nil {
		return report, noteErr
	}
	return report, atomicfile.Replace(filepath.Join(c.Data, install.ClickHouseProgressFile), note)
}

// sealCopied seals the days of the target, so that answers are fast when the command ends.
func sealCopied(ctx context.Context, target store.Store, e environment) error {
	engine, err := query.New(query.Config{Store: target, Now: e.now})
	if err != nil {
		return err
	}
	sealer := query.NewSealer(engine)
	if sealer == nil {
		return engine.Close(ctx)
	}
	var shown time.Time
	sealer.Progress = func(left query.Backlog) {
		if now := e.now(); now.Sub(shown) >= time.Second {
			shown = now
			_, _ = fmt.Fprintf(e.errs, "sealing: %d days, and the stored states of %d, are left\n", left.Days,
				left.States)
		}
	}
	err = sealer.Finish(ctx)
	if left := sealer.Backlog(); err == nil && left != (query.Backlog{}) {
		_, _ = fmt.Fprintf(e.errs,
			"not sealed yet: %d days, and the stored states of %d; a server seals them within minutes\n", left.Days,
			left.States)
	}
	return errors.Join(err, engine.Close(context.WithoutCancel(ctx)))
}

// openSource opens the data of a folder: through the server that runs on it, or else directly.
func openSource(ctx context.Context, dir string, log *slog.Logger, now func() time.Time) (transfer.Source,
	func(context.Context) error, error) {
	if err := install.CheckAccess(dir); err != nil {
		return nil, nil, err
	}
	if exists, err := install.Exists(dir, install.EventsFile); err != nil {
		return nil, nil, err
	} else if !exists {
		return nil, nil, fmt.Errorf("no data: %s does not exist", filepath.Join(dir, install.EventsFile))
	}
	if running := control.Dial(ctx, filepath.Join(dir, install.SocketFile)); running != nil {
		return running, running.Close, nil
	}
	s, err := install.OpenFile(ctx, dir, embedded.Config{Now: now, Logger: log})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// progressOn writes a line about the progress every half second.
func progressOn(to io.Writer, now func() time.Time) func(transfer.Progress) {
	var shown time.Time
	return func(p transfer.Progress) {
		at := now()
		if at.Sub(shown) < 500*time.Millisecond {
			return
		}
		shown = at
		if p.Total == 0 {
			_, _ = fmt.Fprintf(to, "%s: %d rows, %s %s\n", p.Stage, p.Done, p.Subject.Kind, p.Subject.ID)
			return
		}
		_, _ = fmt.Fprintf(to, "%s: %3d %%, %d of %d rows, %s %s\n", p.Stage, p.Done*100/p.Total, p.Done, p.Total,
			p.Subject.Kind, p.Subject.ID)
	}
}

// showCopy prints the number of rows that a copy copied, unless it only verified, and each difference.
func showCopy[D any](out io.Writer, verified bool, copied int64, differences []D) error {
	text := ""
	if !verified {
		text = fmt.Sprintf("copied now: %d rows\n", copied)
	}
	for _, d := range differences {
		text += fmt.Sprintf("differs: %v\n", d)
	}
	_, err := io.WriteString(out, text)
	return err
}
