//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// analytics is where events lie: in the data folder, or in ClickHouse.
type analytics interface {
	store.Store
	store.Writer
	Close() error
}

// openAnalytics opens the store that s names.
func openAnalytics(ctx context.Context, s settings, log *slog.Logger, now func() time.Time) (analytics, error) {
	if s.clickhouse.DSN == "" {
		return openFile(ctx, s.data, log, now)
	}
	o := s.clickhouse
	o.Now, o.Logger = now, log
	events, err := openClickHouse(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("--clickhouse: %w", err)
	}
	return events, nil
}

// openFile opens the DuckDB file of a data folder, which is there then.
func openFile(ctx context.Context, dir string, log *slog.Logger, now func() time.Time) (*duckdb.Store, error) {
	file := filepath.Join(dir, analyticsFile)
	s, err := duckdb.Open(ctx, duckdb.Config{Path: file, Now: now, Logger: log})
	if err != nil {
		return nil, explain(file, err)
	}
	return s, nil
}

// openClickHouse opens a ClickHouse store, and makes its tables when they are not there.
// A user without the right to make tables can use those that are.
func openClickHouse(ctx context.Context, o clickhouse.Options) (*clickhouse.Store, error) {
	s, err := clickhouse.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	err = s.Ping(ctx)
	if errors.Is(err, clickhouse.ErrNoSchema) {
		err = s.Migrate(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// versions is what knows when a changed, or nil.
func versions(a analytics) store.Versioner {
	v, ok := a.(store.Versioner)
	if !ok {
		return nil // not a nil of a type, which would not be nil
	}
	return v
}
