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
// stored, and of [Covered, Writing) either all or nothing is.
type progress struct {
	From    time.Time `json:"from"`
	Covered time.Time `json:"covered"`
	Writing time.Time `json:"writing,omitzero"`
}

// A filler writes demo traffic up to now. A batch is stored whole or not at all, and
// its end is noted before and after; so however often and wherever the program dies,
// every row is stored once.
type filler struct {
	store   demoStore
	traffic *demo.Generator
	website string
	days    int    // before the first start
	file    string // of progress
	report  func(done float64, rows int)
}

// demoStore is what a filler needs of a store.
type demoStore interface {
	store.Store
	store.Writer
	store.Versioner
}

func (f *filler) fill(ctx context.Context, now time.Time) error {
	p, err := f.load(ctx, now)
	if err != nil {
		return err
	}
	begun, rows := p.Covered, 0
	for p.Covered.Before(now) {
		end := p.Covered.Add(oneDay)
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
		if _, err := f.store.Write(ctx, b); err != nil {
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
	version, err := f.store.Version(ctx, store.Subject{Kind: store.KindWebsite, ID: f.website}, p.From, p.Covered)
	if err != nil {
		return progress{}, err
	}
	if version == 0 && p.Covered.After(p.From) {
		return anew, nil // the analytics file was taken away
	}
	return progress{From: p.From, Covered: p.Covered}, nil
}

// stored reports whether b was written, by looking for one of its rows.
func (f *filler) stored(ctx context.Context, b *store.Batch) (bool, error) {
	var table, id string
	var subject store.Subject
	switch {
	case len(b.Events) > 0:
		table, subject, id = "events", store.Subject{Kind: store.KindWebsite, ID: b.Events[0].Website}, b.Events[0].ID
	case len(b.Checks) > 0:
		table, subject, id = "checks", store.Subject{Kind: store.KindSchedule, ID: b.Checks[0].Schedule}, b.Checks[0].ID
	case len(b.Visits) > 0:
		table, subject, id = "visits", store.Subject{Kind: store.KindLink, ID: b.Visits[0].Link}, b.Visits[0].ID
	case len(b.Vitals) > 0:
		table, subject, id = "vitals", store.Subject{Kind: store.KindWebsite, ID: b.Vitals[0].Website}, b.Vitals[0].ID
	case len(b.Errors) > 0:
		table, subject, id = "errors", store.Subject{Kind: store.KindWebsite, ID: b.Errors[0].Website}, b.Errors[0].ID
	default:
		return true, nil
	}
	d := f.store.Dialect()
	rows, err := f.store.Query(ctx, store.Statement{
		Label: "demo",
		SQL: "SELECT count(*) FROM " + table + " AS t WHERE t.subject = " + d.Arg("subject", dialect.Subject) +
			" AND t.event_id = " + d.Arg("id", dialect.Text),
		Args: []dialect.Arg{
			{Name: "subject", Kind: dialect.Subject, Value: subject},
			{Name: "id", Kind: dialect.Text, Value: id},
		},
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
