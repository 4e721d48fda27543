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
	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/store"
)

const (
	followEvery = 2 * time.Second        // from one pass of copy --follow to the next
	openEvery   = 200 * time.Millisecond // from one attempt to open the file of a server that stops to the next
	openWithin  = 5 * time.Minute        // for these attempts
)

// follow copies from a running server until the server stops. Then it opens the file itself and copies the last rows.
// Each pass compares only the days that changed, so the last pass is short.
func (c *copyEvents) follow(ctx context.Context, e environment, running *control.Client, target transfer.Target,
	how transfer.Options) (transfer.Report, error) {
	how.Known = new(transfer.Known)
	var copied int64
	for sealed := false; ; {
		report, err := transfer.Copy(ctx, running, target, how)
		copied += report.Copied
		report.Copied = copied
		switch {
		case err != nil && ctx.Err() == nil && control.Dial(ctx, filepath.Join(c.Data, install.SocketFile)) == nil:
			return c.last(ctx, e, target, how, copied)
		case err != nil:
			return report, err
		case !sealed: // while the old server still answers
			if err := sealCopied(ctx, target, e); err != nil {
				return report, fmt.Errorf("the rows are copied, but their days are not sealed: %w", err)
			}
			sealed = true
			how.Progress = nil // later passes are short
			_, err = fmt.Fprintf(e.out, "following: %d rows copied; stop the server to copy the last rows\n", copied)
		}
		if err != nil {
			return report, err
		}
		select {
		case <-ctx.Done():
			return report, ctx.Err()
		case <-time.After(followEvery):
		}
	}
}

// last copies the rows that the server stored before it stopped. The server closes its socket first and its file later.
func (c *copyEvents) last(ctx context.Context, e environment, target transfer.Target, how transfer.Options,
	copied int64) (report transfer.Report, err error) {
	within, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	_, _ = fmt.Fprintln(e.errs, "the server has stopped; copying the last rows")
	log := slog.New(slog.NewTextHandler(e.errs, nil))
	for {
		from, closeFrom, err := openSource(within, c.Data, log, e.now)
		if running, ok := from.(*control.Client); ok && err == nil {
			return report, errors.Join(errors.New("the server has started again; the same command continues"),
				running.Close(ctx))
		}
		if err == nil {
			report, err = transfer.Copy(ctx, from, target, how)
			report.Copied += copied
			return report, errors.Join(err, closeFrom(context.WithoutCancel(ctx)))
		}
		if !errors.Is(err, store.ErrLocked) || within.Err() != nil {
			return report, err
		}
		select {
		case <-within.Done():
		case <-time.After(openEvery):
		}
	}
}
