package site

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/internal/atomicfile"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

const (
	demoSeed = 1
	demoDays = 90
	oneDay   = 24 * time.Hour
)

// progress records how much demo traffic was written: all rows before Covered.
type progress struct {
	Covered time.Time `json:"covered"`
}

// A filler writes demo traffic up to now. It saves its progress after each batch, and writes a batch again if a crash
// came first. Rows have ids, so the store ignores repeats, but only for some days. If the server stays stopped longer,
// the rows of that one batch may count twice.
type filler struct {
	store   Store
	traffic []*demo.Generator
	website string
	days    int           // of traffic before the first start
	step    time.Duration // length of a batch; 0 means a day
	file    string        // has the progress
	report  func(done float64, rows int)
}

func newFiller(cfg Config) *filler {
	return &filler{
		store:   cfg.Events,
		website: demoWebsite,
		days:    cmp.Or(cfg.Days, demoDays),
		step:    cfg.Step,
		file:    filepath.Join(cfg.Folder, cmp.Or(cfg.ProgressFile, ProgressFile)),
		traffic: []*demo.Generator{
			demo.New(demo.Config{Seed: demoSeed, Website: demoWebsite, Domain: demoDomain, Link: demoLink,
				Schedule: demoMonitor}),
			demo.New(demo.Config{Seed: demoSeed + 1, Link: otherLink, Schedule: otherMonitor, Domain: otherDomain,
				PerDay: otherPerDay}),
		},
		report: progressOn(cfg.Progress),
	}
}

// Continue writes the traffic of a demo that [Create] created, until ctx ends. The time between
// writes is every, at least a millisecond. The next write also has the traffic of one that failed. A later
// Create continues where Continue ended, so each row counts once. Continue calls failed with each error, unless failed
// is nil.
func Continue(ctx context.Context, cfg Config, every time.Duration, failed func(error)) {
	cfg = cfg.withDefaults()
	cfg.Progress = io.Discard
	newFiller(cfg).follow(ctx, cfg.Now, max(every, time.Millisecond), func(err error) {
		if failed != nil && ctx.Err() == nil {
			failed(err)
		}
	})
}

func (f *filler) follow(ctx context.Context, now func() time.Time, every time.Duration, failed func(error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var p progress
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		// The progress is read once: data that is erased while the server runs must not come back.
		if p.Covered.IsZero() {
			found, err := f.load(ctx, now())
			if err != nil {
				failed(err)
				continue
			}
			p = found
		}
		var err error
		if p, err = f.advance(ctx, p, now()); err != nil {
			failed(err) // the next time continues
		}
	}
}

// demoTries is the maximum number of attempts to write a batch to a busy store.
const demoTries = 10

func (f *filler) fill(ctx context.Context, now time.Time) error {
	p, err := f.load(ctx, now)
	if err != nil {
		return err
	}
	_, err = f.advance(ctx, p, now)
	return err
}

// advance writes the traffic from p to now, and returns the new progress, also with an error.
func (f *filler) advance(ctx context.Context, p progress, now time.Time) (progress, error) {
	begun, rows := p.Covered, 0
	for p.Covered.Before(now) {
		end := p.Covered.Add(max(f.step, oneDay))
		if end.After(now) {
			end = now
		}
		b := f.batch(p.Covered, end)
		if err := f.write(ctx, b); err != nil {
			return p, err
		}
		p.Covered = end
		if err := f.save(p); err != nil {
			return p, err
		}
		rows += b.Len()
		f.report(float64(end.Sub(begun))/float64(now.Sub(begun)), rows)
	}
	return p, nil
}

// batch returns the traffic with from <= time < to. Only the first generator has rows of a website.
func (f *filler) batch(from, to time.Time) *store.Batch {
	all := f.traffic[0].Batch(from, to)
	for _, g := range f.traffic[1:] {
		b := g.Batch(from, to)
		all.Visits, all.Checks = append(all.Visits, b.Visits...), append(all.Checks, b.Checks...)
	}
	return all
}

// write writes b, with retries.
func (f *filler) write(ctx context.Context, b *store.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	_, err := f.store.Write(ctx, b)
	for try := 1; try < demoTries && errors.Is(err, store.ErrUnavailable); try++ {
		_, err = f.store.Write(ctx, b)
	}
	if err != nil {
		return fmt.Errorf("writing demo traffic: %w", err)
	}
	return nil
}

// load reads the progress of earlier runs. It starts from the beginning if there is no saved progress or no data.
func (f *filler) load(ctx context.Context, now time.Time) (progress, error) {
	fresh := progress{now.Add(-time.Duration(f.days) * oneDay)}
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
	if found, err := f.any(ctx); err != nil || found {
		return p, err
	}
	return fresh, nil // the file of events was removed
}

// any reports whether the store has events of the website.
func (f *filler) any(ctx context.Context) (bool, error) {
	d := f.store.Dialect()
	rows, err := f.store.Query(ctx, store.Statement{
		Label: "demo",
		SQL: "SELECT " + d.Call(dialect.Count) + " AS events FROM events AS t WHERE t.subject = " +
			d.Arg("subject", dialect.Subject),
		Args: []dialect.Arg{{Name: "subject", Kind: dialect.Subject,
			Value: store.Subject{Kind: store.KindWebsite, ID: f.website}}},
		Kinds: []dialect.Kind{dialect.Int},
	})
	if err != nil {
		return false, fmt.Errorf("reading demo traffic: %w", err)
	}
	return rows.Columns[0].Ints[0] > 0, nil
}

func (f *filler) save(p progress) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return atomicfile.Replace(f.file, append(text, '\n'))
}
