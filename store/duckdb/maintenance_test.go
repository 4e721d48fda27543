//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
)

func TestOldReceiptsAreDeleted(t *testing.T) {
	t.Parallel()
	var days atomic.Int64
	start := time.Date(2026, 1, 1, 23, 59, 59, 0, time.UTC)
	s := open(t, Config{Now: func() time.Time { return start.AddDate(0, 0, int(days.Load())) }})
	do(t, s, func(w *writer) { w.parts.keys = 1 }) // so that each receipt has its own part
	for day := range 12 {
		days.Store(int64(day))
		mustWrite(t, s, event(fmt.Sprint(day)))
	}
	do(t, s, func(w *writer) { // runs after the maintenance
		got, stored := w.parts.count()-1, count(t, s, "receipt_filters")*filterRow/bloomWords
		if got != ledger.RememberDays+1 || int(stored) != got {
			t.Errorf("%d full parts and %d filters in the file, want %d of each", got, stored, ledger.RememberDays+1)
		}
	})
	if n := count(t, s, "receipts"); n != ledger.RememberDays+1 {
		t.Errorf("%d receipts after 12 days with one each, want one for today and for each of %d days before", n,
			ledger.RememberDays)
	}
	for id, want := range map[string]int{"11": 1, "3": 1, "2": 0} {
		if got := mustWrite(t, s, event(id)); got.Repeated != want {
			t.Errorf("Write of the event of day %s on day 11 = %+v, want %d repeats", id, got, want)
		}
	}
}

func TestReplacedVersionsAreDeleted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	for i := range 30 {
		b := event(fmt.Sprint(i))
		b.Events[0].Time = time.Unix(int64(i%3)*86_400, 0)
		mustWrite(t, s, b)
	}
	version := func(s *Store, day int64) uint64 {
		return versionOf(t, s, site, time.Unix(day*86_400, 0), time.Unix((day+1)*86_400, 0))
	}
	if n := count(t, s, "versions"); n != 30 {
		t.Fatalf("%d rows of versions before the test, want 30", n)
	}
	do(t, s, func(w *writer) {
		w.versionRows = 1 << 20 // as after many more commits
		if err := w.dropVersions(); err != nil {
			t.Errorf("dropVersions: %v", err)
		}
	})
	if n := count(t, s, "versions"); n != 3 {
		t.Errorf("%d rows of versions, want one for each of 3 days", n)
	}
	want := [3]uint64{version(s, 0), version(s, 1), version(s, 2)}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	s = open(t, Config{Path: path})
	if got := [3]uint64{version(s, 0), version(s, 1), version(s, 2)}; got != want || want != [3]uint64{28, 29, 30} {
		t.Errorf("versions %v after a restart and %v before, want 28 29 30", got, want)
	}
}

func TestCheckpointMovesTheLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	mustWrite(t, s, event("e"))
	log := func() int64 {
		info, err := os.Stat(path + ".wal")
		if err != nil {
			return 0
		}
		return info.Size()
	}
	size := log()
	if size == 0 {
		t.Fatal("there is no log after a write")
	}
	do(t, s, func(w *writer) { w.checkpoint(size) })
	if log() != size {
		t.Error("a checkpoint was made although the log was not larger than the limit")
	}
	do(t, s, func(w *writer) { w.checkpoint(size - 1) })
	if got := log(); got >= size {
		t.Errorf("the log has %d bytes after a checkpoint, want fewer than %d", got, size)
	}
	if n := count(t, s, "events"); n != 1 {
		t.Errorf("%d events after a checkpoint, want 1", n)
	}
}

func TestBloomFilter(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	fresh := func() key { return key{int64(random.Uint64()), int32(random.Uint32())} }
	f := newBloom()
	keys := make([]key, partKeys)
	for i := range keys {
		keys[i] = fresh()
		f.add(keys[i])
	}
	for _, k := range keys {
		if !f.maybe(k) {
			t.Fatalf("the filter does not contain the added key %v", k)
		}
	}
	wrong := 0
	const tries = 1_000_000
	for range tries {
		if f.maybe(fresh()) {
			wrong++
		}
	}
	if wrong > 8 { // 0.9 are expected
		t.Errorf("a full filter contains %d of %d other keys, want about one", wrong, tries)
	}
	if bytes := 8 * len(f.words); bytes > 4*partKeys {
		t.Errorf("a filter has %d bytes for %d keys, want at most 4 bytes per key", bytes, partKeys)
	}
}

// TestGroupEqualsItsFilters compares a group with its filters, also after parts were dropped.
func TestGroupEqualsItsFilters(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var all []*part
	var keys []key
	for number := range int32(groupParts) {
		one := &part{number: 10 + number, filter: newBloom(), stored: true}
		for range 30_000 * (1 + number%3) {
			k := key{int64(random.Uint64()), int32(random.Uint32())}
			if one.filter.add(k); len(keys) < 20_000 || random.IntN(4) == 0 {
				keys = append(keys, k)
			}
		}
		all = append(all, one)
	}
	for range 200_000 {
		keys = append(keys, key{int64(random.Uint64()), int32(random.Uint32())})
	}
	of := &parts{all: append(slices.Clone(all), &part{number: 18, filter: newBloom()})}
	if of.group(); len(of.grouped) != 1 || len(of.all) != 1 {
		t.Fatalf("%d groups and %d parts, want one of each", len(of.grouped), len(of.all))
	}
	for _, dropped := range []int32{0, 13} {
		of.drop(dropped)
		for _, k := range keys {
			var want []int32
			for _, one := range all {
				if one.number >= dropped && one.filter.maybe(k) {
					want = append(want, one.number)
				}
			}
			if got := of.maybe(nil, k); !slices.Equal(got, want) {
				t.Fatalf("maybe(%v) = parts %v, want %v", k, got, want)
			}
		}
	}
	if of.drop(18); len(of.grouped) != 0 {
		t.Errorf("the group was not dropped with its last part")
	}
}

// TestStoredFiltersDoNotChange fails if the bits of filters change, because they are stored.
func TestStoredFiltersDoNotChange(t *testing.T) {
	t.Parallel()
	word, bit := bloomBit(key{hi: -7680216301454025459, lo: -987568088}, 11)
	if word != 7124 || bit != 1<<46 {
		t.Errorf("the last bit of its key in a filter is %#x of word %d, want bit 46 of word 7124", bit, word)
	}
}

// TestWrongFilterOnlyCostsTime writes a batch twice with a filter that contains every key.
func TestWrongFilterOnlyCostsTime(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	do(t, s, func(w *writer) {
		for i := range bloomWords {
			w.parts.last().filter.words[i] = ^uint64(0)
		}
	})
	for _, want := range []store.Written{{Stored: 500}, {Repeated: 500}} {
		if got := mustWrite(t, s, batch("e", 500)); got != want {
			t.Errorf("Write = %+v, want %+v", got, want)
		}
	}
}

func TestEraseRemovesOnlyOneSubject(t *testing.T) {
	t.Parallel()
	s := open(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb")})
	at := time.Unix(1_700_000_000, 0)
	b := &store.Batch{
		Events: []store.Event{{Website: "w", ID: "1", Time: at}, {Website: "v", ID: "1", Time: at},
			{Website: "w", ID: "2", Time: at.AddDate(0, 0, 9)}},
		Errors: []store.Error{{Website: "w", ID: "1", Time: at}},
		Vitals: []store.Vital{{Website: "w", ID: "1", Time: at,
			Samples: []store.Sample{{Metric: "LCP"}, {Metric: "CLS"}}}},
		Spans:  []store.Span{{Website: "w", ID: "1", Time: at}, {Website: "v", ID: "1", Time: at}},
		Visits: []store.Visit{{Link: "w", ID: "1", Time: at}},
	}
	mustWrite(t, s, b)
	version := func(of store.Subject) uint64 {
		return versionOf(t, s, of, at.AddDate(0, 0, 9), at.AddDate(0, 0, 10))
	}
	before := version(site)
	if n, err := s.Erase(t.Context(), site); err != nil || n != 6 {
		t.Errorf("Erase = %d, %v; want 6 rows", n, err)
	}
	if after := version(site); after <= before {
		t.Errorf("version %d after Erase, want a version above %d", after, before)
	}
	if e, sp, v := count(t, s, "events"), count(t, s, "spans"), count(t, s, "visits"); e != 1 || sp != 1 || v != 1 {
		t.Errorf("%d events, %d spans and %d visits after Erase, want one of each", e, sp, v)
	}
	if n, err := s.Erase(t.Context(), store.Subject{Kind: store.KindSchedule, ID: "w"}); err != nil || n != 0 {
		t.Errorf("Erase of an unknown subject = %d, %v; want 0", n, err)
	}
	if got := mustWrite(t, s, b); got != (store.Written{Stored: 5, Repeated: 3}) {
		t.Errorf("second Write = %+v, want 5 stored rows, which were erased, and 3 repeats", got)
	}
}
