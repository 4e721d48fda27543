package meta

import (
	"context"
	"database/sql"

	sq "github.com/Masterminds/squirrel"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// use is what a pool of connections is for.
type use int

const (
	writing use = iota
	reading     // changes no record
)

// lang is all in which one relational database differs from another.
type lang struct {
	migrations  goose.Dialect
	placeholder sq.PlaceholderFormat
	isolation   sql.IsolationLevel // of every transaction
	// locker keeps other processes from migrating at the same time. Without one they may
	// trip over each other, and try again.
	locker lock.SessionLocker

	check func(Config) error                 // of where the records lie
	name  func(Config) string                // of where the records lie, without any password
	open  func(Config, use) (*sql.DB, error) // does not connect yet; the pool has its bounds
	// inspect has judge look through connections that change nothing, unless nothing is kept there
	// yet. It makes what can be made. read is the pool for reading.
	inspect func(c Config, read *sql.DB, judge func(*sql.DB) error) error

	sound  func(context.Context, *sql.DB) error // says why nothing can be kept there
	tables string                               // lists the names of all tables that may not be another program's

	forUpdate string // after a SELECT: keeps what it finds from others until the transaction ends
	forShare  string // after a SELECT: keeps others from changing what it finds until then
	byBytes   string // after a text in ORDER BY: whatever the language of the database

	// holdID keeps other transactions from holding the same text until this one ends; empty when there are none.
	holdID string

	// Salts are destroyed by clearing their table, since deleted rows may linger.
	holdSalts  string // keeps others from the table until the transaction ends; empty when they are kept out anyway
	clearSalts string
	// settle removes what the database still has of deleted rows beside its tables, and
	// reports whether it could.
	settle func(context.Context, *sql.DB) (bool, error)

	// lost reports that a connection broke before its statement was answered. Another
	// connection may work.
	lost func(error) bool
	// inDoubt reports that a commit which failed may have been made.
	inDoubt func(error) bool
	// fault names the kind of an error: one of the errors of store, ErrExists, or nil
	// when it is none of them.
	fault func(error) error
}

// langOf is that of the database which c names.
func langOf(c Config) lang {
	if c.DSN != "" {
		return postgres()
	}
	return sqlite()
}

func sqlite() lang {
	return lang{
		migrations:  goose.DialectSQLite3,
		placeholder: sq.Question,
		isolation:   sql.LevelDefault, // which is serializable
		check:       checkPath,
		name:        func(c Config) string { return c.Path },
		open:        openSQLite,
		inspect:     inspectFile,
		sound:       undamaged,
		tables:      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
		clearSalts:  "DELETE FROM salts", // whose bytes secure_delete overwrites
		settle:      truncateLog,
		lost:        func(error) bool { return false },
		inDoubt:     func(error) bool { return false }, // what fails is rolled back
		fault:       sqliteFault,
	}
}

// A schema may hold tables of the host's own; it is another program's when it has some
// of our names without being ours.
func postgres() lang {
	return lang{
		migrations:  goose.DialectPostgres,
		placeholder: sq.Dollar,
		isolation:   sql.LevelReadCommitted, // also where the database's default is another
		locker:      migrationLock{},
		check:       checkDSN,
		name:        nameOfDSN,
		open:        openPostgres,
		inspect:     func(_ Config, read *sql.DB, judge func(*sql.DB) error) error { return judge(read) },
		sound:       hasSchema,
		tables: "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema() " +
			"AND tablename IN ('" + versionTable + "', 'websites', 'links', 'monitors')",
		forUpdate:  "FOR UPDATE",
		forShare:   "FOR KEY SHARE",
		byBytes:    ` COLLATE "C"`,
		holdID:     "pg_advisory_xact_lock(7301, hashtext(?))",
		holdSalts:  "LOCK TABLE salts IN ACCESS EXCLUSIVE MODE",
		clearSalts: "TRUNCATE TABLE salts", // which gives the table a new file
		settle:     func(context.Context, *sql.DB) (bool, error) { return true, nil },
		lost:       postgresLost,
		inDoubt:    postgresInDoubt,
		fault:      postgresFault,
	}
}
