//go:build cgo

package bench

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// A load has the results of loading the rows.
type load struct {
	Events      int
	Batch       int     // rows per commit
	Seconds     float64 // time to write all rows; 0: not measured
	First, Last float64 // events per second in the first and the last tenth
	Sealing     float64 // seconds to seal all days, without pauses
	Moving      float64 // seconds to sort old rows, without pauses
	Bytes       int64   // on disk, in blocks in use
}

// A mark is a point in the progress of a load.
type mark struct {
	events int
	spent  time.Duration // time spent in Write
}

// rate returns events per second.
func rate(from, to mark) float64 {
	return float64(to.events-from.events) / (to.spent - from.spent).Seconds()
}

// fill writes the rows of t to a new file, with a number of rows per commit.
func fill(ctx context.Context, file string, t traffic, size int) (load, error) {
	for _, old := range []string{file, file + ".wal"} { // from a run that was stopped
		if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
			return load{}, err
		}
	}
	// with a stopped clock there are no pauses
	s, err := duckdb.Open(ctx, duckdb.Config{Path: file, Now: func() time.Time { return end }})
	if err != nil {
		return load{}, err
	}
	marks, now := []mark{{}}, mark{}
	for batch := range t.batches(size) {
		began := time.Now()
		if _, err := s.Write(ctx, batch); err != nil {
			return load{}, errors.Join(err, s.Close(context.Background()))
		}
		now = mark{now.events + batch.Len(), now.spent + time.Since(began)}
		marks = append(marks, now)
	}
	sealing, err := sealAll(ctx, s)
	if err := errors.Join(err, s.Close(context.Background())); err != nil {
		return load{}, err
	}
	moved, err := moveAll(ctx, file)
	if err != nil {
		return load{}, err
	}
	used, err := usedBytes(ctx, file)
	if err != nil {
		return load{}, err
	}
	last := len(marks) - 1
	tenth := max(1, last/10)
	return load{Events: now.events, Batch: size, Seconds: now.spent.Seconds(), First: rate(marks[0], marks[tenth]),
		Last: rate(marks[last-tenth], now), Sealing: sealing.Seconds(), Moving: moved.Seconds(), Bytes: used}, nil
}

// moveAll sorts old rows. It opens the file again, because sealing without pauses leaves little memory.
func moveAll(ctx context.Context, file string) (time.Duration, error) {
	s, err := duckdb.Open(ctx, duckdb.Config{Path: file, Now: func() time.Time { return end }})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = s.Maintain(ctx)
	took := time.Since(began)
	return took, errors.Join(err, s.Close(context.Background()))
}

// usedBytes returns the size of the blocks in use. Moved rows leave free blocks, which later rows use.
func usedBytes(ctx context.Context, file string) (used int64, err error) {
	db, err := sql.Open("duckdb", file+"?access_mode=read_only")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.QueryRowContext(ctx, "SELECT block_size * used_blocks FROM pragma_database_size()").Scan(&used)
	return used, err
}

// sealAll seals all days with rows, and the days that depend on them.
func sealAll(ctx context.Context, s *duckdb.Store) (time.Duration, error) {
	began := time.Now()
	e, err := query.New(query.Config{Store: s})
	if err != nil {
		return 0, err
	}
	for i := range websites {
		of := store.Subject{Kind: store.KindWebsite, ID: websiteID(i)}
		days, err := s.Days(ctx, of, time.Unix(0, 0), end.AddDate(1, 0, 0))
		if err != nil {
			return 0, err
		}
		if len(days) == 0 {
			continue
		}
		atOnce := 30
		for day, last := days[0].Start, days[len(days)-1].Start.AddDate(0, 0, 4); day.Before(last); {
			next := day.AddDate(0, 0, atOnce)
			switch err := e.Seal(ctx, of, day, next); {
			case err == nil:
				day = next
			case atOnce > 1: // one statement would need too much memory
				atOnce /= 2
			default:
				return 0, err
			}
		}
	}
	return time.Since(began), nil
}
