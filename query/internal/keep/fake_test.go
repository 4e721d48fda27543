package keep_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
	"github.com/sightline-analytics/sightline/query/internal/keep"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// noon is the first instant of the clock of a fake, in the middle of day 0.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// on returns the start of day n.
func on(n int) time.Time { return noon.Truncate(24*time.Hour).AddDate(0, 0, n) }

func website(id string) store.Subject { return store.Subject{Kind: store.KindWebsite, ID: id} }

// A fake is a store that numbers commits and seals, and has no rows. It records its calls, and fails on demand. It
// tests the order of calls and faults; store/duckdb tests what is stored.
type fake struct {
	mu     sync.Mutex
	now    time.Time
	commit uint64
	days   map[store.Subject]map[int]store.Day // by number
	calls  []string
	// fault is called with each call, before it has an effect; nil: none fails.
	fault func(call string) error
	// found has the rows of statements by label; other statements find none.
	found map[string][][3]int64
	// counted is called with the number of statements that compute states, after each; nil: nothing is.
	counted    func(n int)
	statements int
	takes      time.Duration // of each Seal and Reseal
	asked      bool          // somebody asks all the time
	busy       time.Duration
	rests      time.Duration // that the pace rested
}

func newFake() *fake {
	return &fake{now: noon, days: map[store.Subject]map[int]store.Day{}, found: map[string][][3]int64{}}
}

// write is a commit with rows on days.
func (f *fake) write(of store.Subject, days ...int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.days[of] == nil {
		f.days[of] = map[int]store.Day{}
	}
	f.commit++
	for _, n := range days {
		d := f.days[of][n]
		d.Start, d.Version = on(n), f.commit
		f.days[of][n] = d
	}
}

// begin records a call.
func (f *fake) begin(format string, args ...any) error {
	call := fmt.Sprintf(format, args...)
	f.mu.Lock()
	f.calls = append(f.calls, call)
	fault := f.fault
	f.mu.Unlock()
	if fault == nil {
		return nil
	}
	return fault(call)
}

// taken returns the calls since it was called before.
func (f *fake) taken() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// pass advances the clock.
func (f *fake) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
	if f.asked {
		f.busy += d
	}
}

func (f *fake) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fake) Dialect() *dialect.Dialect  { return dialect.DuckDB() }
func (f *fake) Ping(context.Context) error { return nil }
func (f *fake) BusyTime() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.busy
}

func (f *fake) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rows := &store.Rows{Columns: make([]store.Column, len(stmt.Kinds))}
	for i, kind := range stmt.Kinds {
		rows.Columns[i].Kind = kind
	}
	if !strings.HasPrefix(stmt.Label, "verify ") {
		f.mu.Lock()
		f.statements++
		n, counted := f.statements, f.counted
		f.mu.Unlock()
		if counted != nil {
			counted(n)
		}
		return rows, nil
	}
	if err := f.begin("%s", stmt.Label); err != nil {
		return nil, err
	}
	for _, row := range f.found[stmt.Label] {
		if !reads(stmt, row[0]*calendar.Day) {
			continue
		}
		rows.Len++
		for i, value := range row {
			rows.Columns[i].Ints = append(rows.Columns[i].Ints, value)
		}
	}
	return rows, nil
}

// reads reports whether an instant lies in the time that the arguments of stmt bound.
func reads(stmt store.Statement, at int64) bool {
	from, to := at+1, at
	for _, arg := range stmt.Args {
		if ms, ok := arg.Value.(int64); ok && ms > on(-1000).UnixMilli() {
			from, to = min(from, ms), max(to, ms)
		}
	}
	return from <= at && at < to
}

func (f *fake) Days(ctx context.Context, of store.Subject, from, to time.Time) (found []store.Day, _ error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range slices.Sorted(maps.Keys(f.days[of])) {
		if d := f.days[of][n]; d.Start.Before(to) && d.Start.AddDate(0, 0, 1).After(from) {
			found = append(found, d)
		}
	}
	return found, nil
}

func (f *fake) Websites(context.Context) (map[store.Subject]uint64, error) {
	if err := f.begin("websites"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	found := map[store.Subject]uint64{}
	for of, days := range f.days {
		for _, d := range days {
			found[of] = max(found[of], d.Version)
		}
	}
	return found, nil
}

func (f *fake) Seal(ctx context.Context, d store.Derivation) error { return f.seal(ctx, "seal", d) }

// seal seals the days of d that ever had rows.
func (f *fake) seal(ctx context.Context, how string, d store.Derivation) error {
	if err := f.begin("%s %s", how, spanOf(d)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	f.pass(f.takes)
	f.mu.Lock()
	defer f.mu.Unlock()
	first := int(d.From.Sub(on(0)).Hours() / 24)
	for n := first; on(n).Before(d.To); n++ {
		one := f.days[d.Subject][n]
		one.Start, one.Sealed = on(n), f.commit
		f.days[d.Subject][n] = one
	}
	return nil
}

// spanOf returns the website and the number of the first and last day of d.
func spanOf(d store.Derivation) string {
	const day = 24 * time.Hour
	return fmt.Sprintf("%s %d to %d", d.Subject.ID, d.From.Sub(on(0))/day, d.To.Sub(on(0))/day-1)
}

func (f *fake) States(context.Context, store.Subject) ([]store.State, error) {
	return nil, f.begin("list states")
}

func (f *fake) LoadStates(context.Context, store.Subject, []store.StateName, time.Time, time.Time) ([]store.State,
	error) {
	return nil, nil
}

func (f *fake) SaveStates(context.Context, store.Subject, []store.State) error {
	return f.begin("save states")
}

func (f *fake) DropStates(_ context.Context, of store.Subject, _, but []int64) error {
	return f.begin("drop states of %s but %d", of.ID, len(but))
}

// A resealing store is a store.Resealer.
type resealing struct{ *fake }

func (r resealing) Reseal(ctx context.Context, d store.Derivation, changed store.Statement) error {
	if changed.SQL == "" {
		return r.begin("reseal without ids")
	}
	return r.seal(ctx, "reseal", d)
}

// A world is a keeper over a fake.
type world struct {
	*fake
	*keep.Keeper
	store   store.Store
	merger  *merge.Merger
	log     strings.Builder
	forgets int
}

// newWorld returns a keeper over s, which wraps f. nil stands for f itself.
func newWorld(t *testing.T, f *fake, s store.Store) *world {
	t.Helper()
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		s = f
	}
	w := &world{fake: f, store: s}
	pace := store.NewPace(s, f.clock, func(_ context.Context, d time.Duration) {
		f.pass(d)
		f.mu.Lock()
		f.rests += d
		f.mu.Unlock()
	})
	log := slog.New(slog.NewTextHandler(&w.log, nil))
	keeper, _ := s.(store.StateKeeper)
	w.merger = merge.New(s, types, memory.NewCache(1<<20), keeper, pace, log)
	w.Keeper = keep.New(keep.Config{Store: s, Merger: w.merger, Batch: memory.NewCache(1 << 20), Now: f.clock,
		StoreFrom: 10_000,
		Forget:    func() { w.forgets++ }, Log: log})
	return w
}

// round runs a round of Seal a minute later, and returns the calls that seal days.
func (w *world) round(t *testing.T) []string {
	t.Helper()
	w.pass(time.Minute)
	w.taken()
	if _, err := w.Keeper.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w.seals()
}

// seals returns the calls that seal days since the last ones were taken.
func (w *world) seals() []string {
	return slices.DeleteFunc(w.taken(), func(call string) bool { return !strings.Contains(call, "seal ") })
}

// dayNumber returns the number of a day as the statements that compare seals return it.
func dayNumber(n int) int64 { return on(n).UnixMilli() / calendar.Day }
