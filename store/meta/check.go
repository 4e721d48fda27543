package meta

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
)

// Check looks at the records like [Open], and changes nothing. It returns the errors of Open for tables of a newer or
// of another program, for damage, for another pepper, for an unfinished copy, and if the database cannot be reached.
// The file must exist. clock is the time of the database server; it is zero for a file.
func Check(ctx context.Context, cfg Config) (clock time.Time, err error) {
	if err := cfg.check(); err != nil {
		return time.Time{}, err
	}
	if cfg.Wait == 0 {
		cfg.Wait = 5 * time.Second
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = cfg.Wait + 5*time.Second
	}
	l := langOf(cfg)
	var db *sql.DB
	if cfg.DSN == "" {
		db, err = openSource(1, source(cfg, "ro", "query_only(1)"))
	} else {
		db, err = l.open(cfg, reading)
	}
	if err != nil {
		return time.Time{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ctx, cancel := context.WithTimeoutCause(ctx, cfg.Timeout, errSlow)
	defer cancel()
	if err := checkTables(ctx, l, db, migrations()); err != nil {
		return time.Time{}, err
	}
	tables, err := texts(ctx, db, l.tables)
	var known, copied []string
	if err == nil && slices.Contains(tables, versionTable) {
		known, err = texts(ctx, db, "SELECT value FROM facts WHERE name = '"+factPepper+"'")
	}
	if err == nil && slices.Contains(tables, versionTable) {
		copied, err = texts(ctx, db, "SELECT value FROM facts WHERE name = '"+factCopyTarget+"'")
	}
	if err != nil {
		return time.Time{}, kind(ctx, l, err)
	}
	if len(copied) > 0 {
		return time.Time{}, ErrUnfinishedCopy
	}
	if err := checkPepper(strings.Join(known, ""), cfg.Pepper); err != nil || cfg.DSN == "" {
		return time.Time{}, err
	}
	var millis int64
	err = db.QueryRowContext(ctx, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT").Scan(&millis)
	if err != nil {
		return time.Time{}, kind(ctx, l, err)
	}
	return instant(millis), nil
}
