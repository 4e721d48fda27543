package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/collect"
	"github.com/sightline-analytics/sightline/store/internal/erasing"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A removal removes rows of a subject in a transaction, with their receipts and all that was computed of their days.
type removal struct {
	store   *Store
	conn    *conn
	of      store.Subject
	subject int64 // its number

	days    erasing.Days // of the rows that the transaction removed
	removed map[string]int64
}

func (s *Store) removal(c *conn, of store.Subject) *removal {
	return &removal{store: s, conn: c, of: of, subject: s.ledger.Number(of), removed: map[string]int64{}}
}

// commit runs remove in a transaction. Then it deletes the results computed for the days around removed rows, and gives
// these days a new version.
func (r *removal) commit(ctx context.Context, remove func() error) error {
	var version uint64
	var touched []ledger.SubjectDay
	r.days = erasing.Days{}
	return r.store.change(ctx, r.conn, func() error {
		version = r.store.ledger.Latest() + 1
		err := remove()
		if err == nil {
			touched, err = r.settle(ctx, version)
		}
		return err
	}, func() {
		if len(touched) == 0 {
			return
		}
		r.store.ledger.Publish(version, nil, touched)
		for _, one := range r.days.Stretches() {
			r.store.ledger.Unseal(r.subject, one.First, one.Last)
		}
	})
}

// rows removes the rows of a table, and their receipts. where is a further condition. Its arguments, values, begin with
// ?2; ?1 is the subject.
func (r *removal) rows(ctx context.Context, t *schema.Table, where string, values ...any) error {
	kind, keyed := "0", "0"
	if t.ID == schema.Events {
		kind = "kind"
	}
	if t.Has("keyed") {
		keyed = "keyed"
	}
	var receipts []receipt
	n := int64(0)
	err := r.conn.each(ctx, "DELETE FROM "+t.ID.String()+" WHERE subject = ?1"+where+" RETURNING event_id, time, "+
		keyed+", "+kind, arguments(append([]any{r.subject}, values...)), func(v []sqldriver.Value) error {
		var numbers [3]int64
		for i := range numbers {
			var err error
			if numbers[i], err = collect.Int(v[i+1]); err != nil {
				return err
			}
		}
		id, _ := v[0].(string)
		n++
		r.days.Add(schema.DayOf(numbers[0]))
		receipts = append(receipts, receiptOf(erasing.Identity(t, r.of.ID, id, numbers[2], numbers[1] != 0)))
		return nil
	})
	if err != nil {
		return err
	}
	r.removed[t.ID.String()] += n
	for _, one := range receipts {
		if _, err := r.conn.change(ctx, "DELETE FROM receipts WHERE hi = ? AND lo = ?",
			arguments([]any{one.hi, one.lo})); err != nil {
			return err
		}
	}
	return nil
}

// settle deletes the results computed for the days around removed rows, and gives these days a new version. It returns
// these days.
func (r *removal) settle(ctx context.Context, version uint64) (touched []ledger.SubjectDay, err error) {
	for _, of := range r.days.Stretches() {
		touched = append(touched, r.store.ledger.WithVersion(r.subject, of.First, of.Last)...)
		for _, t := range schema.ComputedTables() {
			if err := forgetDays(ctx, r.conn, &t, r.subject, of.First, of.Last, ""); err != nil {
				return nil, err
			}
		}
		// it fits: commits are numbered from 1
		if err := r.conn.exec("UPDATE versions SET version = ? WHERE subject = ? AND day BETWEEN ? AND ?",
			int64(version), r.subject, of.First, of.Last); err != nil {
			return nil, err
		}
	}
	return touched, nil
}

// RemoveImport implements [store.Remover], in one transaction for each day. Writes wait for it.
func (s *Store) RemoveImport(ctx context.Context, of store.Subject, id string) (map[string]int64, error) {
	if err := erasing.CheckImport(id); err != nil {
		return nil, fmt.Errorf("sqlite: remove an import: %w", err)
	}
	c, err := s.take(ctx, s.sealing)
	if err != nil {
		return nil, err
	}
	defer func() { s.sealing <- c }()
	r := s.removal(c, of)
	if err := r.imported(ctx, id); err != nil {
		return nil, errors.Join(s.usable(ctx), fmt.Errorf("sqlite: remove an import: %w", explain(err)))
	}
	return r.removed, nil
}

// imported removes the rows of an import.
func (r *removal) imported(ctx context.Context, id string) error {
	tables := schema.TablesOf(r.of.Kind)
	days := map[int64]bool{}
	lists := map[string]bool{}
	for _, t := range tables {
		r.removed[t.ID.String()] = 0
		err := r.conn.each(ctx, fmt.Sprintf(
			"SELECT DISTINCT imports, (time - ((time %% %[1]d) + %[1]d) %% %[1]d) / %[1]d FROM %[2]s"+
				" WHERE subject = ?1 AND imports <> ''", schema.DayMillis, t.ID), arguments([]any{r.subject}), func(v []sqldriver.Value) error {
			list, _ := v[0].(string)
			day, err := collect.Int(v[1])
			if list == id {
				days[day] = true
			} else if erasing.BelongsTo(list, id) {
				lists[list] = true
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, day := range slices.Sorted(maps.Keys(days)) {
		err := r.commit(ctx, func() error {
			for _, t := range tables {
				if err := r.rows(ctx, &t, " AND imports <> '' AND imports = ?2 AND time >= ?3 AND time < ?4", id,
					day*schema.DayMillis, (day+1)*schema.DayMillis); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return r.store.change(ctx, r.conn, func() error {
		for list := range lists {
			for _, t := range tables {
				if _, err := r.conn.change(ctx, "UPDATE "+t.ID.String()+
					" SET imports = ?3 WHERE subject = ?1 AND imports <> '' AND imports = ?2",
					arguments([]any{r.subject, list, erasing.Without(list, id)})); err != nil {
					return err
				}
			}
		}
		return nil
	}, func() {})
}

// Claim implements [store.Remover]. Writes wait for it.
func (s *Store) Claim(ctx context.Context, b *store.Batch) error {
	rows, err := schema.Arrange(b, func(it schema.Item) schema.Item { return it })
	if err != nil {
		return fmt.Errorf("sqlite: claim: %w", err)
	}
	c, err := s.take(ctx, s.sealing)
	if err != nil {
		return err
	}
	defer func() { s.sealing <- c }()
	err = s.change(ctx, c, func() error {
		for _, it := range rows {
			if err := claim(c, s.ledger.Number(it.Of()), it); err != nil {
				return err
			}
		}
		return nil
	}, func() {})
	if err != nil {
		return errors.Join(s.usable(ctx), fmt.Errorf("sqlite: claim: %w", explain(err)))
	}
	return nil
}

// claim notes that an item of the subject with this number was sent again.
func claim(c *conn, subject int64, it schema.Item) error {
	value, changes := erasing.Claimed("?3", "instr")
	_, err := c.change(context.Background(), "UPDATE "+it.Table.String()+" SET imports = "+value+
		" WHERE subject = ?1 AND event_id = ?2"+erasing.SentAgain(it).Where()+" AND "+changes,
		arguments([]any{subject, it.ID, it.Imports}))
	return err
}

// importedIndexes returns the SQL of the indexes that find the rows of imports.
func importedIndexes() (all []string) {
	for _, t := range schema.Tables() {
		const index = "CREATE INDEX %[1]s_imported ON %[1]s(subject, event_id) WHERE imports <> ''"
		all = append(all, fmt.Sprintf(index, t.ID))
	}
	return all
}
