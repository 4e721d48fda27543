//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"maps"
	"slices"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/erasing"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A removal removes rows of a subject in transactions of the writer, with their receipts and all that was computed of
// their days. In the failure table of commit.go it is like a group of one write.
type removal struct {
	*writer

	of      store.Subject
	subject int64 // its number

	days    erasing.Days // of the rows that the transaction removed
	removed map[string]int64
}

func (w *writer) removal(of store.Subject) *removal {
	return &removal{writer: w, of: of, subject: w.store.ledger.Number(of), removed: map[string]int64{}}
}

// commit runs remove in a transaction. Then it deletes the results computed for the days around removed rows, and gives
// these days a new version.
func (r *removal) commit(remove func() error) error {
	known := r.store.ledger
	version := known.Latest() + 1
	var touched []ledger.SubjectDay
	r.days = erasing.Days{}
	err := transact(r.engine, func() error {
		if err := remove(); err != nil {
			return err
		}
		if touched = r.touched(); len(touched) == 0 {
			return nil
		}
		if err := r.unseal(); err != nil {
			return err
		}
		return r.addVersions(version, touched)
	})
	if err != nil {
		return r.outcome(err, version)
	}
	if len(touched) == 0 {
		return nil
	}
	r.versionRows += int64(len(touched))
	known.Publish(version, nil, touched)
	for _, of := range r.days.Stretches() {
		known.Unseal(r.subject, of.First, of.Last)
	}
	return nil
}

// rows removes the rows of a table, and their receipts. where is a further condition, and args are its arguments.
func (r *removal) rows(t *schema.Table, where string, args ...sqldriver.NamedValue) error {
	kind, keyed := "0", "0"
	if t.ID == schema.Events {
		kind = "kind"
	}
	if t.Has("keyed") {
		keyed = "keyed"
	}
	where = " WHERE subject = $subject::INTEGER" + where
	args = append(slices.Clip(args), named("subject", r.subject))
	var keys []key
	err := r.engine.each("SELECT event_id, time, "+keyed+"::BIGINT, "+kind+"::BIGINT FROM "+t.ID.String()+where, args,
		func(v []sqldriver.Value) error {
			var id string
			var at, keyed, kind int64
			if err := scan(v, &id, &at, &keyed, &kind); err != nil {
				return err
			}
			r.days.Add(schema.DayOf(at))
			keys = append(keys, keyOf(erasing.Identity(t, r.of.ID, id, kind, keyed != 0)))
			return nil
		})
	if err != nil {
		return err
	}
	r.removed[t.ID.String()] += int64(len(keys))
	if len(keys) == 0 {
		return nil
	}
	n, err := r.engine.change("DELETE FROM "+t.ID.String()+where, args...)
	if err == nil && n != int64(len(keys)) {
		err = fmt.Errorf("the engine removed %d rows of %s, want %d", n, t.ID, len(keys))
	}
	if err != nil {
		return err
	}
	return r.forgetReceipts(keys)
}

// forgetAtOnce is the number of receipts that one statement deletes.
const forgetAtOnce = 50_000

// forgetReceipts deletes receipts.
func (r *removal) forgetReceipts(keys []key) error {
	for some := range slices.Chunk(keys, forgetAtOnce) {
		hi, lo := make([]int64, len(some)), make([]int64, len(some))
		for i, k := range some {
			hi[i], lo[i] = k.hi, int64(k.lo)
		}
		err := r.engine.exec("DELETE FROM receipts USING (SELECT DISTINCT unnest($hi::BIGINT[]) AS hi, unnest($lo::BIGINT[]) AS lo) AS k"+
			" WHERE receipts.subject = $subject::INTEGER AND receipts.hi = k.hi AND receipts.lo = k.lo",
			named("hi", hi), named("lo", lo), named("subject", r.subject))
		if err != nil {
			return err
		}
	}
	return nil
}

// touched returns the days around removed rows that have a version.
func (r *removal) touched() (found []ledger.SubjectDay) {
	for _, of := range r.days.Stretches() {
		found = append(found, r.store.ledger.WithVersion(r.subject, of.First, of.Last)...)
	}
	return found
}

// unseal deletes the results computed for the days around removed rows.
func (r *removal) unseal() error {
	for _, of := range r.days.Stretches() {
		for _, t := range schema.ComputedTables() {
			if err := forgetDays(r.engine, &t, r.subject, of.First, of.Last, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveImport implements [store.Remover], in one transaction of the writer for each day.
func (s *Store) RemoveImport(ctx context.Context, of store.Subject, id string) (map[string]int64, error) {
	if err := erasing.CheckImport(id); err != nil {
		return nil, fmt.Errorf("duckdb: remove an import: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.deriving.Lock() // no seal and no state of earlier rows is stored later, and no cluster moves the rows
	defer s.deriving.Unlock()
	var days []int64
	var lists []string
	removed := map[string]int64{}
	for _, t := range schema.TablesOf(of.Kind) {
		removed[t.ID.String()] = 0
	}
	err := s.inWriter(ctx, func(w *writer) (err error) {
		days, lists, err = w.removal(of).daysOf(id)
		return err
	})
	for _, day := range days {
		if err != nil {
			break
		}
		err = s.inWriter(ctx, func(w *writer) error {
			r := w.removal(of)
			err := r.commit(func() error { return r.importOf(day, id) })
			for table, n := range r.removed {
				removed[table] += n
			}
			return err
		})
	}
	if err == nil && len(lists) > 0 {
		err = s.inWriter(ctx, func(w *writer) error { return w.removal(of).without(lists, id) })
	}
	if err != nil {
		return nil, fmt.Errorf("duckdb: remove an import: %w", explain(err))
	}
	return removed, nil
}

// daysOf returns the days with rows that belong to an import alone, and the lists of further imports that have it.
func (r *removal) daysOf(id string) (days []int64, lists []string, err error) {
	onDay, inList := map[int64]bool{}, map[string]bool{}
	for _, t := range schema.TablesOf(r.of.Kind) {
		err := r.engine.each(
			fmt.Sprintf("SELECT DISTINCT imports, ((time - ((time %% %[1]d) + %[1]d) %% %[1]d) // %[1]d)::BIGINT FROM %[2]s"+
				" WHERE subject = $subject::INTEGER AND imports <> ''", schema.DayMillis, t.ID),
			[]sqldriver.NamedValue{named("subject", r.subject)}, func(v []sqldriver.Value) error {
				var list string
				var day int64
				err := scan(v, &list, &day)
				if list == id {
					onDay[day] = true
				} else if erasing.BelongsTo(list, id) {
					inList[list] = true
				}
				return err
			})
		if err != nil {
			return nil, nil, r.failed(err)
		}
	}
	return slices.Sorted(maps.Keys(onDay)), slices.Sorted(maps.Keys(inList)), nil
}

// importOf removes the rows of one day that belong to an import alone.
func (r *removal) importOf(day int64, id string) error {
	for _, t := range schema.TablesOf(r.of.Kind) {
		if err := r.rows(&t, " AND imports = $import AND time >= $from AND time < $to", named("import", id),
			named("from", day*schema.DayMillis), named("to", (day+1)*schema.DayMillis)); err != nil {
			return err
		}
	}
	return nil
}

// without takes an import out of the lists of rows that belong to others, too.
func (r *removal) without(lists []string, id string) error {
	err := transact(r.engine, func() error {
		for _, t := range schema.TablesOf(r.of.Kind) {
			for _, list := range lists {
				if err := r.engine.exec("UPDATE "+t.ID.String()+
					" SET imports = $without WHERE subject = $subject::INTEGER AND imports = $list",
					named("without", erasing.Without(list, id)), named("subject", r.subject),
					named("list", list)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return r.failed(err)
	}
	return nil
}

// Claim implements [store.Remover], in one transaction of the writer.
func (s *Store) Claim(ctx context.Context, b *store.Batch) error {
	rows, err := arrange(b)
	if err != nil {
		return fmt.Errorf("duckdb: claim: %w", err)
	}
	if err := ctx.Err(); err != nil || len(rows) == 0 {
		return err
	}
	for i := range rows {
		rows[i].repeated = true
	}
	s.deriving.Lock() // no cluster moves the rows
	defer s.deriving.Unlock()
	err = s.inWriter(ctx, func(w *writer) error {
		again, err := w.sentAgain([]*write{{batch: b, rows: rows}}, nil, nil)
		if err == nil && len(again) > 0 {
			err = transact(w.engine, func() error { return w.claim(again, nil) })
		}
		return w.failed(err)
	})
	if err != nil {
		return fmt.Errorf("duckdb: claim: %w", err)
	}
	return nil
}

// sentAgain returns the event ids of the repeats of a group, for subjects that may have rows of imports in the table of
// the repeat. For others it costs a comparison: repeats of tracking are frequent.
func (w *writer) sentAgain(group []*write, fresh []*row, newcomers map[store.Subject]int64) (map[erasing.Sent][]string,
	error) {
	for _, r := range fresh {
		if r.Imports != "" {
			w.imported[tableOf{r.Table, w.number(r.Of(), newcomers)}] = true
		}
	}
	again := map[erasing.Sent][]string{}
	for _, one := range group {
		for i := range one.rows {
			r := &one.rows[i]
			if !r.repeated {
				continue
			}
			some, err := w.hasImports(r.Table, w.number(r.Of(), newcomers))
			if err != nil {
				return nil, err
			}
			if some {
				of := erasing.SentAgain(r.Item)
				again[of] = append(again[of], r.ID)
			}
		}
	}
	return again, nil
}

// claim notes which stored rows were sent again. It is part of a transaction, after the rows that this one stores.
func (w *writer) claim(again map[erasing.Sent][]string, newcomers map[store.Subject]int64) error {
	value, changes := erasing.Claimed("$import::VARCHAR", "strpos")
	for of, ids := range again {
		n, err := w.engine.change("UPDATE "+of.Table.String()+" SET imports = "+value+
			" WHERE subject = $subject::INTEGER AND "+changes+of.Where()+
			" AND event_id IN (SELECT unnest($ids::VARCHAR[]))",
			named("subject", w.number(of.Subject, newcomers)), named("import", of.Imports), named("ids", ids))
		if err != nil {
			return err
		}
		if n > 0 {
			w.store.claims++
		}
	}
	return nil
}

// whileNoneMove runs do in a transaction that claims rows if again has some. It keeps a cluster from reading the rows
// meanwhile, and from removing them afterwards if it has read them. The engine would do neither: if one transaction
// changes a row and another one deletes it, both succeed, and the copy in the cluster would not have the change.
func (w *writer) whileNoneMove(again map[erasing.Sent][]string, do func() error) error {
	if len(again) > 0 {
		w.store.moving.Lock()
		defer w.store.moving.Unlock()
	}
	return transact(w.engine, do)
}

// A tableOf is a table, and the number of a subject with rows in it.
type tableOf struct {
	table   schema.TableID
	subject int64
}

// hasImports reports whether a subject may have rows of imports in a table. Only the first call for each reads it.
func (w *writer) hasImports(t schema.TableID, subject int64) (bool, error) {
	of := tableOf{t, subject}
	some, known := w.imported[of]
	if known || subject == ledger.Unknown {
		return some, nil
	}
	err := w.engine.each("SELECT 1 FROM "+t.String()+" WHERE subject = $subject::INTEGER AND imports <> '' LIMIT 1",
		[]sqldriver.NamedValue{named("subject", subject)}, func([]sqldriver.Value) error {
			some = true
			return nil
		})
	if err == nil {
		w.imported[of] = some
	}
	return some, err
}
