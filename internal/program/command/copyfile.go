package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/store/embedded"
)

// toDuckDB is the value of copy --to for a DuckDB file beside a SQLite file.
const toDuckDB = "duckdb"

// toFile copies the events of a program without cgo to the file of this program. The file gets its name when it is
// complete. A copy that was stopped continues.
func (c *copyEvents) toFile(ctx context.Context, e environment) (report transfer.Report, err error) {
	log := slog.New(slog.NewTextHandler(e.errs, nil))
	from, to, err := embedded.OpenBoth(ctx, embedded.Config{Folder: c.Data, Now: e.now, Logger: log})
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, from.Close(context.WithoutCancel(ctx))) }()
	report, err = copyBetween(ctx, from, to, transfer.Options{Rows: c.Rows, Progress: progressOn(e.errs, e.now)})
	err = errors.Join(err, to.Close(context.WithoutCancel(ctx)))
	if err != nil || len(report.Differences) > 0 {
		return report, err
	}
	return report, os.Rename(filepath.Join(c.Data, embedded.PartFile), filepath.Join(c.Data, embedded.File))
}

func copyBetween(ctx context.Context, from, to embedded.Store, how transfer.Options) (transfer.Report, error) {
	target, ok := to.(transfer.Target)
	if !ok {
		return transfer.Report{}, fmt.Errorf("%T cannot store rows of another store", to)
	}
	return transfer.Copy(ctx, from, target, how)
}
