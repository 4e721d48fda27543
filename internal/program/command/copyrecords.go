package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/internal/program/control"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store/meta"
)

// records copies the records of a folder to PostgreSQL.
func (c *copyEvents) records(ctx context.Context, e environment) error {
	if err := (&records{dataFlags: dataFlags{Data: c.Data}}).needData(); err != nil {
		return err
	}
	if err := install.CheckRestored(c.Data); err != nil {
		return err
	}
	if running := control.Dial(ctx, filepath.Join(c.Data, install.SocketFile)); running != nil {
		return errors.Join(fmt.Errorf("a server runs on %s, and its records must not change meanwhile: stop it first", c.Data),
			running.Close(ctx))
	}
	log := slog.New(slog.NewTextHandler(e.errs, nil))
	shown := e.now()
	report, err := meta.Copy(ctx, meta.CopyConfig{
		From:       meta.Config{Path: filepath.Join(c.Data, install.RecordsFile), Now: e.now, Logger: log},
		To:         meta.Config{DSN: string(c.Meta), Now: e.now, Logger: log, Timeout: time.Minute},
		VerifyOnly: c.Verify,
		Progress: func(table string, rows int64) {
			if now := e.now(); now.Sub(shown) >= time.Second {
				shown = now
				_, _ = fmt.Fprintf(e.errs, "%s: %d rows\n", table, rows)
			}
		},
	})
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("stopped before the end; the same command continues from here: %w", ctx.Err())
	case errors.Is(err, meta.ErrSourceInUse):
		return fmt.Errorf("%s is in use by another process; stop the server and other commands first",
			filepath.Join(c.Data, install.RecordsFile))
	case errors.Is(err, meta.ErrNotEmpty):
		return errors.New("--meta: the database has other records already; name an empty database, or an empty schema with ?search_path=SCHEMA")
	case err != nil:
		return err
	}
	if err := showCopy(e.out, c.Verify, report.Copied, report.Differences); err != nil {
		return err
	}
	if n := len(report.Differences); n > 0 {
		return fmt.Errorf("%d of %d tables differ", n, report.Tables)
	}
	_, err = fmt.Fprintf(e.out, "verified: %d rows of %d tables are the same on both sides\n", report.Rows, report.Tables)
	return err
}
