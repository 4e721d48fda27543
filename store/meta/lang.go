package meta

import (
	"context"
	"database/sql"

	sq "github.com/Masterminds/squirrel"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// use is the purpose of a connection pool.
type use int

const (
	writing use = iota
	reading     // changes no record
)

// lang describes the differences between databases.
type lang struct {
	migrations  goose.Dialect
	placeholder sq.PlaceholderFormat
	isolation   sql.IsolationLevel // of every transaction
	// locker prevents concurrent migrations by other processes. If it is nil, concurrent migrations can fail and
	// are retried.
	locker func(*sql.DB) lock.SessionLocker

	check func(Config) error                 // checks Path or DSN
	name  func(Config) string                // returns the place of the records, without a password
	open  func(Config, use) (*sql.DB, error) // returns a bounded pool that does not connect yet
	// inspect creates the file if it is missing. It calls checkTables with connections that cannot change
	// anything, unless the file is new. read is the pool for reading.
	inspect func(c Config, read *sql.DB, checkTables func(*sql.DB) error) error

	// bound sets the bounds of a transaction that has begun. Nil means that connections have them.
	bound func(context.Context, Config, *sql.Tx) error

	usable func(context.Context, *sql.DB) error // returns an error if the database cannot store records
	tables string                               // a query for the tables that must not belong to another program

	forUpdate string // ends a SELECT: locks the rows against changes and other locks until the transaction ends
	forShare  string // ends a SELECT: locks the rows against deletion until the transaction ends
	byBytes   string // follows a text in ORDER BY: sorts by bytes in every locale

	// A transaction destroys salts by emptying their table, because deleted rows may stay in files.
	lockSalts  string // locks the table until the transaction ends; empty if transactions exclude each other anyway
	clearSalts string
	// settle removes deleted rows from places other than the tables. It reports whether it succeeded.
	settle func(context.Context, *sql.DB) (bool, error)

	rewrite []string // statements that rewrite tables without the bytes of deleted rows

	// lost reports whether a connection broke before the answer to its statement. Another connection may work.
	lost func(error) bool
	// inDoubt reports whether a failed commit may have been stored.
	inDoubt func(error) bool
	// fault returns the kind of an error: an error of package store, ErrExists, or nil for others.
	fault func(error) error
}

// langOf returns the lang of the database in c.
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
		isolation:   sql.LevelDefault, // serializable
		check:       checkPath,
		name:        func(c Config) string { return c.Path },
		open:        openSQLite,
		inspect:     inspectFile,
		usable:      undamaged,
		tables:      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
		clearSalts:  "DELETE FROM salts", // secure_delete overwrites the bytes
		settle:      truncateLog,
		lost:        func(error) bool { return false },
		inDoubt:     func(error) bool { return false }, // a failed commit is rolled back
		fault:       sqliteFault,
	}
}

// postgres accepts tables of the host in the same schema. It rejects a schema in which another program has tables
// with names of this package.
func postgres() lang {
	return lang{
		migrations:  goose.DialectPostgres,
		placeholder: sq.Dollar,
		isolation:   sql.LevelReadCommitted, // whatever the database's default is
		locker:      func(db *sql.DB) lock.SessionLocker { return &migrationLock{db: db} },
		bound:       boundTransaction,
		check:       checkDSN,
		name:        nameOfDSN,
		open:        openPostgres,
		inspect:     func(_ Config, read *sql.DB, checkTables func(*sql.DB) error) error { return checkTables(read) },
		usable:      hasSchema,
		tables: "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema() " +
			"AND tablename IN ('" + versionTable + "', 'websites', 'links', 'monitors')",
		forUpdate:  "FOR UPDATE",
		forShare:   "FOR KEY SHARE",
		byBytes:    ` COLLATE "C"`,
		lockSalts:  "LOCK TABLE salts IN ACCESS EXCLUSIVE MODE",
		clearSalts: "TRUNCATE TABLE salts", // gives the table a new file
		settle:     func(context.Context, *sql.DB) (bool, error) { return true, nil },
		rewrite:    []string{"VACUUM (FULL) profiles"}, // gives the table a new file
		lost:       postgresLost,
		inDoubt:    postgresInDoubt,
		fault:      postgresFault,
	}
}
