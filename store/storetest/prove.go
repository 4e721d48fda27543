package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A Harness creates the stores under test.
type Harness struct {
	// Create creates an empty database and returns its address: the path of a file, or a DSN. Nil means that
	// the store keeps rows only in memory; then restarts are not tested.
	Create func(t *testing.T) string
	// Open opens the store at an address returned by Create, and closes it with t.Cleanup. now is the clock of a store
	// that notes when rows arrive, for example to forget old event ids. For a restart, Prove calls the store's method
	// Close(ctx), if it exists, and then Open again. Without Create, the address is empty, and each call must return a
	// new store. Required.
	Open func(t *testing.T, address string, now func() time.Time) store.Store
	// Fill stores the rows of b in s, which is empty and does not implement store.Writer. No two items of b
	// have the same id.
	Fill func(t *testing.T, s store.Store, b *store.Batch)
	// Slow is a statement that would run for minutes. It is used to test cancellation, which is skipped if Slow
	// is empty.
	Slow store.Statement
	// SampleEvery runs only one test in this many. In Prove it applies to the variants of requests, and to the cases of
	// each concurrent caller; one dimension of datasets in six is tested. A store that is not a [store.Writer] is then
	// tested without datasets and variants. In Definitions cases are tested in one zone. In Properties it applies to
	// the types, different ones per property; in Keys to the types. 0 means all.
	SampleEvery int
	// NoMistakes leaves out mistakes in the engine that Prove, Answers and Expired plant to see that they notice them.
	// Set it if they are planted in another store. SIGHTLINE_MUTATIONS=all plants them all the same.
	NoMistakes bool
	// Remote is for stores whose statements are slow even if they read few rows. In random runs more days are
	// then sealed at once, and only one question in six is repeated to test partials.
	Remote bool
}

// Prove tests that a store answers as the engine requires, and that it fulfils the contract of each optional
// interface it implements. Each case logs the sentence that it checks. Queries use the store's dialect, and
// only logical tables and columns. A store that does not implement [store.Writer] is filled by [Harness.Fill],
// and only reading is tested.
func Prove(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t)
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
	if err := s.Dialect().Check(); err != nil {
		t.Fatal(err)
	}
	_, lacks := store.Abilities(s)
	for _, part := range []struct {
		name  string
		needs []string // further interfaces
		prove func(*testing.T, Harness)
	}{
		{"Store", nil, func(t *testing.T, h Harness) { proveReading(t, h, s) }},
		{"Writer", nil, proveCases(writeCases)},
		{"DayLister", []string{"Writer"}, proveCases(versionCases)},
		{"Deriver", []string{"Writer"}, proveCases(deriverCases)},
		{"Resealer", []string{"Writer"}, proveCases(resealerCases)},
		{"StateKeeper", []string{"Writer", "Deriver"}, proveCases(stateCases)},
		{"Eraser", []string{"Writer"}, proveCases(eraseCases)},
		{"Expirer", []string{"Writer", "DayLister"}, proveCases(expireCases)},
		{"PersonEraser", []string{"Writer"}, proveCases(personCases)},
		{"Remover", []string{"Writer"}, proveCases(importCases)},
		{"Purger", []string{"Writer"}, proveCases(purgeCases)},
		{"Maintainer", []string{"Writer"}, proveCases(maintainCases)},
		{"Lister", []string{"Writer"}, proveCases(listerCases)},
		{"Restorer", []string{"Writer"}, proveRestorer},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range append(slices.Clip(part.needs), part.name) {
				if slices.Contains(lacks, name) {
					t.Skipf("not tested: %T does not implement store.%s", s, name)
				}
			}
			part.prove(t, h)
		})
	}
}

// plants reports whether mistakes in the engine are planted.
func (h *Harness) plants() bool { return !h.NoMistakes || AllMutations() }

// open returns an empty store that uses the system's clock.
func (h *Harness) open(t *testing.T) store.Store {
	t.Helper()
	return h.Open(t, h.create(t), time.Now)
}

func (h *Harness) create(t *testing.T) string {
	t.Helper()
	if h.Create == nil {
		return ""
	}
	return h.Create(t)
}

// filled returns a store with the rows of b.
func (h *Harness) filled(t *testing.T, b *store.Batch) store.Store {
	t.Helper()
	s := h.open(t)
	h.fill(t, s, b)
	return s
}

func (h *Harness) fill(t *testing.T, s store.Store, b *store.Batch) {
	t.Helper()
	if w, ok := s.(store.Writer); ok {
		mustWrite(t, w, b)
		return
	}
	if h.Fill == nil {
		t.Fatalf("%T does not implement store.Writer, and Harness.Fill is nil", s)
	}
	once, err := withoutRepeats(b)
	if err != nil {
		t.Fatal(err)
	}
	h.Fill(t, s, once)
}

// withoutRepeats returns b as a store.Writer stores it: of items with the same event id, only the first.
func withoutRepeats(b *store.Batch) (*store.Batch, error) {
	seen := map[schema.Identity]bool{}
	var repeated [schema.NumTables]map[int]bool
	for i := range repeated {
		repeated[i] = map[int]bool{}
	}
	err := schema.Items(b, func(item schema.Item) {
		repeated[item.Table][item.Index] = seen[item.Identity]
		seen[item.Identity] = true
	})
	return &store.Batch{
		Events: without(b.Events, repeated[schema.Events]), Errors: without(b.Errors, repeated[schema.Errors]),
		Vitals: without(b.Vitals, repeated[schema.Vitals]), Spans: without(b.Spans, repeated[schema.Spans]),
		Visits: without(b.Visits, repeated[schema.Visits]), Checks: without(b.Checks, repeated[schema.Checks]),
		Blocked: without(b.Blocked, repeated[schema.Blocked]),
	}, err
}

func without[T any](items []T, left map[int]bool) (kept []T) {
	for i, item := range items {
		if !left[i] {
			kept = append(kept, item)
		}
	}
	return kept
}

// mustClose closes a store that has a method Close(ctx).
func mustClose(t *testing.T, s store.Store) {
	t.Helper()
	if c, ok := s.(interface {
		Close(ctx context.Context) error
	}); ok {
		if err := c.Close(context.Background()); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
}
