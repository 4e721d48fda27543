package storetest

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// deriverCases returns the cases of store.Deriver.
func deriverCases() []contractCase {
	return []contractCase{
		{name: "a write makes only the version of its day larger", run: testDays,
			defends: "Days returns the UTC days that ever had rows, ordered by time, and includes every write acknowledged before the call; Websites returns a number that changes with every write"},
		{name: "merged answers include the latest writes", run: testMergedAnswers,
			defends: "answers merged from states of days are current"},
		{name: "a seal is valid until rows change, and can be replaced", run: testSeal,
			defends: "The seal is valid while all days that it was computed from have a Version of at most Sealed; Seal replaces the stored results"},
		{name: "seals have the columns of package schema", run: testSealedColumns,
			defends: "the columns of its statements have the same names as the columns of the tables that store them"},
		{name: "erasing removes seals", run: testEraseSealed, defends: "Erase removes all rows of s"},
	}
}

// resealerCases returns the cases of store.Resealer.
func resealerCases() []contractCase {
	return []contractCase{
		{name: "versions of all days are the numbers of commits", run: testCommits,
			defends: "versions of all days are the numbers of commits, and Sealed is the number of the latest commit before the day was sealed"},
		{name: "a late row needs no whole seal", run: testReseal,
			defends: "Reseal is Seal for the session ids that changed selects"},
	}
}

func testCommits(w *trial) {
	last := uint64(0)
	for i, late := range []int{3, 0, 2} {
		w.write(dayBefore(late, fmt.Sprint(i)), 1, 0)
		from := midnight.AddDate(0, 0, -late)
		v := w.version(website("w"), from, from.Add(day))
		if v <= last {
			w.Errorf("version %d of the day of a write, want more than %d, the version of another day before", v, last)
		}
		last = v
	}
	w.seals(true)
	days, err := interfaceOf[store.Deriver](w).Days(w.Context(), w.own(website("w")), midnight.AddDate(0, 0, -3), noon)
	if err != nil || len(days) != 4 {
		w.Fatalf("Days: %v, %v; want 4 days", days, err)
	}
	for _, d := range days {
		if d.Sealed < last {
			w.Errorf("%v was sealed at %d, want at least the latest commit %d", d.Start, d.Sealed, last)
		}
	}
}

func testReseal(w *trial) {
	e, err := query.New(query.Config{Store: w.store, Now: w.clock})
	if err != nil {
		w.Fatal(err)
	}
	from, to := midnight.AddDate(0, 0, -8), midnight.AddDate(0, 0, 1)
	for i, late := range []int{2, 2, 3} {
		w.write(dayBefore(late, fmt.Sprint(i)), 1, 0)
		if err := e.Reseal(w.Context(), w.own(website("w")), from, to); err != nil {
			w.Fatal(err)
		}
		if n := w.seals(false); n != sealedResults {
			w.Errorf("%d seals are valid after %d writes, want %d", n, i+1, sealedResults)
		}
	}
}

func dayBefore(days int, id string) store.Batch {
	b := pageview("w", id)
	b.Events[0].Time = noon.AddDate(0, 0, -days)
	return b
}

func testDays(w *trial) {
	const days = 4
	last := func() uint64 {
		all, err := interfaceOf[store.Deriver](w).Websites(context.Background())
		if err != nil {
			w.Fatal(err)
		}
		return all[w.own(website("w"))]
	}
	versions := func() (found [days]uint64) {
		from := midnight.AddDate(0, 0, 1-days)
		all, err := interfaceOf[store.Deriver](w).Days(context.Background(), w.own(website("w")), from, noon)
		if err != nil || !slices.IsSortedFunc(all, func(a, b store.Day) int { return a.Start.Compare(b.Start) }) {
			w.Fatalf("Days: %v, %v; want days ordered by time", all, err)
		}
		for _, one := range all {
			found[one.Start.Sub(from)/day] = one.Version
		}
		return found
	}
	for i, late := range []int{0, 2, 2, 0, 3} {
		before, changed := versions(), last()
		w.write(dayBefore(late, fmt.Sprint(i)), 1, 0)
		if last() == changed {
			w.Errorf("Websites returns the same number before and after a write")
		}
		for j, version := range versions() {
			if grown := j == days-1-late; grown && version <= before[j] || !grown && version != before[j] {
				w.Errorf("day %d of %d: version %d after a write %d days back, %d before", j, days, version, late,
					before[j])
			}
		}
	}
}

func testMergedAnswers(w *trial) {
	var engines [2]*query.Engine
	for i := range engines {
		var err error
		if engines[i], err = query.New(query.Config{Store: w.store, Now: w.clock,
			EngineOptions: query.EngineOptions{ResultCache: -1, NoDerived: i == 0}}); err != nil {
			w.Fatal(err)
		}
	}
	for i, late := range []int{0, 5, 1, 5} {
		w.write(dayBefore(late, fmt.Sprint(i)), 1, 0)
		for range 3 { // partials are computed after the second query; the third answer is merged
			req := query.Request{Parameters: []query.Parameter{{Name: "top_pages"}}, StartDate: "2026-03-09",
				EndDate: "2026-03-15"}
			access := query.Access{Subject: w.own(website("w"))}
			want, got := answerOf(w.Context(), engines[0], access, req), answerOf(w.Context(), engines[1], access, req)
			if !slices.Equal(got.texts, want.texts) || want.fault != "" || len(want.texts) == 0 {
				w.Errorf("after %d writes: %q, %s; want %q, %s", i+1, got.texts, got.fault, want.texts, want.fault)
			}
			if err := engines[1].Wait(w.Context()); err != nil {
				w.Fatal(err)
			}
		}
	}
}

// sealedResults is the number of results that seals compares if all seals are valid.
var sealedResults = 9 * len(schema.SealedTables())

// seals lets the store seal nine days that end with the day of noon. It compares the stored results of valid
// seals with the rows, and returns the number of compared results: one for each sealed table per seal.
func (w *trial) seals(seal bool) (verified int) {
	w.Helper()
	e, err := query.New(query.Config{Store: w.store, Now: w.clock})
	if err != nil {
		w.Fatal(err)
	}
	from, to := midnight.AddDate(0, 0, -8), midnight.AddDate(0, 0, 1)
	if seal {
		if err := e.Seal(w.Context(), w.own(website("w")), from, to); err != nil {
			w.Fatal(err)
		}
	}
	report, err := e.VerifySeals(w.Context(), w.own(website("w")), from, to)
	if err != nil || report.Skipped > 0 || len(report.Differences) > 0 {
		w.Fatalf("VerifySeals: %+v, %v", report, err)
	}
	return report.Verified
}

func testSeal(w *trial) {
	for i, late := range []int{0, 3, 4} {
		w.write(dayBefore(late, fmt.Sprint(i)), 1, 0)
		if i > 0 && w.seals(false) >= sealedResults {
			w.Errorf("all seals are valid after a write %d days back", late)
		}
		for range 2 {
			if n := w.seals(true); n != sealedResults {
				w.Errorf("%d seals are valid, want %d", n, sealedResults)
			}
		}
	}
}

// A sealWatcher records what the engine derives.
type sealWatcher struct {
	derivedStore
	derived []store.Derivation
}

func (s *sealWatcher) Seal(ctx context.Context, d store.Derivation) error {
	s.derived = append(s.derived, d)
	return s.derivedStore.Seal(ctx, d)
}

func testSealedColumns(w *trial) {
	of, ok := w.store.(derivedStore)
	if !ok {
		w.Skip("the store is not a Deriver")
	}
	w.write(dayBefore(1, "e"), 1, 0)
	watched := &sealWatcher{derivedStore: of}
	e, err := query.New(query.Config{Store: watched, Now: w.clock})
	if err != nil {
		w.Fatal(err)
	}
	if err := e.Seal(w.Context(), w.own(website("w")), midnight.AddDate(0, 0, -1), midnight); err != nil ||
		len(watched.derived) == 0 {
		w.Fatalf("Seal: %v, %d derivations", err, len(watched.derived))
	}
	for i, table := range schema.SealedTables() {
		want := []string{"subject"}
		for _, c := range table.Columns {
			want = append(want, c.Name)
		}
		for _, n := range w.store.Dialect().Numbers {
			if n.Table == table.Name {
				want = append(want, n.Column)
			}
		}
		got := slices.Clone(watched.derived[0].Rows[i].Columns)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			w.Errorf("%s: the statement has the columns %q, package schema %q", table.Name, got, want)
		}
	}
}

func testEraseSealed(w *trial) {
	if _, erases := w.store.(store.Eraser); !erases {
		return
	}
	w.write(dayBefore(1, "e"), 1, 0)
	w.seals(true)
	w.erase(website("w"), 1)
	for _, table := range schema.SealedTables() {
		d := w.store.Dialect()
		left, err := w.store.Query(w.Context(),
			store.Statement{Label: "storetest " + table.Name, Kinds: []dialect.Kind{dialect.Int},
				SQL: "SELECT k.visitor_hash FROM " + table.Name + " AS k WHERE k.subject = " +
					d.Arg("of", dialect.Subject),
				Args: []dialect.Arg{{Name: "of", Kind: dialect.Subject, Value: w.own(website("w"))}}})
		if err != nil || left.Len > 0 {
			w.Errorf("%s: %+v, %v; want nothing", table.Name, left, err)
		}
	}
	if n := w.seals(false); n > 0 {
		w.Errorf("%d seals are left", n)
	}
}
