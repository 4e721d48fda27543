package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// This file stores groups of writes, in one goroutine and one transaction for each group:
//
//  1. Receipts are inserted. A row whose receipt already exists is a repeat.
//  2. The numbers of new subjects, the rows and the versions of their days are inserted.
//  3. COMMIT appends the transaction to the log and returns when it is on disk.
//  4. The ledger is updated, so that queries and Version see the commit.
//  5. The callers get the result.
//
// A process that is killed before step 3 has stored nothing, and after it everything. In between the log has all of
// the transaction or is cut where it ends; SQLite recognises an incomplete transaction by checksums. If a step
// fails, nothing is stored, and each write of the group is tried alone.

// run is the loop of the writer. It ends when the store is closed.
func (s *Store) run() {
	defer close(s.ended)
	w := writer{store: s, tables: tables()}
	for s.open.Err() == nil {
		select {
		case <-s.queue.Ready:
			w.commit(w.gather())
		case <-s.open.Done():
		}
	}
	s.closed = s.end()
}

// end closes all connections, as soon as they are not in use.
func (s *Store) end() error {
	var readers []*conn
	for range cap(s.reading) {
		readers = append(readers, <-s.reading)
	}
	if s.cfg.memory() {
		return readers[0].close()
	}
	sealer, writer := <-s.sealing, <-s.writing
	// Without other connections, the last one moves the log into the file when it is closed.
	var faults []error
	for _, c := range append(readers, sealer) {
		faults = append(faults, c.close())
	}
	_, err := writer.number("PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(append(faults, explain(err), writer.close(), s.lock.close())...)
}

// A writer stores groups of writes. Only its goroutine uses it.
type writer struct {
	store  *Store
	tables []table
	day    int64 // the day on which old receipts were last deleted
	args   []sqldriver.NamedValue
}

// groupRows is the number of rows that completes a group. One write may have more. A group of this size takes
// about a tenth of a second, and the writes of other senders wait that long.
const groupRows = 2_000

// gather returns the writes of the next group.
func (w *writer) gather() (group []*write) {
	for rows := 0; rows < groupRows; {
		next, ok := w.store.queue.Next()
		if !ok {
			break
		}
		group, rows = append(group, next), rows+len(next.rows)
	}
	w.store.queue.Again()
	return group
}

// commit stores a group and sends the result to each of its writes.
func (w *writer) commit(group []*write) {
	if len(group) == 0 {
		return
	}
	err := w.save(group)
	if err != nil && len(group) > 1 && !errors.Is(err, store.ErrFull) {
		for _, one := range group {
			w.commit([]*write{one})
		}
		return
	}
	if err != nil {
		err = fmt.Errorf("sqlite: write: %w", err)
	}
	for _, one := range group {
		one.done <- err
	}
}

// save stores a group in one transaction, and marks its repeats.
func (w *writer) save(group []*write) error {
	s := w.store
	rows := 0
	for _, one := range group {
		rows += len(one.rows)
		for i := range one.batch.Vitals {
			rows += len(one.batch.Vitals[i].Samples)
		}
	}
	if rows > maxRows {
		return fmt.Errorf("%w: a batch must not have more than %d rows", store.ErrInvalid, maxRows)
	}
	c := <-s.writing
	defer func() { s.writing <- c }()
	t := transaction{writer: w, conn: c, version: s.ledger.Latest() + 1, today: schema.DayOf(s.cfg.Now().UnixMilli()),
		newcomers: map[store.Subject]int64{}, touched: map[ledger.SubjectDay]bool{}}
	if err := c.transact(func() error { return t.save(group) }); err != nil {
		return explain(err)
	}
	if len(t.touched) > 0 {
		days := make([]ledger.SubjectDay, 0, len(t.touched))
		for day := range t.touched {
			days = append(days, day)
		}
		s.ledger.Publish(t.version, t.newcomers, days)
	}
	w.day = max(w.day, t.today)
	return nil
}

// A transaction stores one group.
type transaction struct {
	*writer
	conn    *conn
	version uint64 // of the commit
	today   int64  // the day of receipt

	newcomers map[store.Subject]int64    // subjects without a number before
	touched   map[ledger.SubjectDay]bool // days that get rows
	rows      int64                      // stored so far
}

func (t *transaction) save(group []*write) error {
	if t.today > t.day {
		if _, err := t.change("DELETE FROM receipts WHERE day < ?", t.today-ledger.RememberDays); err != nil {
			return err
		}
	}
	for _, one := range group {
		for i := range one.rows {
			r := &one.rows[i]
			if err := t.receive(r, one.restored); err != nil {
				return err
			}
			if r.repeated {
				continue
			}
			if err := t.insert(one.batch, r); err != nil {
				return err
			}
		}
	}
	for day := range t.touched {
		if _, err := t.change("INSERT INTO versions VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version",
			day.Subject, day.Day, int64(t.version)); err != nil { // it fits: commits are numbered from 1
			return err
		}
	}
	return nil
}

// change runs a statement and returns the number of rows that it changed.
func (t *transaction) change(text string, values ...any) (int64, error) {
	t.args = t.args[:0]
	for _, v := range values {
		t.args = appendValue(t.args, v)
	}
	return t.conn.change(context.Background(), text, t.args)
}

// receive stores the receipt of r, or marks r as a repeat.
func (t *transaction) receive(r *row, restored bool) error {
	subject, err := t.subject(r.Of())
	if err != nil {
		return err
	}
	n, err := t.change("INSERT OR IGNORE INTO receipts VALUES (?, ?, ?, ?)", r.receipt.hi, r.receipt.lo, subject,
		t.today)
	r.repeated = n == 0 && !restored
	if err == nil && r.repeated {
		err = claim(t.conn, subject, r.Item)
	}
	return err
}

// subject returns the number of s, which may be new in this transaction.
func (t *transaction) subject(s store.Subject) (int64, error) {
	if n, ok := t.newcomers[s]; ok {
		return n, nil
	}
	if n := t.store.ledger.Number(s); n != ledger.Unknown {
		return n, nil
	}
	n := t.store.ledger.Size() + int64(len(t.newcomers)) + 1
	t.newcomers[s] = n
	_, err := t.change("INSERT INTO subject_numbers(number, kind, id) VALUES (?, ?, ?)", n, string(s.Kind), s.ID)
	return n, err
}

// insert stores the rows of an item.
func (t *transaction) insert(b *store.Batch, r *row) error {
	of := &t.tables[r.Table]
	subject, err := t.subject(r.Of())
	if err != nil {
		return err
	}
	t.touched[ledger.SubjectDay{Subject: subject, Day: schema.DayOf(r.Millis)}] = true
	for sample := range of.of.Rows(b, r.Index) {
		t.args = appendValue(appendValue(appendValue(t.args[:0], subject), r.Millis), int64(t.version)<<rowBits|t.rows)
		t.args = of.values(t.args, t.store.hashKey, schema.Row{Batch: b, Item: r.Index, Sample: sample})
		if _, err := t.conn.change(context.Background(), of.insert, t.args); err != nil {
			return err
		}
		t.rows++
	}
	return nil
}
