//go:build cgo

package site

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

func TestMain(m *testing.M) {
	time.Local = time.FixedZone("Asia/Kathmandu", 5*3600+45*60)
	os.Exit(m.Run())
}

var errDied = errors.New("the process died")

// A crashing store simulates a crash of the process at one of its writes.
type crashing struct {
	*duckdb.Store
	left int // writes until the crash
	kept kept
}

// kept is the part of the last write that survives the crash.
type kept int

const (
	all kept = iota
	none
	some // as on servers that store a write in parts
)

func (m *crashing) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	m.left--
	if m.left == 0 && m.kept != all {
		part := *b
		part.Events, part.Spans = part.Events[:len(part.Events)/2], part.Spans[:1]
		if m.kept == none {
			part = store.Batch{}
		}
		_, err := m.Store.Write(ctx, &part)
		return store.Written{}, errors.Join(err, errDied)
	}
	w, err := m.Store.Write(ctx, b)
	if m.left == 0 {
		return store.Written{}, errors.Join(err, errDied)
	}
	return w, err
}

var began = time.Date(2026, time.September, 3, 11, 22, 33, 456e6, time.UTC)

// A clock is the time of the store, which also reads it in a goroutine.
type clock struct{ passed atomic.Int64 }

func (c *clock) now() time.Time { return began.Add(time.Duration(c.passed.Load())) }

func testFiller(t *testing.T) (*filler, *clock) {
	t.Helper()
	c := &clock{}
	db, err := duckdb.Open(t.Context(), duckdb.Config{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.Background()) }) // the test is over
	return &filler{
		store:   db,
		website: "site",
		days:    6,
		traffic: []*demo.Generator{
			demo.New(demo.Config{Seed: demoSeed, Website: "site", Domain: "demo.example", Link: "link", PerDay: 15}),
			demo.New(demo.Config{Seed: demoSeed, Link: "other", PerDay: 15}),
		},
		file:   filepath.Join(t.TempDir(), ProgressFile),
		report: func(float64, int) {},
	}, c
}

// count returns the number of rows in each table of f's store.
func count(t *testing.T, f *filler) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	for name, kind := range map[string]store.Subject{
		"events": {Kind: store.KindWebsite, ID: "site"}, "errors": {Kind: store.KindWebsite, ID: "site"},
		"vitals": {Kind: store.KindWebsite, ID: "site"}, "spans": {Kind: store.KindWebsite, ID: "site"},
		"visits": {Kind: store.KindLink, ID: "link"}, "visits of the other link": {Kind: store.KindLink, ID: "other"},
	} {
		d := f.store.Dialect()
		table, _, _ := strings.Cut(name, " ")
		rows, err := f.store.Query(t.Context(), store.Statement{
			SQL:   fmt.Sprintf("SELECT count(*) FROM %s AS t WHERE t.subject = %s", table, d.Arg("s", dialect.Subject)),
			Args:  []dialect.Arg{{Name: "s", Kind: dialect.Subject, Value: kind}},
			Kinds: []dialect.Kind{dialect.Int},
		})
		if err != nil {
			t.Fatal(err)
		}
		counts[name] = rows.Columns[0].Ints[0]
	}
	return counts
}

// want returns the rows that a filler has written from began to now.
func want(f *filler, now time.Time) map[string]int64 {
	b := f.batch(began.Add(-time.Duration(f.days)*oneDay), now)
	samples, other := 0, 0
	for _, v := range b.Vitals {
		samples += len(v.Samples)
	}
	for _, v := range b.Visits {
		if v.Link == "other" {
			other++
		}
	}
	return map[string]int64{
		"events": int64(len(b.Events)), "errors": int64(len(b.Errors)), "vitals": int64(samples),
		"spans": int64(len(b.Spans)), "visits": int64(len(b.Visits) - other), "visits of the other link": int64(other),
	}
}

// TestFillWritesEveryRowOnce lets the program crash and run again before the store forgets ids.
func TestFillWritesEveryRowOnce(t *testing.T) {
	for _, row := range []struct {
		name string
		dies int // number of the write at which it crashes; 0: never
		kept kept
		away time.Duration // until the program runs again
	}{
		{"undisturbed", 0, all, time.Minute},
		{"undisturbed, restart after ids are forgotten", 0, all, 9 * 24 * time.Hour},
		{"crash before a write", 4, none, time.Minute},
		{"crash before a write, restart after ids are forgotten", 4, none, 9 * 24 * time.Hour},
		{"crash during a write", 4, some, time.Minute},
		{"crash after a write", 4, all, time.Minute},
		{"crash before the first write", 1, none, time.Minute},
		{"crash after the first write", 1, all, time.Minute},
		{"crash after the last write", 6, all, time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, c := testFiller(t)
			db := f.store.(*duckdb.Store)
			if row.dies > 0 {
				f.store = &crashing{db, row.dies, row.kept}
			}
			if err := f.fill(t.Context(), c.now()); row.dies > 0 != errors.Is(err, errDied) {
				t.Fatal(err)
			}
			f.store = db
			for range 2 { // every restart continues up to now
				c.passed.Add(int64(row.away))
				if err := f.fill(t.Context(), c.now()); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want(f, c.now()), count(t, f)); diff != "" {
				t.Errorf("rows (want, got):\n%s", diff)
			}
		})
	}
}

// A busy store returns an error for every second write, although it stored it.
type busy struct {
	*duckdb.Store
	writes int
}

func (b *busy) Write(ctx context.Context, batch *store.Batch) (store.Written, error) {
	w, err := b.Store.Write(ctx, batch)
	if b.writes++; b.writes%2 == 1 {
		return store.Written{}, errors.Join(err, store.ErrUnavailable)
	}
	return w, err
}

func TestFillOnABusyStore(t *testing.T) {
	f, c := testFiller(t)
	db := f.store.(*duckdb.Store)
	f.store = &busy{Store: db}
	if err := f.fill(t.Context(), c.now()); err != nil {
		t.Fatal(err)
	}
	f.store = db
	if diff := cmp.Diff(want(f, c.now()), count(t, f)); diff != "" {
		t.Errorf("rows (want, got):\n%s", diff)
	}
}

func TestFillRestartsWithoutItsData(t *testing.T) {
	f, c := testFiller(t)
	if err := f.fill(t.Context(), c.now()); err != nil {
		t.Fatal(err)
	}
	other, _ := testFiller(t) // the file of events was removed, the progress was not
	other.file = f.file
	if err := other.fill(t.Context(), c.now()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want(f, c.now()), count(t, other)); diff != "" {
		t.Errorf("rows (want, got):\n%s", diff)
	}
}

func TestFillDoesNothingWhenTheClockGoesBack(t *testing.T) {
	f, c := testFiller(t)
	if err := f.fill(t.Context(), c.now()); err != nil {
		t.Fatal(err)
	}
	before := count(t, f)
	if err := f.fill(t.Context(), c.now().Add(-48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, count(t, f)); diff != "" {
		t.Errorf("rows (before, after):\n%s", diff)
	}
}

func TestFollowWritesTheTrafficSinceTheLastTime(t *testing.T) {
	f, c := testFiller(t)
	if err := f.fill(t.Context(), c.now()); err != nil {
		t.Fatal(err)
	}
	before := count(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	writes := 0
	f.report = func(float64, int) {
		if writes++; writes == 3 {
			cancel()
		}
	}
	f.follow(ctx, func() time.Time {
		c.passed.Add(int64(6 * time.Hour))
		return c.now()
	}, time.Millisecond, func(err error) { t.Log(err) })
	p, err := f.load(t.Context(), c.now())
	if err != nil {
		t.Fatal(err)
	}
	after := count(t, f)
	if diff := cmp.Diff(want(f, p.Covered), after); diff != "" || after["events"] == before["events"] {
		t.Errorf("%d events before; rows (want, got):\n%s", before["events"], diff)
	}
}
