//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"errors"
	"maps"
	"slices"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// groupRows ends the gathering of a group; one batch may be larger.
const groupRows = 20_000

// gather takes first and the writes that wait, without waiting for more.
func (w *writer) gather(first *write) []*write {
	group := []*write{first}
	for n := len(first.rows); n < groupRows; {
		select {
		case next := <-w.store.writes:
			group = append(group, next)
			n += len(next.rows)
		default:
			return group
		}
	}
	return group
}

// commit stores a group and tells each of its writes. When a group fails for another
// reason than the state of disk and engine, its writes are tried one by one, so that
// none suffers for another.
func (w *writer) commit(group []*write) {
	err := w.ready()
	if err == nil {
		err = w.save(group)
	}
	known := w.conn == nil || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrCorrupt)
	if err != nil && !known && len(group) > 1 {
		for _, one := range group {
			w.commit([]*write{one})
		}
		return
	}
	for _, one := range group {
		one.done <- err
	}
}

// save stores a group in one transaction. It marks the rows that are repeats.
func (w *writer) save(group []*write) error {
	cat := &w.store.catalog
	fresh, err := w.markRepeats(group)
	if err != nil {
		return w.failed(err)
	}
	if len(fresh) == 0 {
		return nil
	}
	version := cat.latest() + 1
	newcomers, touched := w.survey(fresh)
	err = w.conn.transact(func() error {
		if err := w.addSubjects(newcomers); err != nil {
			return err
		}
		if err := w.addRows(group, newcomers); err != nil {
			return err
		}
		if err := w.addReceipts(fresh, newcomers); err != nil {
			return err
		}
		return w.addVersions(version, touched)
	})
	if err != nil {
		err = w.failed(err)
		// Whether a commit that broke the engine is stored, the file tells once it is open
		// again: its version lies in the same transaction, and nobody else writes here.
		// While it cannot be opened nobody knows, and a retry finds the receipts or not.
		if w.conn == nil || cat.latest() < version {
			return err
		}
		return nil
	}
	for _, r := range fresh {
		w.filter.add(r.key)
	}
	w.versionRows += int64(len(touched))
	cat.publish(version, newcomers, touched)
	return nil
}

// failed opens the engine again after a fatal error, and explains err.
func (w *writer) failed(err error) error {
	if fatal(err) {
		if again := w.reopen(err); again != nil {
			err = errors.Join(err, again)
		}
	}
	return explain(err)
}

// markRepeats marks the rows whose id was received before, in the group or earlier,
// and returns the others.
func (w *writer) markRepeats(group []*write) ([]*row, error) {
	firsts := make(map[key]*row)
	var fresh []*row
	var doubtful []key
	for _, one := range group {
		for i := range one.rows {
			r := &one.rows[i]
			_, again := firsts[r.key]
			r.repeated = again && !one.restored
			if !r.repeated {
				fresh = append(fresh, r)
			}
			if again {
				continue
			}
			firsts[r.key] = r
			if !one.restored && w.filter.maybe(r.key) {
				doubtful = append(doubtful, r.key)
			}
		}
	}
	if len(doubtful) == 0 {
		return fresh, nil
	}
	known, err := lookUp(w.conn, doubtful)
	if err != nil {
		return nil, err
	}
	for k := range known {
		firsts[k].repeated = true
	}
	return slices.DeleteFunc(fresh, func(r *row) bool { return r.repeated }), nil
}

// survey numbers the subjects that have no number yet, and lists the days that rows touch.
func (w *writer) survey(rows []*row) (newcomers map[store.Subject]int32, touched []subjectDay) {
	newcomers = make(map[store.Subject]int32)
	days := make(map[subjectDay]bool)
	next := w.store.catalog.size() + 1
	for _, r := range rows {
		number := w.number(r.subject, newcomers)
		if number == unknown {
			number = next
			newcomers[r.subject] = number
			next++
		}
		days[subjectDay{number, r.day}] = true
	}
	return newcomers, slices.Collect(maps.Keys(days))
}

// number is the number of s, which may be new in this transaction.
func (w *writer) number(s store.Subject, newcomers map[store.Subject]int32) int32 {
	if n, ok := newcomers[s]; ok {
		return n
	}
	return w.store.catalog.number(s)
}

func (w *writer) addSubjects(newcomers map[store.Subject]int32) error {
	if len(newcomers) == 0 {
		return nil
	}
	return w.conn.fill("subject_numbers", func(add func(...sqldriver.Value) error) error {
		for s, n := range newcomers {
			if err := add(string(s.Kind), s.ID, n); err != nil {
				return err
			}
		}
		return nil
	})
}

// addRows fills the tables, one after the other.
func (w *writer) addRows(group []*write, newcomers map[store.Subject]int32) error {
	var buf []sqldriver.Value
	for _, t := range schema.Tables() {
		fresh := func(r row) bool { return r.table == t.ID && !r.repeated }
		if !slices.ContainsFunc(group, func(one *write) bool { return slices.ContainsFunc(one.rows, fresh) }) {
			continue
		}
		err := w.conn.fill(t.ID.String(), func(add func(...sqldriver.Value) error) error {
			for _, one := range group {
				for _, r := range one.rows {
					if !fresh(r) {
						continue
					}
					subject := w.number(r.subject, newcomers)
					for sample := range t.Rows(one.batch, r.index) {
						buf = w.tables[t.ID].encode(buf[:0], subject, schema.Row{Batch: one.batch, Item: r.index, Sample: sample})
						if err := add(buf...); err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) addReceipts(rows []*row, newcomers map[store.Subject]int32) error {
	day := receiptDay(w.store.cfg.Now())
	return w.conn.fill("receipts", func(add func(...sqldriver.Value) error) error {
		for _, r := range rows {
			if err := add(w.number(r.subject, newcomers), day, r.key.hi, r.key.lo); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *writer) addVersions(version uint64, touched []subjectDay) error {
	return w.conn.fill("versions", func(add func(...sqldriver.Value) error) error {
		for _, t := range touched {
			if err := add(t.subject, t.day, int64(version)); err != nil {
				return err
			}
		}
		return nil
	})
}
