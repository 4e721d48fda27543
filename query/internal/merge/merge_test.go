package merge

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// nothing is a store that speaks DuckDB's dialect and has no rows.
type nothing struct{ store.Store }

func (nothing) Dialect() *dialect.Dialect { return dialect.DuckDB() }

func (nothing) Query(context.Context, store.Statement) (*store.Rows, error) {
	return &store.Rows{}, nil
}

// TestPartialNames wants partials of one name to be computed alike, whatever type, filters and
// groups they were asked for by; and that this would show if names left the filters or keys out.
func TestPartialNames(t *testing.T) {
	e, err := testMerger(nothing{})
	if err != nil {
		t.Fatal(err)
	}
	partials, merged := someAggregates(t, e)
	for _, c := range []struct {
		name string
		of   func(string) string
		same bool
	}{
		{"as they are", func(name string) string { return name }, true},
		{"without filters", without("where "), false},
		{"without a key's filters", without("of all "), false},
		{"without keys", without("by "), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			statements, differ := map[string]string{}, 0
			for _, p := range partials {
				name := c.of(p.name)
				if before, known := statements[name]; known && before != p.statement {
					differ++
					if c.same {
						t.Fatalf("%s\nis computed by\n%s\nand by\n%s", name, before, p.statement)
					}
				}
				statements[name] = p.statement
			}
			if merged < 60 || !c.same && differ == 0 {
				t.Errorf("%d merges of %d partials, %d of them under one name", merged, len(statements), differ)
			}
		})
	}
}

// without leaves out the lines of a name that begin with such a text.
func without(text string) func(name string) string {
	return func(name string) string {
		return strings.Join(slices.DeleteFunc(strings.Split(name, "\n"),
			func(l string) bool { return strings.HasPrefix(l, text) }), "\n")
	}
}

// A partialText is the statement of a partial, in which the aggregates have no numbers, and its name.
type partialText struct{ name, statement string }

// someAggregates returns the aggregates of random merges, and the number of these merges.
func someAggregates(t *testing.T, e *Merger) (all []partialText, merged int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		m := randomMerge(t, e, rng)
		if m == nil {
			continue
		}
		merged++
		for i, one := range m.aggregates {
			of := *one.part
			of.aggregates = slices.Compact([]int{i, of.Count})
			p := planIn(m.p, calendar.Interval{From: 0, To: calendar.Day})
			c, _ := m.compilePartials(e.store.Dialect(), p, days.Sealed{}, &of,
				calendar.Interval{From: 0, To: calendar.Day})
			text := strings.ReplaceAll(fmt.Sprint(c.Statement.SQL, c.Statement.Args), fmt.Sprintf("leaf_%d", i), "leaf")
			all = append(all, partialText{one.Name,
				strings.ReplaceAll(text, fmt.Sprintf("leaf_%d", of.Count), "count")})
		}
	}
	return all, merged
}

// TestPartialVersions checks that the versions of partials include all days that the partials are computed from.
func TestPartialVersions(t *testing.T) {
	e, err := testMerger(nothing{})
	if err != nil {
		t.Fatal(err)
	}
	rng, found := rand.New(rand.NewPCG(5, 6)), map[[2]int64]int{}
	for range 600 {
		m := randomMerge(t, e, rng)
		if m == nil {
			continue
		}
		one := calendar.Interval{From: 0, To: calendar.Day}
		var needed calendar.Interval
		for _, of := range m.parts {
			needed = needed.Hull(of.needed(one))
			found[[2]int64{of.needs.Before, of.needs.After}]++
		}
		if depends := planIn(m.p, one).Depends(); !needed.Contains(depends) {
			t.Errorf("partials of %v are versions of %v, and the answer depends on %v", m.p, needed, depends)
		}
	}
	for _, needs := range [][2]int64{{0, 0}, {2, 0}, {3, 1}, {4, 0}, {4, 2}} {
		if found[needs] == 0 {
			t.Errorf("no partial needs the rows of %v days before and after: %v", needs, found)
		}
	}
}

// randomMerge returns the merge of a random question about a website, or nil if it cannot be merged.
func randomMerge(t *testing.T, e *Merger, rng *rand.Rand) *Merge {
	t.Helper()
	types := e.types.All()
	of := types[rng.IntN(len(types))]
	info := of.Describe()
	limit := 1 + rng.IntN(10)
	req := ask.Request{Parameters: []ask.Parameter{{Name: info.Name}}, StartDate: "2026-03-01", EndDate: "2026-03-20",
		Options: ask.Options{Limit: &limit}}
	filters := func(n int) (all []ask.Filter) {
		for range n {
			all = append(all, ask.Filter{Field: info.Filters[rng.IntN(len(info.Filters))],
				Op: ask.TextOperators()[rng.IntN(5)], Values: []string{[]string{"a", "b", "/x", "/x/"}[rng.IntN(4)]}})
		}
		return all
	}
	if of.Takes("goals") {
		req.Parameters[0].Goals = randomGoals(rng)
	}
	req.Filters = filters(rng.IntN(3))
	if len(info.Groupable) > 0 && rng.IntN(2) == 0 {
		req.GroupBy = []string{info.Groupable[rng.IntN(len(info.Groupable))]}
	}
	found, mistakes := plan.Resolve(e.types,
		ask.Access{Subject: store.Subject{Kind: info.Subject, ID: "w"}, Filters: filters(rng.IntN(2))}, req,
		time.Unix(1_780_000_000, 0), nil)
	if len(mistakes) > 0 || found.Parameters[0].Err != nil || found.Parameters[0].Plan == nil {
		return nil
	}
	return mergeOf(found.Parameters[0].Plan)
}

// randomGoals returns one goal or two, which differ in one part or more.
func randomGoals(rng *rand.Rand) (all []ask.Goal) {
	for i := range 1 + rng.IntN(2) {
		of := &ask.Text{Op: ask.TextOperators()[rng.IntN(5)], Values: []string{[]string{"a", "b"}[rng.IntN(2)]}}
		g := ask.Goal{Name: strconv.Itoa(i), Action: ask.Action{Event: of}, Value: []string{"", "x", "y"}[rng.IntN(3)]}
		if rng.IntN(2) == 0 {
			g.Action = ask.Action{Page: of}
		}
		all = append(all, g)
	}
	return all
}

// TestMergeOnKeys checks that only filters on keys are compared with the rows of an answer, and that the partials are
// the same as without these filters. A filter on rows chooses sessions by their pageviews, whatever they are grouped
// by.
func TestMergeOnKeys(t *testing.T) {
	types, err := catalog.NewRegistry(append(builtin.Types(),
		catalog.Type{Name: "by_id", Title: "x", Description: "x", Category: "x", Visualization: "table",
			Subject: store.KindWebsite,
			Source:  "sessions", Shape: catalog.Breakdown, Dimensions: []string{"session_id"},
			Columns: []string{"session_id", "sessions"}, Order: []string{"session_id"}})...)
	if err != nil {
		t.Fatal(err)
	}
	e := New(nothing{}, types, nil, nil, store.NewPace(nothing{}, time.Now, nil), slog.New(slog.DiscardHandler))
	of := func(typ string, filters []ask.Filter, groups ...string) *plan.Plan {
		found, mistakes := plan.Resolve(e.types, ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}},
			ask.Request{Parameters: []ask.Parameter{{Name: typ}}, StartDate: "2026-03-01", EndDate: "2026-03-20",
				Options: ask.Options{Filters: filters, GroupBy: groups}}, time.Unix(1_780_000_000, 0), nil)
		if len(mistakes) > 0 || found.Parameters[0].Err != nil {
			t.Fatal(mistakes, found.Parameters[0].Err)
		}
		return found.Parameters[0].Plan
	}
	on := func(field string) ask.Filter { return ask.Filter{Field: field, Op: ask.Ne, Values: []string{"DE"}} }
	for _, c := range []struct {
		typ      string
		on, left []ask.Filter
		groups   []string
		none     bool
	}{
		{typ: "countries", on: []ask.Filter{on("country")}},
		{typ: "countries", on: []ask.Filter{on("country")}, left: []ask.Filter{on("browser_name")}},
		{typ: "browser_versions", on: []ask.Filter{on("browser_version"), on("browser_name")}},
		{typ: "browser_versions", left: []ask.Filter{on("country")}, none: true},
		{typ: "countries", on: []ask.Filter{on("country")}, groups: []string{"browser_name"}, none: true},
		{typ: "summary", left: []ask.Filter{on("country")}, none: true},
		{typ: "by_id", on: []ask.Filter{on("session_id")}, none: true},
	} {
		m := mergeOnKeys(of(c.typ, slices.Concat(c.on, c.left), c.groups...))
		if m == nil || c.none {
			if m != nil || !c.none {
				t.Errorf("%s where %v: a merge %t, want none %t", c.typ, c.on, m != nil, c.none)
			}
			continue
		}
		if want := mergeOf(of(c.typ, c.left)); len(m.where) != len(c.on) || !slices.Equal(m.all(), want.all()) {
			t.Errorf("%s where %v: %d filters on keys, of %v; want %v", c.typ, c.on, len(m.where), m.all(), want.all())
		}
	}
}

// TestMonths checks that the rollup of a month counts for the rows that its days count for, and for the same rows in
// all answers that may share it. It also checks that the test would fail if all series shared rollups.
func TestMonths(t *testing.T) {
	e, err := testMerger(nothing{})
	if err != nil {
		t.Fatal(err)
	}
	rng, shared, months, others := rand.New(rand.NewPCG(3, 4)), map[string][]int32{}, map[calendar.Interval][]int32{}, 0
	for range 300 {
		g := randomSeries(e, rng)
		if g == nil {
			continue
		}
		cells := g.cells()
		for _, m := range g.months(cells) {
			rows, from := slices.Concat(cells[m.begin:m.end]...), time.UnixMilli(m.From).UTC()
			if from.Day() != 1 || from.AddDate(0, 1, 0).UnixMilli() != m.To ||
				len(rows) != int((m.To-m.From)/Quarter) || slices.Min(rows) < 0 {
				t.Fatalf("%v is no whole month of %v", m.Interval, g.p.Range)
			}
			for i, row := range rows {
				rows[i] = row - m.first
				if m.rows[rows[i]] != row {
					t.Fatalf("%v: row %d became %d", m.Interval, row, m.rows[rows[i]])
				}
			}
			name := fmt.Sprint(m.Interval, m.cut)
			if known := shared[name]; known != nil && !slices.Equal(known, rows) {
				t.Errorf("%s: other rows in %v", name, g.p.Range)
			}
			if known := months[m.Interval]; known != nil && !slices.Equal(known, rows) {
				others++
			}
			shared[name], months[m.Interval] = rows, rows
		}
	}
	if len(shared) < 50 || others == 0 {
		t.Errorf("%d months, of which %d have other rows than before", len(shared), others)
	}
}

// randomSeries is the merge of a series in a random zone; nil where that is asked wrongly.
func randomSeries(e *Merger, rng *rand.Rand) *merged {
	zones := []string{"UTC", "America/New_York", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe",
		"Africa/Cairo"}
	start := time.Date(2025, 1, 1+rng.IntN(365), 0, 0, 0, 0, time.UTC)
	req := ask.Request{Parameters: []ask.Parameter{{Name: "summary"}}, TimeZone: zones[rng.IntN(len(zones))],
		Options:   ask.Options{Granularity: []string{"daily", "hourly"}[rng.IntN(2)]},
		StartDate: start.Format(time.DateOnly), EndDate: start.AddDate(0, 0, 27+rng.IntN(100)).Format(time.DateOnly)}
	found, mistakes := plan.Resolve(e.types, ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}}, req,
		time.Unix(1_790_000_000, 0), nil)
	if len(mistakes) > 0 || found.Parameters[0].Err != nil {
		return nil
	}
	if m := mergeOf(found.Parameters[0].Plan); m != nil {
		return &merged{Merge: m}
	}
	return nil
}

// testMerger returns a merger of the built-in types, with room for partials.
func testMerger(s store.Store) (*Merger, error) {
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		return nil, err
	}
	return New(s, types, memory.NewCache(1<<20), nil, store.NewPace(s, time.Now, nil), slog.New(slog.DiscardHandler)),
		nil
}
