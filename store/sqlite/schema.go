package sqlite

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// application marks a file of this package, in the header of the file. The header also has the version of the schema,
// which is the number of migrations.
const application = 0x5367746c // "Sgtl"

// ownTables are the tables of the store itself. Days are numbered from 1970.
const ownTables = `
-- The number of every subject that ever had a row.
CREATE TABLE subject_numbers(number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, UNIQUE(kind, id));
-- The latest commit that changed a day of a subject.
CREATE TABLE versions(subject INTEGER NOT NULL, day INTEGER NOT NULL, version INTEGER NOT NULL, PRIMARY KEY(subject, day)) WITHOUT ROWID;
-- Hashes of recently received event ids, in 96 bits. day is the day of receipt.
CREATE TABLE receipts(hi INTEGER NOT NULL, lo INTEGER NOT NULL, subject INTEGER NOT NULL, day INTEGER NOT NULL, PRIMARY KEY(hi, lo)) WITHOUT ROWID;
-- A sealed day includes the rows of all commits up to version.
CREATE TABLE seals(subject INTEGER NOT NULL, day INTEGER NOT NULL, version INTEGER NOT NULL, PRIMARY KEY(subject, day)) WITHOUT ROWID;
-- States that the engine stores for days. See store.StateKeeper.
CREATE TABLE partials(subject INTEGER NOT NULL, kind INTEGER NOT NULL, number INTEGER NOT NULL, day INTEGER NOT NULL,
  version INTEGER NOT NULL, empty INTEGER NOT NULL, state BLOB NOT NULL, UNIQUE(subject, kind, number, day));
-- The days of which Expire removed rows. version is the version of the day after that. It is 0 while rows may be left.
CREATE TABLE expired(subject INTEGER NOT NULL, day INTEGER NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY(subject, day)) WITHOUT ROWID;
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
func sealedDefinition(t *schema.DayTable) string {
	columns := []string{"subject INTEGER NOT NULL", t.Day + " INTEGER NOT NULL", "number INTEGER NOT NULL"}
	for _, c := range sealedColumns(t) {
		if c.Name == t.Day {
			continue
		}
		c := column{Column: schema.Column{Kind: c.Kind}, name: c.Name}
		columns = append(columns, quoted(c.name)+" "+c.definition())
	}
	return fmt.Sprintf("CREATE TABLE %s(%s, PRIMARY KEY(subject, %s, number)) WITHOUT ROWID", t.Name,
		strings.Join(columns, ", "), t.Day)
}

// sealedColumns returns the columns of t in the order of the table: numbers come before texts.
func sealedColumns(t *schema.DayTable) []schema.SealedColumn {
	isText := func(c schema.SealedColumn) bool { return c.Kind.IsText() }
	return slices.Concat(slices.DeleteFunc(slices.Clone(t.Columns), isText),
		slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.SealedColumn) bool { return !isText(c) }))
}

// pageBytes is the size of the pages of a file. A page holds about twenty events.
const pageBytes = 8192

// migrations returns the SQL of the migrations from an empty file to the schema of this program, in order. Step i leads
// to version i+1. Never change a released step.
func migrations() ([]string, error) {
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	var first []string
	for _, t := range tables() {
		first = append(first, t.definition())
	}
	for _, t := range schema.SealedTables() {
		first = append(first, sealedDefinition(&t))
	}
	first = append(first, importedIndexes()...)
	first = append(first, ownTables, statistics, fmt.Sprintf("INSERT INTO settings VALUES (x'%x', 0)", key))
	return []string{strings.Join(first, ";\n")}, nil
}

// schemaVersion returns the version of the schema in the file, or 0 if it has no tables yet. It returns an error for a
// file of a program that knows more steps, or of another program, and changes nothing.
func schemaVersion(c *conn, steps []string) (int, error) {
	app, err := c.number("PRAGMA application_id")
	if err != nil {
		return 0, err
	}
	of, err := c.number("PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	tables, err := c.number("SELECT count(*) FROM sqlite_schema")
	switch {
	case err != nil:
		return 0, err
	case app == application && of > int64(len(steps)):
		return 0, fmt.Errorf("%w: the file has schema %d, this program knows %d", store.ErrNewerSchema, of, len(steps))
	case app == application && of > 0:
		return int(of), nil
	case app != 0 || of != 0 || tables != 0:
		return 0, fmt.Errorf("%w: the file is a database of another program", store.ErrCorrupt)
	}
	return 0, nil
}

// migrate upgrades the schema from version to the last of steps, in one transaction.
func migrate(c *conn, version int, steps []string) error {
	if version == len(steps) {
		return nil
	}
	return c.transact(func() error {
		for i, step := range steps[version:] {
			if err := c.exec(step); err != nil {
				return fmt.Errorf("schema step %d: %w", version+i+1, err)
			}
		}
		return c.exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", application, len(steps)))
	})
}

// SchemaVersion returns the version of the schema of files that this program writes. A program opens files with the
// same version and with smaller ones.
func SchemaVersion() (int, error) {
	steps, err := migrations()
	return len(steps), err
}
