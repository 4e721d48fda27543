//go:build cgo

package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/example/demo"
	"github.com/sightline-analytics/sightline/example/install"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

const (
	demoSeed = 1
	demoDays = 90
	oneDay   = 24 * time.Hour
)

// progress records how much demo traffic was written: all rows of [From, Covered), and possibly some rows of
// [Covered, Writing).
type progress struct {
	From    time.Time `json:"from"`
	Covered time.Time `json:"covered"`
	Writing time.Time `json:"writing,omitzero"`
}

// A filler writes demo traffic up to now. It saves its progress before and after each batch. After a crash it asks
// the store for the rows of an unfinished batch, so every row is stored once.
type filler struct {
	store   demoStore
	traffic *demo.Generator
	website string
	days    int           // of traffic before the first start
	step    time.Duration // length of a batch; 0 means a day
	file    string        // has the progress
	report  func(done float64, rows int)
}

// demoTries is the maximum number of attempts to write a batch to a busy store.
const demoTries = 10

// A demoStore is a store that a filler can use.
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

// write stores the rows of [p.Covered, end) and returns their number.
func (f *filler) write(ctx context.Context, p *progress, end time.Time) (int, error) {
	p.Writing = end
	if err := f.save(*p); err != nil {
		return 0, err
	}
	b := f.traffic.Batch(p.Covered, end)
	if err := f.writeAll(ctx, b); err != nil {
		return 0, err
	}
	*p = progress{From: p.From, Covered: end}
	return b.Len(), f.save(*p)
}

// writeAll writes b, with retries.
func (f *filler) writeAll(ctx context.Context, b *store.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	_, err := f.store.Write(ctx, b)
	for try := 1; try < demoTries && errors.Is(err, store.ErrUnavailable); try++ {
		_, err = f.store.Write(ctx, b) // rows have ids, so none is stored twice
	}
	if err != nil {
		return fmt.Errorf("writing demo traffic: %w", err)
	}
	return nil
}

// load reads the progress of earlier runs and completes an unfinished batch. It starts from the beginning if there is
// no saved progress or no data.
func (f *filler) load(ctx context.Context, now time.Time) (progress, error) {
	start := now.Add(-time.Duration(f.days) * oneDay)
	fresh := progress{From: start, Covered: start}
	text, err := os.ReadFile(f.file)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return progress{}, err
	}
	var p progress
	if err := json.Unmarshal(text, &p); err != nil {
		return progress{}, fmt.Errorf("%s: %w", f.file, err)
	}
	if p.Covered.After(p.From) {
		found, err := f.any(ctx, p)
		if err != nil {
			return progress{}, err
		}
		if !found {
			return fresh, nil // the file of events was removed
		}
	}
	if p.Writing.After(p.Covered) {
		err = f.settle(ctx, &p)
	}
	return p, err
}

// any reports whether the store has an event of [p.From, p.Covered).
func (f *filler) any(ctx context.Context, p progress) (bool, error) {
	counted, err := f.ask(ctx, f.store.Dialect().Call(dialect.Count), dialect.Int, "events",
		store.Subject{Kind: store.KindWebsite, ID: f.website}, p.From, p.Covered)
	return err == nil && counted.Ints[0] > 0, err
}

// settle stores the missing rows of [p.Covered, p.Writing). It reads the stored rows instead of relying on event ids,
// which the store forgets after some days.
func (f *filler) settle(ctx context.Context, p *progress) error {
	b := f.traffic.Batch(p.Covered, p.Writing)
	err := errors.Join(
		lack(ctx, f, p, "events", store.KindWebsite, &b.Events, func(e *store.Event) (string, string) { return e.Website, e.ID }),
		lack(ctx, f, p, "errors", store.KindWebsite, &b.Errors, func(e *store.Error) (string, string) { return e.Website, e.ID }),
		lack(ctx, f, p, "vitals", store.KindWebsite, &b.Vitals, func(v *store.Vital) (string, string) { return v.Website, v.ID }),
		lack(ctx, f, p, "spans", store.KindWebsite, &b.Spans, func(s *store.Span) (string, string) { return s.Website, s.ID }),
		lack(ctx, f, p, "visits", store.KindLink, &b.Visits, func(v *store.Visit) (string, string) { return v.Link, v.ID }),
		lack(ctx, f, p, "blocked", store.KindWebsite, &b.Blocked, func(o *store.Blocked) (string, string) { return o.Website, o.ID }),
		lack(ctx, f, p, "checks", store.KindSchedule, &b.Checks, func(c *store.Check) (string, string) { return c.Schedule, c.ID }),
	)
	if err == nil {
		err = f.writeAll(ctx, b)
	}
	if err != nil {
		return err
	}
	*p = progress{From: p.From, Covered: p.Writing}
	return f.save(*p)
}

// lack keeps the rows that are not in table yet. All rows have the same subject.
func lack[T any](ctx context.Context, f *filler, p *progress, table string, kind store.SubjectKind, rows *[]T, of func(*T) (subject, id string)) error {
	if len(*rows) == 0 {
		return nil
	}
	subject, _ := of(&(*rows)[0])
	stored, err := f.ask(ctx, "t.event_id", dialect.Text, table, store.Subject{Kind: kind, ID: subject}, p.Covered, p.Writing)
	known := make(map[string]bool, len(stored.Texts))
	for _, id := range stored.Texts {
		known[id] = true
	}
	*rows = slices.DeleteFunc(*rows, func(row T) bool {
		_, id := of(&row)
		return known[id]
	})
	return err
}

// ask returns a column of a table, for the rows of subject in [from, to).
func (f *filler) ask(ctx context.Context, what string, kind dialect.Kind, table string, subject store.Subject, from, to time.Time) (store.Column, error) {
	d := f.store.Dialect()
	rows, err := f.store.Query(ctx, store.Statement{
		Label: "demo",
		SQL: "SELECT " + what + " AS asked FROM " + table + " AS t WHERE t.subject = " + d.Arg("subject", dialect.Subject) +
			" AND t.time >= " + d.Arg("since", dialect.Int) + " AND t.time < " + d.Arg("until", dialect.Int),
		Args: []dialect.Arg{
			{Name: "subject", Kind: dialect.Subject, Value: subject},
			{Name: "since", Kind: dialect.Int, Value: from.UnixMilli()},
			{Name: "until", Kind: dialect.Int, Value: to.UnixMilli()},
		},
		Kinds: []dialect.Kind{kind},
	})
	if err != nil {
		return store.Column{}, fmt.Errorf("reading demo traffic: %w", err)
	}
	return rows.Columns[0], nil
}

func (f *filler) save(p progress) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return install.Replace(f.file, append(text, '\n'))
}
