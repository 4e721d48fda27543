//go:build cgo

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/transfer"
)

// A move is what copy was asked to do.
type move struct {
	dir    string
	to     clickhouse.Options
	verify bool
	before time.Time
	rows   int
}

// copyRows carries all rows of a data folder over to ClickHouse, and verifies.
func copyRows(ctx context.Context, args []string, to streams) error {
	m, err := readMove(args, to)
	if err != nil {
		return err
	}
	report, err := m.run(ctx, to)
	if ctx.Err() != nil {
		return fmt.Errorf("ended before it was done; the same command goes on from here: %w", ctx.Err())
	}
	if err != nil {
		return err
	}
	if !m.verify {
		if _, err := fmt.Fprintf(to.out, "carried over now: %d rows\n", report.Copied); err != nil {
			return err
		}
	}
	for _, d := range report.Differences {
		if _, err := fmt.Fprintf(to.out, "differs: %s\n", d); err != nil {
			return err
		}
	}
	if n := len(report.Differences); n > 0 {
		return fmt.Errorf("not the same: %d of %d days, counted by table and by website, link or monitor", n, report.Days)
	}
	_, err = fmt.Fprintf(to.out, "verified: %d rows of %d websites, links and monitors are the same on both sides\n", report.Rows, report.Subjects)
	return err
}

func readMove(args []string, to streams) (move, error) {
	var m move
	set := flag.NewFlagSet("copy", flag.ContinueOnError)
	set.StringVar(&m.dir, "data", defaultData, "`folder` of the data to carry over; a server may be running on it")
	set.StringVar(&m.to.DSN, "to", "", clickhouseHelp+"; required")
	tableFlags(set, "", &m.to)
	set.BoolVar(&m.verify, "verify", false, "compare only; change nothing")
	set.Func("before", "leave out the rows of this UTC `day` and later, as 2026-11-21", func(text string) (err error) {
		if m.before, err = time.Parse(time.DateOnly, text); err != nil {
			return errors.New("not a day like 2026-11-21")
		}
		return nil
	})
	set.IntVar(&m.rows, "rows", 0, "how many `rows` are held in memory and stored at a time; 0 is 20000")
	if err := parse(set, args, to); err != nil {
		return m, err
	}
	switch {
	case m.to.DSN == "":
		return m, &usageError{set.Name(), errors.New("--to is required")}
	case m.rows < 0:
		return m, &usageError{set.Name(), errors.New("--rows is negative")}
	}
	return m, nil
}

func (m *move) run(ctx context.Context, to streams) (_ transfer.Report, err error) {
	log := slog.New(slog.NewTextHandler(to.err, nil))
	from, closeFrom, err := openSource(ctx, m.dir, log)
	if err != nil {
		return transfer.Report{}, err
	}
	defer func() { err = errors.Join(err, closeFrom()) }()
	o := m.to
	o.Logger, o.WriteTimeout, o.MaxExecutionTime = log, time.Minute, 10*time.Minute
	target, err := openClickHouse(ctx, o)
	if err != nil {
		return transfer.Report{}, fmt.Errorf("--to: %w", err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	how := transfer.Options{Before: m.before, Rows: m.rows, Progress: reportTo(to.err, time.Now)}
	if m.verify {
		return transfer.Verify(ctx, from, target, how)
	}
	// The note comes first: rows that the demo adds meanwhile may be there twice as
	// writes, but not be missing.
	note, noteErr := os.ReadFile(filepath.Join(m.dir, progressFile))
	report, err := transfer.Copy(ctx, from, target, how)
	if err != nil || noteErr != nil || len(report.Differences) > 0 || !m.before.IsZero() {
		return report, err
	}
	return report, replace(filepath.Join(m.dir, clickhouseProgressFile), note)
}

// openSource opens the data of a folder: through the server that runs on it, or by itself.
func openSource(ctx context.Context, dir string, log *slog.Logger) (transfer.Source, func() error, error) {
	file := filepath.Join(dir, analyticsFile)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("no data: there is no %s", file)
	}
	if r := dialServer(ctx, dir); r != nil {
		return r, r.close, nil
	}
	s, err := openFile(ctx, dir, log, time.Now)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// reportTo writes how far it came to a line each half second.
func reportTo(to io.Writer, now func() time.Time) func(transfer.Progress) {
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
		_, _ = fmt.Fprintf(to, "%s: %3d %%, %d of %d rows, %s %s\n", p.Stage, p.Done*100/p.Total, p.Done, p.Total, p.Subject.Kind, p.Subject.ID)
	}
}
