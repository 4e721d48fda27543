//go:build cgo

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/sightline-analytics/sightline/example/demo"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

const (
	demoSeed = 1
	demoDays = 90
	oneDay   = 24 * time.Hour
)

// progress says how far demo traffic has been written: all of [From, Covered) is
// stored, and of [Covered, Writing) perhaps some.
type progress struct {
	From    time.Time `json:"from"`
	Covered time.Time `json:"covered"`
	Writing time.Time `json:"writing,omitzero"`
}

// A filler writes demo traffic up to now. The end of a batch is noted before and after;
// so however often and wherever the program dies, every row is stored once. A store that
// may keep a part of a batch knows its rows by their ids for long enough.
type filler struct {
	store   demoStore
	traffic *demo.Generator
	website string
	days    int           // before the first start
	step    time.Duration // of a batch; 0 is a day
	file    string        // of progress
	report  func(done float64, rows int)
}

// demoTries is how often a batch is written to a server that is too busy for it.
const demoTries = 4

// demoStore is what a filler needs of a store.
type demoStore interface {
	store.Store
	store.Writer
}

func (f *filler) fill(ctx context.Context, now time.Time) error {
	p, err := f.load(ctx, now)
	if err != nil {
		return err
	}
	begun, rows := p.Covered, 0
	for p.Covered.Before(now) {
		end := p.Covered.Add(max(f.step, oneDay))
		if end.After(now) {
			end = now
		}
		n, err := f.write(ctx, &p, end)
		if err != nil {
			return err
		}
		rows += n
		f.report(float64(end.Sub(begun))/float64(now.Sub(begun)), rows)
	}
	return nil
}

// write stores [p.Covered, end), and reports how many rows that were.
func (f *filler) write(ctx context.Context, p *progress, end time.Time) (int, error) {
	p.Writing = end
	if err := f.save(*p); err != nil {
		return 0, err
	}
	b := f.traffic.Batch(p.Covered, end)
	if b.Len() > 0 {
		_, err := f.store.Write(ctx, b)
		for try := 1; try < demoTries && errors.Is(err, store.ErrUnavailable); try++ {
			_, err = f.store.Write(ctx, b) // every row has an id: none is stored twice
		}
		if err != nil {
			return 0, fmt.Errorf("writing demo traffic: %w", err)
		}
	}
	*p = progress{From: p.From, Covered: end}
	return b.Len(), f.save(*p)
}

// load reads how far earlier runs came, and settles a write that one of them did not
// live to note. It starts anew when there is no note or no data.
func (f *filler) load(ctx context.Context, now time.Time) (progress, error) {
	start := now.Add(-time.Duration(f.days) * oneDay)
	anew := progress{From: start, Covered: start}
	text, err := os.ReadFile(f.file)
	if errors.Is(err, fs.ErrNotExist) {
		return anew, nil
	}
	if err != nil {
		return progress{}, err
	}
	var p progress
	if err := json.Unmarshal(text, &p); err != nil {
		return progress{}, fmt.Errorf("%s: %w", f.file, err)
	}
	if p.Writing.After(p.Covered) {
		there, err := f.stored(ctx, f.traffic.Batch(p.Covered, p.Writing))
		if err != nil {
			return progress{}, err
		}
		if there {
			p.Covered = p.Writing
		}
	}
	if p.Covered.After(p.From) {
		there, err := f.any(ctx, p)
		if err != nil {
			return progress{}, err
		}
		if !there {
			return anew, nil // the analytics were taken away
		}
	}
	return progress{From: p.From, Covered: p.Covered}, nil
}

// any reports whether there is an event of [p.From, p.Covered).
func (f *filler) any(ctx context.Context, p progress) (bool, error) {
	d := f.store.Dialect()
	return f.found(ctx, "events", store.Subject{Kind: store.KindWebsite, ID: f.website},
		"t.time >= "+d.Arg("since", dialect.Int)+" AND t.time < "+d.Arg("until", dialect.Int),
		dialect.Arg{Name: "since", Kind: dialect.Int, Value: p.From.UnixMilli()},
		dialect.Arg{Name: "until", Kind: dialect.Int, Value: p.Covered.UnixMilli()})
}

// stored reports whether b was written, by looking for a row of every kind that it has.
func (f *filler) stored(ctx context.Context, b *store.Batch) (bool, error) {
	type one struct {
		table, id string
		subject   store.Subject
	}
	var all []one
	add := func(table string, kind store.SubjectKind, subject, id string) {
		all = append(all, one{table, id, store.Subject{Kind: kind, ID: subject}})
	}
	if len(b.Events) > 0 {
		add("events", store.KindWebsite, b.Events[0].Website, b.Events[0].ID)
	}
	if len(b.Errors) > 0 {
		add("errors", store.KindWebsite, b.Errors[0].Website, b.Errors[0].ID)
	}
	if len(b.Vitals) > 0 {
		add("vitals", store.KindWebsite, b.Vitals[0].Website, b.Vitals[0].ID)
	}
	if len(b.Spans) > 0 {
		add("spans", store.KindWebsite, b.Spans[0].Website, b.Spans[0].ID)
	}
	if len(b.Visits) > 0 {
		add("visits", store.KindLink, b.Visits[0].Link, b.Visits[0].ID)
	}
	if len(b.Checks) > 0 {
		add("checks", store.KindSchedule, b.Checks[0].Schedule, b.Checks[0].ID)
	}
	for _, row := range all {
		there, err := f.found(ctx, row.table, row.subject, "t.event_id = "+f.store.Dialect().Arg("id", dialect.Text),
			dialect.Arg{Name: "id", Kind: dialect.Text, Value: row.id})
		if !there || err != nil {
			return false, err
		}
	}
	return true, nil
}

// found reports whether table has a row of subject that meets a condition on t.
func (f *filler) found(ctx context.Context, table string, subject store.Subject, condition string, args ...dialect.Arg) (bool, error) {
	d := f.store.Dialect()
	rows, err := f.store.Query(ctx, store.Statement{
		Label: "demo",
		SQL: "SELECT " + d.Call(dialect.Count) + " AS counted FROM " + table + " AS t WHERE t.subject = " + d.Arg("subject", dialect.Subject) +
			" AND " + condition,
		Args:  append(args, dialect.Arg{Name: "subject", Kind: dialect.Subject, Value: subject}),
		Kinds: []dialect.Kind{dialect.Int},
	})
	if err != nil {
		return false, fmt.Errorf("looking for demo traffic: %w", err)
	}
	return rows.Len == 1 && rows.Columns[0].Ints[0] > 0, nil
}

func (f *filler) save(p progress) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return replace(f.file, append(text, '\n'))
}
