package keep_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/keep"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// ask is a question about the last days of a website, whose statement may read its seals.
func (w *world) ask(t *testing.T, of store.Subject) {
	t.Helper()
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	found, mistakes := plan.Resolve(types, ask.Access{Subject: of},
		ask.Request{Parameters: []ask.Parameter{{Name: "countries"}},
			Options: ask.Options{Preset: "last_7d"}}, w.clock(), nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	p := found.Parameters[0].Plan
	w.NoteAsked(of)
	snapshot, err := days.Read(t.Context(), w.store.(store.Deriver), of,
		p.Counted().Widen(7*calendar.Day, 7*calendar.Day))
	if err != nil {
		t.Fatal(err)
	}
	w.merger.Sealed(p, snapshot)
}

// TestTheLifeOfADay takes one day through all its states, in a store that updates seals and in one that does not. The
// days around it are sealed as well, since rows on them may belong to its sessions.
func TestTheLifeOfADay(t *testing.T) {
	site := website("w")
	for _, row := range []struct {
		name    string
		reseals bool
		want    [9]string // the calls of each step
	}{
		{"a store.Resealer", true,
			[9]string{"", "", "seal w -1 to 3", "", "", "reseal w -1 to 3", "", "seal w 0 to 0", ""}},
		{"another store", false, [9]string{"", "", "seal w -1 to 3", "", "", "", "seal w -1 to 3", "", ""}},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newFake()
			var s store.Store = f
			if row.reseals {
				s = resealing{f}
			}
			w := newWorld(t, f, s)
			round := func() []string { return w.round(t) }
			for i, step := range []struct {
				name string
				do   func() []string
			}{
				{"its rows are new", func() []string {
					w.write(site, 0)
					return round()
				}},
				{"its rows changed again", func() []string {
					w.write(site, 0)
					return round()
				}},
				{"its rows are the same", round},
				{"it is sealed", round},
				{"a late row comes", func() []string {
					w.write(site, 0)
					return round()
				}},
				{"somebody asks", func() []string {
					w.ask(t, site)
					if err := w.Reseal(t.Context()); err != nil {
						t.Fatal(err)
					}
					return w.seals()
				}},
				{"a round later", round},
				{"it has been over for a day", func() []string {
					w.pass(36 * time.Hour)
					return round()
				}},
				{"it is complete", round},
			} {
				if got := strings.Join(step.do(), ", "); got != row.want[i] {
					t.Errorf("%s: calls %q, want %q", step.name, got, row.want[i])
				}
			}
		})
	}
}

// A day whose rows keep changing is sealed every five minutes, if late rows leave a seal useful.
func TestBusyDays(t *testing.T) {
	for _, reseals := range []bool{true, false} {
		f := newFake()
		var s store.Store = f
		if reseals {
			s = resealing{f}
		}
		w := newWorld(t, f, s)
		calls := 0
		for range 12 {
			w.write(website("w"), 0)
			calls += len(w.round(t))
		}
		if want := map[bool]int{true: 2}[reseals]; calls != want {
			t.Errorf("a store.Resealer %t: %d calls in 12 minutes, want %d", reseals, calls, want)
		}
	}
}

// The websites that were asked about last come first, then the latest days.
func TestOrder(t *testing.T) {
	w := newWorld(t, newFake(), nil)
	for i, id := range []string{"first", "second", "old", "new"} {
		w.write(website(id), 5*i)
	}
	for _, id := range []string{"first", "second"} {
		w.pass(time.Second)
		w.NoteAsked(website(id))
	}
	w.NoteAsked(store.Subject{Kind: store.KindLink, ID: "old"})
	w.round(t)
	var order []string
	for _, call := range w.round(t) {
		order = append(order, strings.Fields(call)[1])
	}
	if want := []string{"second", "first", "new", "old"}; !slices.Equal(order, want) {
		t.Errorf("websites are sealed in the order %v, want %v", order, want)
	}
}

// While somebody asks, Seal leaves half of the time and Reseal 19 of 20 parts. Otherwise neither rests.
func TestRestsFollowTheLoad(t *testing.T) {
	for _, row := range []struct {
		name   string
		asked  bool
		reseal bool
		want   time.Duration
	}{
		{"Seal beside questions", true, false, 2 * time.Second},
		{"Seal alone", false, false, 0},
		{"Reseal beside questions", true, true, 38 * time.Second},
		{"Reseal alone", false, true, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, site := newFake(), website("w")
			w := newWorld(t, f, resealing{f})
			w.write(site, 0)
			w.round(t)
			if row.reseal {
				w.round(t)
				w.write(site, 0)
				w.ask(t, site)
			}
			f.takes, f.asked, f.rests = 2*time.Second, row.asked, 0
			w.taken()
			var err error
			if row.reseal {
				err = w.Reseal(t.Context())
			} else {
				_, err = w.Keeper.Seal(t.Context())
			}
			if calls := w.seals(); err != nil || len(calls) != 1 || f.rests != row.want {
				t.Errorf("%v, %v, and %v of rest, want %v", calls, err, f.rests, row.want)
			}
		})
	}
}

// The backlog shrinks to nothing, and each change is reported once.
func TestProgress(t *testing.T) {
	w := newWorld(t, newFake(), nil)
	var told []keep.Backlog
	w.Prepare(func(b keep.Backlog) { told = append(told, b) })
	w.write(website("a"), -20, 0)
	w.write(website("b"), 0)
	for range 4 {
		w.round(t)
	}
	if err := w.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Five days are due around each day with rows. When all are sealed, their states are due: first the states of b,
	// which has the latest rows.
	want := []keep.Backlog{{Days: 15, Oldest: on(-21)}, {States: 15}, {States: 10}, {}}
	if !slices.Equal(told, want) {
		t.Errorf("the backlog was %+v, want %+v", told, want)
	}
	if left := w.Backlog(); left != (keep.Backlog{}) {
		t.Errorf("the backlog is %+v at the end", left)
	}
}
