package meta

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

var (
	// ErrUnfinishedCopy: a [Copy] into this database was stopped before its end. Only the same copy may open it.
	ErrUnfinishedCopy = errors.New("store/meta: the records are an unfinished copy")
	// ErrNotEmpty: the target of a [Copy] has other records than the source already.
	ErrNotEmpty = errors.New("store/meta: the target has other records already")
	// ErrSourceInUse: another process has opened the source of a [Copy], which may not change meanwhile.
	ErrSourceInUse = errors.New("store/meta: another process has opened the records to copy")
)

// These facts identify a copy. Its source keeps an id until the copy is verified, so that a copy that was stopped
// finds its target again. The target has the same id until it is complete.
const (
	factCopySource = "meta:copy-source"
	factCopyTarget = "meta:copy-target"
)

// CopyConfig names the source and the target of [Copy].
type CopyConfig struct {
	From Config // Path is required
	To   Config // DSN is required
	// VerifyOnly compares, and copies nothing.
	VerifyOnly bool
	// Progress receives the name of a table, and the number of rows that were copied or of its rows that were compared
	// so far. Nil means none.
	Progress func(table string, rows int64)
}

// A CopyReport is the result of [Copy].
type CopyReport struct {
	Tables int
	Rows   int64 // of the source
	Copied int64 // in this call
	// Differences has a line for each table that is not equal on both sides. It is empty if the copy is complete.
	Differences []string
}

// Copy copies all records of a SQLite file into an empty schema of PostgreSQL, and compares every row afterwards. Their
// keys, tokens and audit trail then work with the same pepper. If it is stopped at any moment, the next call continues;
// until then [Open] returns [ErrUnfinishedCopy] for the target. No other process may have opened the file. Its error
// wraps [ErrNotEmpty], [ErrSourceInUse], or an error of Open.
func Copy(ctx context.Context, cfg CopyConfig) (report CopyReport, err error) {
	if cfg.From.Path == "" || cfg.To.DSN == "" {
		return report, errors.New("store/meta: a copy needs From.Path and To.DSN")
	}
	from, err := Open(ctx, cfg.From) // migrates older tables
	if err != nil {
		return report, err
	}
	if err := from.Close(ctx); err != nil {
		return report, err
	}
	c := copying{CopyConfig: cfg, report: &report}
	if c.from, err = openAlone(ctx, from.cfg); err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, c.from.Close()) }()
	cfg.To.isCopy, cfg.To.Pepper = true, auth.Pepper{} // the source has the mark of the pepper
	if c.to, err = Open(ctx, cfg.To); err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, c.to.Close(context.WithoutCancel(ctx))) }()
	if c.tables, err = copiedTables(ctx, c.from); err != nil {
		return report, fmt.Errorf("store/meta: copy: %w", err)
	}
	report.Tables = len(c.tables)
	return report, c.run(ctx)
}

// openAlone opens a file so that no other connection can use it until it is closed. A file that another process has
// open cannot be opened in this way, even if that process does nothing with it.
func openAlone(ctx context.Context, cfg Config) (*sql.DB, error) {
	db, err := openSource(1, source(cfg, "", "locking_mode(EXCLUSIVE)", "synchronous(FULL)"))
	if err != nil {
		return nil, err
	}
	if _, err = texts(ctx, db, "SELECT name FROM sqlite_master LIMIT 1"); err == nil {
		return db, nil
	}
	err = kind(ctx, sqlite(), err)
	if errors.Is(err, store.ErrUnavailable) {
		err = fmt.Errorf("%w: %w", ErrSourceInUse, err)
	}
	return nil, errors.Join(err, db.Close())
}

// A copying is one call of Copy.
type copying struct {
	CopyConfig

	from   *sql.DB
	to     *Store
	tables []copiedTable
	report *CopyReport
}

func (c *copying) run(ctx context.Context) error {
	if !c.VerifyOnly {
		if err := c.fill(ctx); err != nil {
			return err
		}
	}
	differences, err := c.compare(ctx)
	if err != nil {
		return err
	}
	c.report.Differences = nil
	for i, d := range differences {
		if d != (difference{}) {
			c.report.Differences = append(c.report.Differences, fmt.Sprintf(
				"%s: %d rows are missing there, %d are only there, %d have other contents", c.tables[i].name, d.missing, d.extra,
				d.changed))
		}
	}
	if c.VerifyOnly || len(c.report.Differences) > 0 {
		return nil
	}
	if err := c.to.insert(ctx, "end the copy", "", c.forget(c.to.sql)); err != nil {
		return err
	}
	query, args, err := c.forget(sq.StatementBuilder).ToSql()
	if err == nil {
		_, err = c.from.ExecContext(ctx, query, args...)
	}
	return wrapCopy(err)
}

// forget returns the statement that removes the marks of a copy.
func (*copying) forget(b sq.StatementBuilderType) sq.DeleteBuilder {
	return b.Delete("facts").Where(sq.Eq{"name": []string{factCopySource, factCopyTarget}})
}

// fill copies the rows that the target does not have.
func (c *copying) fill(ctx context.Context) error {
	id, err := c.id(ctx)
	if err != nil {
		return err
	}
	before, err := c.to.Fact(ctx, factCopyTarget)
	if err != nil {
		return err
	}
	differences, err := c.compare(ctx)
	if err != nil {
		return err
	}
	var all difference
	for _, d := range differences {
		all.missing, all.extra, all.changed = all.missing+d.missing, all.extra+d.extra, all.changed+d.changed
	}
	switch {
	case before != id && all == (difference{}):
		return nil // this copy was complete, and was stopped before it could say so
	case before != id && (before != "" || all.missing < c.report.Rows || all.extra > 0):
		return fmt.Errorf("%w: use an empty database or schema", ErrNotEmpty)
	case before != id:
		err = c.to.SetFact(ctx, factCopyTarget, id)
	case all.extra > 0 || all.changed > 0:
		err = c.empty(ctx, id) // the source has changed since the copy was stopped
	}
	if err != nil {
		return err
	}
	for _, t := range c.tables {
		if err := c.fillTable(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// id returns the id of the copies of the source.
func (c *copying) id(ctx context.Context) (string, error) {
	const insert = "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
	if _, err := c.from.ExecContext(ctx, insert, factCopySource, rand.Text()); err != nil {
		return "", wrapCopy(err)
	}
	id, err := texts(ctx, c.from, "SELECT value FROM facts WHERE name = '"+factCopySource+"'")
	if err == nil && len(id) != 1 {
		err = store.ErrCorrupt
	}
	if err != nil {
		return "", wrapCopy(err)
	}
	return id[0], nil
}

// empty removes all rows of the target, which is a copy with an id.
func (c *copying) empty(ctx context.Context, id string) error {
	all := "TRUNCATE TABLE "
	for i, t := range c.tables {
		if i > 0 {
			all += ", "
		}
		all += t.name
	}
	return c.to.update(ctx, "empty the copy", func(ctx context.Context, db querier) error {
		if _, err := db.ExecContext(ctx, all); err != nil {
			return err
		}
		_, err := change(ctx, db, c.to.sql.Insert("facts").Columns("name", "value").Values(factCopyTarget, id))
		return err
	})
}

// A copied transaction has at most so many rows, and stops growing at so many bytes of texts.
const (
	copyRows  = 500
	copyBytes = 1 << 20
)

func (c *copying) fillTable(ctx context.Context, t copiedTable) error {
	var rows [][]any
	size := 0
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		q := c.to.sql.Insert(t.name).Columns(t.names()...)
		for _, row := range rows {
			q = q.Values(row...)
		}
		if err := c.to.insert(ctx, "copy table "+t.name, "", q); err != nil {
			return err
		}
		c.report.Copied += int64(len(rows))
		rows, size = nil, 0
		c.progress(t.name, c.report.Copied)
		return nil
	}
	_, _, err := c.walk(ctx, t, func(row []any) error {
		for _, value := range row {
			text, _ := value.(string)
			size += len(text)
		}
		if rows = append(rows, row); len(rows) < copyRows && size < copyBytes {
			return nil
		}
		return flush()
	})
	return cmp.Or(err, flush())
}

// compare returns the differences of each table, and counts the rows of the source.
func (c *copying) compare(ctx context.Context) (all []difference, err error) {
	c.report.Rows = 0
	for _, t := range c.tables {
		rows, d, err := c.walk(ctx, t, func([]any) error { return nil })
		if err != nil {
			return nil, err
		}
		c.report.Rows += rows
		all = append(all, d)
	}
	return all, nil
}

func (c *copying) progress(table string, rows int64) {
	if c.Progress != nil {
		c.Progress(table, rows)
	}
}

func wrapCopy(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store/meta: copy: %w", err)
}
