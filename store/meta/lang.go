package meta

import (
	"errors"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	sq "github.com/Masterminds/squirrel"
	"github.com/pressly/goose/v3"
	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/sightline-analytics/sightline/store"
)

// lang is all in which one relational database differs from another.
type lang struct {
	driver      string // name for database/sql
	migrations  goose.Dialect
	placeholder sq.PlaceholderFormat

	// writer and reader are the data sources of the two pools; inspector one that can
	// not change anything, not even by recovering from a crash.
	writer, reader, inspector func(Config) string

	damage   string // asks for the first sign of damage; answers ok
	tables   string // lists the names of all tables
	truncate string // empties the write-ahead log; the first column of its answer is 0 when it could

	// fault names the kind of an error: one of the errors of store, ErrExists, or nil
	// when it is none of them.
	fault func(error) error
}

func sqlite() lang {
	return lang{
		driver:      "sqlite",
		migrations:  goose.DialectSQLite3,
		placeholder: sq.Question,
		writer: func(c Config) string {
			return source(c, "", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)")
		},
		reader:    func(c Config) string { return source(c, "", "query_only(1)") },
		inspector: func(c Config) string { return source(c, "ro", "query_only(1)") },
		damage:    "PRAGMA quick_check(1)",
		tables:    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
		truncate:  "PRAGMA wal_checkpoint(TRUNCATE)",
		fault:     sqliteFault,
	}
}

// source writes a SQLite data source. Transactions are immediate: they wait for the
// write lock when they begin, where waiting helps, rather than fail half-way.
func source(c Config, mode string, pragmas ...string) string {
	path := c.Path
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	q := url.Values{"_txlock": {"immediate"}, "_dqs": {"0"}, "_error_rc": {"1"}}
	if mode != "" {
		q.Set("mode", mode)
	}
	q.Add("_pragma", "busy_timeout("+strconv.FormatInt(c.Wait.Milliseconds(), 10)+")")
	q.Add("_pragma", "trusted_schema(0)")
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	u := url.URL{Scheme: "file", Path: path, OmitHost: true, RawQuery: q.Encode()}
	return u.String()
}

func sqliteFault(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code() {
	case codes.SQLITE_CONSTRAINT_PRIMARYKEY, codes.SQLITE_CONSTRAINT_UNIQUE:
		return ErrExists
	case codes.SQLITE_CONSTRAINT_FOREIGNKEY:
		return store.ErrNotFound
	}
	switch e.Code() & 0xff { // the rest of the bits say more than is needed
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB, codes.SQLITE_FORMAT:
		return store.ErrCorrupt
	case codes.SQLITE_FULL:
		return store.ErrFull
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED, codes.SQLITE_CANTOPEN, codes.SQLITE_IOERR,
		codes.SQLITE_READONLY, codes.SQLITE_PERM, codes.SQLITE_PROTOCOL:
		return store.ErrUnavailable
	}
	return nil
}
