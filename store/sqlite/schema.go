package sqlite

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Marks of a file of this package. SQLite stores both numbers in the file's header.
const (
	application = 0x5367746c // "Sgtl"
	version     = 1          // of the schema
)

// ownTables are the tables of the store itself. Days are numbered from 1970.
const ownTables = `
-- The number of every subject that ever had a row.
CREATE TABLE subjects(number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, UNIQUE(kind, id));
-- The latest commit that changed a day of a subject.
CREATE TABLE versions(subject INTEGER NOT NULL, day INTEGER NOT NULL, version INTEGER NOT NULL, PRIMARY KEY(subject, day)) WITHOUT ROWID;
-- Hashes of recently received event ids, in 96 bits. day is the day of receipt.
CREATE TABLE receipts(hi INTEGER NOT NULL, lo INTEGER NOT NULL, subject INTEGER NOT NULL, day INTEGER NOT NULL, PRIMARY KEY(hi, lo)) WITHOUT ROWID;
-- A sealed day includes the rows of all commits up to version.
CREATE TABLE seals(subject INTEGER NOT NULL, day INTEGER NOT NULL, version INTEGER NOT NULL, PRIMARY KEY(subject, day)) WITHOUT ROWID;
-- States that the engine stores for days. See store.StateKeeper.
CREATE TABLE states(subject INTEGER NOT NULL, name INTEGER NOT NULL, day INTEGER NOT NULL, version INTEGER NOT NULL, state BLOB NOT NULL, UNIQUE(subject, name, day));
-- hash_key is the key of the hashes of ids; each file has its own. sealings counts calls of Seal.
CREATE TABLE settings(hash_key BLOB NOT NULL, sealings INTEGER NOT NULL);
-- Finds the sessions of rows. Without it, all sessions of a question would be read for each row.
CREATE INDEX sealed_sessions_by_session ON sealed_sessions(subject, session_hash, start);`

// statistics tell SQLite how many rows there are in a table, and on average for each value of the first column of an
// index, of the first two columns, and so on. Without them it assumes that a subject has ten rows, and never uses an
// index. They are the same for every file, so that a plan does not depend on the rows that came first.
const statistics = `
ANALYZE;
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('events', 'events', '1000000 200000 2 1'),
  ('sealed_sessions', 'sealed_sessions', '200000 40000 2 1'), ('sealed_sessions', 'sealed_sessions_by_session', '200000 40000 1 1 1'),
  ('sealed_hits', 'sealed_hits', '1000000 200000 2 1'),
  ('errors', 'errors', '100000 20000 2 1'), ('vitals', 'vitals', '100000 20000 2 1'), ('spans', 'spans', '100000 20000 2 1');`

// sealedDefinition returns the SQL that creates a table with sealed rows.
func sealedDefinition(t schema.SealedTable) string {
	at := t.Columns[0].Name
	columns := []string{"subject INTEGER NOT NULL", at + " INTEGER NOT NULL", "number INTEGER NOT NULL"}
	for _, c := range sealedColumns(t)[1:] {
		c := column{Column: schema.Column{Kind: c.Kind}, name: c.Name}
		columns = append(columns, quoted(c.name)+" "+c.definition())
	}
	return fmt.Sprintf("CREATE TABLE %s(%s, PRIMARY KEY(subject, %s, number)) WITHOUT ROWID", t.Name,
		strings.Join(columns, ", "), at)
}

// sealedColumns returns the columns of t in the order of the table: numbers come before texts.
func sealedColumns(t schema.SealedTable) []schema.SealedColumn {
	isText := func(c schema.SealedColumn) bool { return c.Kind.IsText() }
	return slices.Concat(slices.DeleteFunc(slices.Clone(t.Columns), isText),
		slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.SealedColumn) bool { return !isText(c) }))
}

// pageBytes is the size of the pages of a file. A page holds about twenty events.
const pageBytes = 8192

// isEmpty reports whether the file has no tables yet. It returns an error for a file of a newer or of another program,
// and changes nothing.
func isEmpty(c *conn) (bool, error) {
	app, err := c.number("PRAGMA application_id")
	if err != nil {
		return false, err
	}
	of, err := c.number("PRAGMA user_version")
	if err != nil {
		return false, err
	}
	tables, err := c.number("SELECT count(*) FROM sqlite_schema")
	switch {
	case err != nil:
		return false, err
	case app == application && of > version:
		return false, fmt.Errorf("%w: the file has schema %d, this program knows %d", store.ErrNewerSchema, of, version)
	case app == application && of == version:
		return false, nil
	case app != 0 || of != 0 || tables != 0:
		return false, fmt.Errorf("%w: the file is a database of another program", store.ErrCorrupt)
	}
	return true, nil
}

// create creates the tables. It must run in a transaction.
func create(c *conn) error {
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	for _, t := range tables() {
		if err := c.exec(t.definition()); err != nil {
			return err
		}
	}
	for _, t := range schema.SealedTables() {
		if err := c.exec(sealedDefinition(t)); err != nil {
			return err
		}
	}
	return errors.Join(c.exec(ownTables), c.exec(statistics), c.exec("INSERT INTO settings VALUES (?, 0)", key),
		c.exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", application, version)))
}

// SchemaVersion returns the version of the schema of files that this program writes. A program does not open files with
// a larger version.
func SchemaVersion() (int, error) { return version, nil }
