package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Days implements [store.Deriver].
func (s *Store) Days(ctx context.Context, subject store.Subject, from, to time.Time) ([]store.Day, error) {
	if err := s.usable(ctx); err != nil || !from.Before(to) {
		return nil, err
	}
	return s.ledger.Days(s.ledger.Number(subject), schema.DayOf(from.UnixMilli()), schema.LastDay(to)), nil
}

// Websites implements [store.Deriver].
func (s *Store) Websites(ctx context.Context) (map[store.Subject]uint64, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return s.ledger.Websites(), nil
}

// change runs do in a transaction that may write, on the connection for sealing, and then publish. The writer waits
// meanwhile.
func (s *Store) change(ctx context.Context, c *conn, do func() error, publish func()) error {
	if !s.cfg.memory() { // else c is also the connection of the writer
		w, err := s.take(ctx, s.writing)
		if err != nil {
			return err
		}
		defer func() { s.writing <- w }()
	}
	if err := c.transact(do); err != nil {
		return err
	}
	publish()
	return nil
}

// Seal implements [store.Deriver]. It first computes all results and stores them in temporary tables, beside
// queries and writes. Then it copies them, in a transaction for which writes wait. Only one call of Seal, Erase,
// SaveStates and DropStates runs at a time.
func (s *Store) Seal(ctx context.Context, d store.Derivation) error { return s.seal(ctx, d, nil) }

// Reseal implements [store.Resealer] as Seal does, for the session ids that changed selects.
func (s *Store) Reseal(ctx context.Context, d store.Derivation, changed store.Statement) error {
	return s.seal(ctx, d, &changed)
}

// seal computes all session ids or, unless changed is nil, the ids that it selects.
func (s *Store) seal(ctx context.Context, d store.Derivation, changed *store.Statement) error {
	if err := errors.Join(schema.CheckRows(d), s.space.Check()); err != nil {
		return fmt.Errorf("sqlite: seal: %w", err)
	}
	c, err := s.take(ctx, s.sealing)
	if err != nil {
		return err
	}
	defer func() { s.sealing <- c }()
	ctx, cancel := s.until(ctx)
	defer cancel()
	number, first, last, version := s.ledger.Number(d.Subject), schema.DayOf(d.From.UnixMilli()), schema.LastDay(d.To),
		s.ledger.Latest()
	if number == ledger.Unknown {
		return nil // there are no rows
	}
	if changed != nil && s.ledger.Unsealed(number, first, last) {
		return fmt.Errorf("sqlite: reseal: %w: one of the days has no seal", store.ErrUnavailable)
	}
	defer func() { // an old table would fail the next call
		for _, table := range temporary() {
			_ = c.exec("DROP TABLE IF EXISTS temp." + table)
		}
	}()
	statements := d.Rows
	if changed != nil {
		statements = append(slices.Clip(statements), *changed)
	}
	if err = s.compute(ctx, c, statements); err == nil {
		err = s.change(ctx, c, func() error { return copySealed(ctx, c, number, first, last, version, changed != nil) },
			func() { s.ledger.Seal(number, first, last, version) })
	}
	if err != nil {
		return errors.Join(ctx.Err(), fmt.Errorf("sqlite: seal: %w", explain(err)))
	}
	return nil
}

// temporary returns the tables that Seal makes: one with new rows for each sealed table, and one with the ids that
// changed.
func temporary() (all []string) {
	for _, t := range schema.SealedTables() {
		all = append(all, "new_"+t.Name)
	}
	return append(all, "changed_ids")
}

// compute stores the results of statements in the temporary tables, all from the same rows.
func (s *Store) compute(ctx context.Context, c *conn, statements []store.Statement) error {
	if err := c.exec("BEGIN"); err != nil {
		return err
	}
	tables := temporary()
	var err error
	for i, stmt := range statements {
		args, fault := s.bind(stmt.Args)
		if err = fault; err == nil {
			_, err = c.raw.ExecContext(ctx, "CREATE TEMP TABLE "+tables[i]+" AS "+stmt.SQL, args)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		_ = c.exec("ROLLBACK")
		return err
	}
	return c.exec("COMMIT")
}

// copySealed replaces the sealed rows of a subject's days by the rows of the temporary tables. If changed is set, it
// only replaces rows of the ids that changed.
func copySealed(ctx context.Context, c *conn, subject, first, last int64, version uint64, changed bool) error {
	sealings, err := c.number("UPDATE settings SET sealings = sealings + 1 RETURNING sealings")
	if err != nil {
		return err
	}
	for _, t := range schema.SealedTables() {
		ids := ""
		if changed {
			ids = " AND session_hash IN (SELECT session_hash FROM temp.changed_ids)"
		}
		if err := forgetDays(ctx, c, &t, subject, first, last, ids); err != nil {
			return err
		}
		names := t.ColumnNames()
		for i := range names {
			names[i] = quoted(names[i])
		}
		all := strings.Join(names, ", ")
		if _, err := c.raw.ExecContext(ctx,
			fmt.Sprintf("INSERT INTO main.%s(subject, number, %s) SELECT ?, ? + rowid, %s FROM temp.new_%s", t.Name,
				all, all, t.Name),
			arguments([]any{subject, sealings << rowBits})); err != nil {
			return err
		}
	}
	for day := first; day <= last; day++ {
		// it fits: commits are numbered from 1
		if _, err := c.change(ctx, "INSERT OR REPLACE INTO seals VALUES (?, ?, ?)",
			arguments([]any{subject, day, int64(version)})); err != nil {
			return err
		}
	}
	return nil
}
