//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/store"
)

// A row is one item of a batch on its way to its table.
type row struct {
	table    table
	index    int // in the batch's slice for table
	subject  store.Subject
	day      int32 // of its time, UTC
	key      key
	repeated bool // decided by the writer
}

// A write is one call of Write, as the writer sees it.
type write struct {
	batch    *store.Batch
	rows     []row
	restored bool       // rows are stored whether or not their ids were received before
	done     chan error // gets the outcome, once
}

// Write stores b whole or not at all, and returns when it is durable. The work that
// needs no transaction is done by the caller's goroutine. Rows, receipts and versions are
// one transaction, so an id that counts as received is that of a row that was stored. Only
// an error of an engine that could not be opened again leaves open which of the two it was.
//
// While the writer is busy, Write waits for it or for ctx; a write that the writer
// has not taken when ctx ends is not stored. Once taken, Write waits for the commit
// and reports what became of it.
func (s *Store) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	rows, err := arrange(b)
	if err != nil {
		return store.Written{}, fmt.Errorf("duckdb: write: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return store.Written{}, err
	}
	if len(rows) == 0 {
		return store.Written{}, nil
	}
	w := &write{batch: b, rows: rows, done: make(chan error, 1)}
	if err := s.hand(ctx, w); err != nil {
		return store.Written{}, fmt.Errorf("duckdb: write: %w", err)
	}
	return w.written(), nil
}

// hand gives w to the writer, and waits for the outcome once the writer has it.
func (s *Store) hand(ctx context.Context, w *write) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return errClosed
	case s.writes <- w:
		return <-w.done
	}
}

func (w *write) written() store.Written {
	var sum store.Written
	for i := range w.rows {
		if w.rows[i].repeated {
			sum.Repeated++
		} else {
			sum.Stored++
		}
	}
	return sum
}

// An item is what rows of all tables have in common.
type item struct {
	table   table
	kind    byte
	subject store.Subject
	id      string
	time    time.Time
}

// arrange lists and checks the rows of b.
func arrange(b *store.Batch) ([]row, error) {
	rows := make([]row, 0, b.Len())
	buf := make([]sqldriver.Value, 0, mostColumns)
	for index, it := range items(b) {
		fault := it.check()
		if fault == nil {
			fault = it.table.encode(b, index, unknown, buf, checkTexts)
		}
		if fault != nil {
			return nil, fmt.Errorf("%w: %s[%d]: %w", store.ErrInvalid, tableNames[it.table], index, fault)
		}
		rows = append(rows, row{
			table: it.table, index: index, subject: it.subject,
			day: utcDay(it.time.UnixMilli()), key: newKey(it.kind, it.subject.ID, it.id),
		})
	}
	return rows, nil
}

// items yields the items of b with their places in the slices.
func items(b *store.Batch) func(yield func(int, item) bool) {
	return func(yield func(int, item) bool) {
		_ = walk(b.Events, eventItem, yield) && walk(b.Errors, errorItem, yield) && walk(b.Vitals, vitalItem, yield) &&
			walk(b.Spans, spanItem, yield) && walk(b.Visits, visitItem, yield) && walk(b.Checks, checkItem, yield)
	}
}

// walk yields rows as items, and reports whether it may go on.
func walk[T any](rows []T, of func(*T) item, yield func(int, item) bool) bool {
	for i := range rows {
		if !yield(i, of(&rows[i])) {
			return false
		}
	}
	return true
}

func eventItem(e *store.Event) item {
	return item{eventTable, eventRow(e.Kind), website(e.Website), e.ID, e.Time}
}

func errorItem(e *store.Error) item {
	return item{errorTable, errorRow, website(e.Website), e.ID, e.Time}
}

func vitalItem(v *store.Vital) item {
	return item{vitalTable, vitalRow, website(v.Website), v.ID, v.Time}
}

func spanItem(s *store.Span) item {
	return item{spanTable, spanRow, website(s.Website), s.ID, s.Time}
}

func visitItem(v *store.Visit) item {
	return item{visitTable, visitRow, store.Subject{Kind: store.KindLink, ID: v.Link}, v.ID, v.Time}
}

func checkItem(c *store.Check) item {
	return item{checkTable, checkKind(c.Status), store.Subject{Kind: store.KindSchedule, ID: c.Schedule}, c.ID, c.Time}
}

func website(id string) store.Subject { return store.Subject{Kind: store.KindWebsite, ID: id} }

// eventRow is the kind of row that ids of events of kind k are counted by; 0 when
// there is no such kind of event.
func eventRow(k store.EventKind) byte {
	switch k {
	case store.Pageview, store.Exit, store.PageEvent:
		return pageRow
	case store.Custom:
		return customRow
	case store.Click:
		return clickRow
	default:
		return 0
	}
}

// checkKind is checkRow; 0 when there is no such status.
func checkKind(s store.Status) byte {
	if s > store.Maintenance {
		return 0
	}
	return checkRow
}

// check finds what makes an item impossible to store.
func (it item) check() error {
	year := it.time.UTC().Year()
	switch {
	case it.subject.ID == "":
		return fmt.Errorf("no %s", it.subject.Kind)
	case it.id == "":
		return errors.New("no id")
	case it.time.IsZero():
		return errors.New("no time")
	case year < 1 || year > 9999:
		return fmt.Errorf("the year %d", year)
	case it.kind == 0:
		return errors.New("no such kind or status")
	case !utf8.ValidString(it.subject.ID):
		return fmt.Errorf("a %s that is not valid UTF-8", it.subject.Kind)
	default:
		return nil
	}
}

// checkTexts refuses a row with a text that is not valid UTF-8.
func checkTexts(values ...sqldriver.Value) error {
	for _, v := range values {
		if text, ok := v.(string); ok && !utf8.ValidString(text) {
			return errors.New("a text that is not valid UTF-8")
		}
	}
	return nil
}
