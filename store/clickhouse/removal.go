package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/erasing"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A removal removes rows of a subject, with their receipts and all that was computed of their days. To the tables of
// receipt.go and version.go it is a change of days: if it fails in between, the versions of the days continue to grow,
// and another call finds the rows that are left.
type removal struct {
	store  *Store
	of     store.Subject
	tables []schema.Table // whose rows are removed

	where string // condition for the rows to remove
	args  []any  // of where, with the subject

	days     erasing.Days
	receipts []uint64 // numbers of the receipts of the rows
	removed  map[string]int64
}

func (s *Store) removal(of store.Subject, tables []schema.Table) *removal {
	return &removal{store: s, of: of, tables: tables, args: []any{driver.Named("subject", subjectText(of))},
		removed: map[string]int64{}}
}

// run removes the rows.
func (r *removal) run(ctx context.Context) error {
	r.days, r.receipts = erasing.Days{}, nil
	if err := r.find(ctx); err != nil || len(r.days) == 0 {
		return err
	}
	around, err := r.around(ctx)
	if err != nil {
		return err
	}
	return r.store.changing(ctx, around, func() error {
		r.store.deriving.Lock() // a running Seal would store results of the rows again
		defer r.store.deriving.Unlock()
		return r.remove(ctx)
	})
}

// each runs a query without the limits of queries, and calls scanned for each row.
func (r *removal) each(ctx context.Context, label, question string, scanned func(scan func(...any) error) error,
) (err error) {
	rows, err := r.store.conn.Query(r.store.erasing(ctx, label), question, r.args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scanned(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// find reads what identifies the rows.
func (r *removal) find(ctx context.Context) error {
	for _, t := range r.tables {
		kind, n := "toUInt8(0)", int64(0)
		if t.ID == schema.Events {
			kind = "kind"
		}
		err := r.each(ctx, "rows", "SELECT event_id, time, "+keyedColumn(t.ID, "")+", "+kind+" FROM "+t.ID.String()+
			" WHERE subject = {subject:String} AND "+r.where,
			func(scan func(...any) error) error {
				var id string
				var at int64
				var keyed, kind uint8
				err := scan(&id, &at, &keyed, &kind)
				n++
				r.days.Add(int64(utcDay(at)))
				r.receipts = append(r.receipts,
					identity(erasing.Identity(&t, subjectText(r.of), id, int64(kind), keyed != 0)).hash())
				return err
			})
		if err != nil {
			return err
		}
		r.removed[t.ID.String()] += n
	}
	return nil
}

// around returns the days whose versions grow: those with removed rows, and those around them that have a version.
func (r *removal) around(ctx context.Context) (days []changedDay, err error) {
	name := versioned(r.of.Kind, subjectText(r.of))
	for _, of := range r.days.Stretches() {
		for day := of.First; day <= of.Last; day++ {
			if r.days[day] {
				days = append(days, changedDay{name, int32(day)}) // utcDay limits days
			}
		}
		found, err := r.store.states(ctx, r.of, int32(of.First), int32(of.Last))
		if err != nil {
			return nil, err
		}
		for day := range found.versions {
			if int64(day) >= of.First && int64(day) <= of.Last && !r.days[int64(day)] {
				days = append(days, changedDay{name, day})
			}
		}
	}
	return days, nil
}

// remove removes the rows, their receipts, and the results computed for the days around them.
func (r *removal) remove(ctx context.Context) error {
	const ofSubject = " WHERE subject = {subject:String} AND "
	for _, t := range r.tables {
		if err := r.removeFrom(ctx, t.ID.String(), ofSubject+r.where, r.args...); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(r.receipts, forgetAtOnce) {
		if err := r.removeFrom(ctx, "receipts", " WHERE id IN {ids:Array(UInt64)}",
			driver.Named("ids", some)); err != nil {
			return err
		}
	}
	if r.of.Kind != store.KindWebsite { // nothing is computed of the rows of others
		return nil
	}
	for _, of := range r.days.Stretches() {
		for _, t := range schema.ComputedTables() {
			if err := r.removeFrom(ctx, t.Name, ofSubject+inDays(&t, of.First, of.Last), r.args[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// forgetAtOnce is the number of receipts that one statement deletes.
const forgetAtOnce = 10_000

// removeFrom deletes rows of a table, if it has some, on all servers.
func (r *removal) removeFrom(ctx context.Context, table, where string, args ...any) error {
	// Copies of rows from a race of writers may already be marked as deleted. A DELETE alone would skip them.
	return r.store.alter(ctx, table, "DELETE", where+", APPLY DELETED MASK", where, args...)
}

// alter runs ALTER TABLE on all servers, and waits until they have done it, if the table has rows with the condition
// where.
func (s *Store) alter(ctx context.Context, table, do, rest, where string, args ...any) error {
	writing := s.erasing(ctx, table)
	var rows uint64
	if err := s.conn.QueryRow(writing, "SELECT count() FROM "+table+where, args...).Scan(&rows); err != nil ||
		rows == 0 {
		return err
	}
	if err := s.conn.Exec(writing, "ALTER TABLE "+s.cfg.local(table)+s.cfg.on()+" "+do+rest, args...); err != nil {
		return fmt.Errorf("%s: %w", table, err)
	}
	return nil
}

// RemoveImport implements [store.Remover], month by month, because each month has its own files. When it returns, no
// running server has a row of the import. It rewrites these files, which may take minutes. The error wraps ErrRights if
// the user lacks ALTER DELETE, or ALTER UPDATE where rows belong to several imports.
func (s *Store) RemoveImport(ctx context.Context, of store.Subject, id string) (map[string]int64, error) {
	if err := erasing.CheckImport(id); err != nil {
		return nil, fmt.Errorf("clickhouse: remove an import: %w", err)
	}
	if s.closing.Err() != nil {
		return nil, errClosed
	}
	r := s.removal(of, schema.TablesOf(of.Kind))
	err := r.imported(ctx, id)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("clickhouse: remove an import: %w", explain(err))
	}
	return r.removed, nil
}

// imported removes the rows that belong to an import alone, and takes it out of the lists of others.
func (r *removal) imported(ctx context.Context, id string) error {
	months, lists := map[time.Time]bool{}, map[string]bool{}
	for _, t := range r.tables {
		r.removed[t.ID.String()] = 0
		err := r.each(ctx, "imports", "SELECT DISTINCT imports, "+utcDayOf("time")+" FROM "+t.ID.String()+
			" WHERE subject = {subject:String} AND imports <> ''",
			func(scan func(...any) error) error {
				var list string
				var day int32
				err := scan(&list, &day)
				if list == id {
					at := time.Unix(int64(day)*86_400, 0).UTC()
					months[time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)] = true
				} else if erasing.BelongsTo(list, id) {
					lists[list] = true
				}
				return err
			})
		if err != nil {
			return err
		}
	}
	of := r.args[0]
	for _, month := range slices.SortedFunc(maps.Keys(months), time.Time.Compare) {
		r.where = "imports = {import:String} AND time >= {from:Int64} AND time < {to:Int64}"
		r.args = []any{of, driver.Named("import", id), driver.Named("from", month.UnixMilli()),
			driver.Named("to", month.AddDate(0, 1, 0).UnixMilli())}
		if err := r.run(ctx); err != nil {
			return err
		}
	}
	const where = " WHERE subject = {subject:String} AND imports = {list:String}"
	for list := range lists {
		for _, t := range r.tables {
			if err := r.store.alter(ctx, t.ID.String(), "UPDATE imports = {without:String}", where, where, of,
				driver.Named("list", list), driver.Named("without", erasing.Without(list, id))); err != nil {
				return err
			}
		}
	}
	return nil
}

// Claim implements [store.Remover]. The user needs the right ALTER UPDATE if there are rows to change.
func (s *Store) Claim(ctx context.Context, b *store.Batch) error {
	rows, err := schema.Arrange(b, func(it schema.Item) schema.Item { return it })
	if err != nil {
		return fmt.Errorf("clickhouse: claim: %w", err)
	}
	if s.closing.Err() != nil {
		return errClosed
	}
	again := claims{}
	for _, it := range rows {
		again.add(it)
	}
	err = s.claim(ctx, again)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("clickhouse: claim: %w", explain(err))
	}
	return nil
}

// claims are the event ids of rows that were sent again.
type claims map[erasing.Sent][]string

func (c claims) add(it schema.Item) {
	of := erasing.SentAgain(it)
	c[of] = append(c[of], it.ID)
}

// claim notes which stored rows were sent again.
func (s *Store) claim(ctx context.Context, again claims) error {
	value, changes := erasing.Claimed("{import:String}", "position")
	for of, all := range again {
		where := " WHERE subject = {subject:String} AND " + changes + of.Where() + " AND event_id IN {ids:Array(String)}"
		for ids := range inChunks(all, func(id string) string { return id }) {
			if err := s.alter(ctx, of.Table.String(), "UPDATE imports = "+value, where, where,
				driver.Named("subject", subjectText(of.Subject)), driver.Named("import", of.Imports),
				driver.Named("ids", ids)); err != nil {
				return err
			}
		}
	}
	return nil
}
