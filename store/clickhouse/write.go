package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/store"
)

// Write stores b together with what other writes wait to store. When it returns nil,
// all of b is on the servers' disks; when it returns an error, none or a part of b is,
// and writing b again stores the rest, each row once. A batch that cannot be stored
// keeps no other back.
//
// Write waits while the servers are away, up to Options.WriteTimeout. Its error wraps
// store.ErrUnavailable when they stay away, and at once when Options.Buffer rows wait already;
// store.ErrNewerSchema when a newer program made the tables, of which nothing is touched.
// After an error b may still be on its way: it must not be changed.
func (s *Store) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	rows, err := arrange(b)
	if err != nil {
		return store.Written{}, fmt.Errorf("clickhouse: write: %w", err)
	}
	if len(rows) == 0 || ctx.Err() != nil {
		return store.Written{}, ctx.Err()
	}
	w := &write{batch: b, rows: rows, done: make(chan error, 1)}
	if err := s.queue.add(w, s.cfg.Buffer); err != nil {
		return store.Written{}, fmt.Errorf("clickhouse: write: %w", err)
	}
	patience := time.NewTimer(s.cfg.WriteTimeout)
	defer patience.Stop()
	select {
	case err = <-w.done:
	case <-ctx.Done():
		s.queue.abandon(w)
		return store.Written{}, ctx.Err()
	case <-patience.C:
		s.queue.abandon(w)
		err = fmt.Errorf("%w: not stored within %s", store.ErrUnavailable, s.cfg.WriteTimeout)
	}
	if err != nil {
		return store.Written{}, fmt.Errorf("clickhouse: write: %w", err)
	}
	return w.written(), nil
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

// The tables that rows go to.
type tableID uint8

const (
	inEvents tableID = iota
	inErrors
	inVitals
	inSpans
	inVisits
	inChecks
	numTables
)

var tableNames = [numTables]string{"events", "errors", "vitals", "spans", "visits", "checks"}

// What stands in front of the subjects of a table.
var marks = [numTables]string{inVisits: linkMark, inChecks: scheduleMark}

// The kinds of row in the table events that have ids of their own, as in column kind;
// kinds of page events are one. Other tables have one kind.
const pageKind = uint8(store.Pageview)

// An identity is what is counted once.
type identity struct {
	table   tableID
	kind    uint8
	subject string
	id      string
}

// A row is one row of a batch that waits to be stored.
type row struct {
	identity
	index    int // in its slice of the batch
	millis   int64
	hash     uint64 // of identity
	stored   bool   // found in the tables, or comes twice in the group
	repeated bool   // stored by another batch, or earlier in the group
}

// arrange lists and checks the rows of b.
func arrange(b *store.Batch) ([]row, error) {
	rows := make([]row, 0, b.Len())
	var faults []error
	add := func(t tableID, index int, subject, id string, at time.Time, kind uint8, valid bool) {
		err := check(subject, id, at, valid)
		switch {
		case err == nil && t == inEvents && kind > uint8(store.Click), err == nil && t == inChecks && kind > uint8(store.Maintenance):
			err = errors.New("no such kind or status")
		case t == inChecks, kind <= uint8(store.PageEvent):
			kind = pageKind
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%w: %s[%d]: %w", store.ErrInvalid, tableNames[t], index, err))
		}
		of := identity{t, kind, marks[t] + subject, id}
		rows = append(rows, row{identity: of, index: index, millis: at.UnixMilli(), hash: of.hash()})
	}
	for i := range b.Events {
		e := &b.Events[i]
		add(inEvents, i, e.Website, e.ID, e.Time, uint8(e.Kind), tableOf.events.valid(&eventRow{Event: e}))
	}
	for i := range b.Errors {
		e := &b.Errors[i]
		add(inErrors, i, e.Website, e.ID, e.Time, 0, tableOf.errors.valid(&errorRow{Error: e}))
	}
	for i := range b.Vitals {
		v := &b.Vitals[i]
		valid := tableOf.vitals.valid(&vitalRow{Vital: v}) // but for the samples
		for _, sample := range v.Samples {
			valid = valid && utf8.ValidString(sample.Metric)
		}
		add(inVitals, i, v.Website, v.ID, v.Time, 0, valid)
	}
	for i := range b.Spans {
		v := &b.Spans[i]
		add(inSpans, i, v.Website, v.ID, v.Time, 0, tableOf.spans.valid(&spanRow{Span: v}))
	}
	for i := range b.Visits {
		v := &b.Visits[i]
		add(inVisits, i, v.Link, v.ID, v.Time, 0, tableOf.visits.valid(&visitRow{Visit: v}))
	}
	for i := range b.Checks {
		c := &b.Checks[i]
		add(inChecks, i, c.Schedule, c.ID, c.Time, uint8(c.Status), tableOf.checks.valid(&checkRow{Check: c}))
	}
	return rows, errors.Join(faults...)
}

// check finds what makes a row impossible to store, whose texts are valid or not.
func check(subject, id string, at time.Time, valid bool) error {
	switch year := at.UTC().Year(); {
	case subject == "":
		return errors.New("no website, link or schedule")
	case id == "":
		return errors.New("no id")
	case at.IsZero():
		return errors.New("no time")
	case year < 1 || year > 9999:
		return fmt.Errorf("the year %d", year)
	case !valid:
		return errors.New("a text that is not valid UTF-8")
	}
	return nil
}
