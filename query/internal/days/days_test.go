package days_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/store"
)

// listed is a store that has some days of one website. It counts how often it is asked.
type listed struct {
	store.Resealer
	of    []store.Day
	asked int
}

func (l *listed) Days(_ context.Context, _ store.Subject, from, to time.Time) (found []store.Day, err error) {
	l.asked++
	if l.of == nil {
		return nil, errors.New("no days")
	}
	for _, d := range l.of {
		if !d.Start.Before(from) && d.Start.Before(to) {
			found = append(found, d)
		}
	}
	return found, nil
}

// on returns day n with the version of its rows and of its seal.
func on(n int, version, sealed uint64) store.Day {
	return store.Day{Start: time.UnixMilli(int64(n) * calendar.Day).UTC(), Version: version, Sealed: sealed}
}

func span(from, to int64) calendar.Interval {
	return calendar.Interval{From: from * calendar.Day, To: to * calendar.Day}
}

func read(t *testing.T, w calendar.Interval, of ...store.Day) *days.Snapshot {
	t.Helper()
	s, err := days.Read(t.Context(), &listed{of: of}, store.Subject{}, w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestASnapshotHasWholeDays(t *testing.T) {
	s := read(t, calendar.Interval{From: 10*calendar.Day + 1, To: 12*calendar.Day + 1}, on(9, 1, 0), on(11, 2, 0),
		on(12, 4, 0), on(13, 8, 0))
	if got := s.Version(span(10, 13)); got != 6 {
		t.Errorf("the version of days 10 to 12 is %d, want 6", got)
	}
	for _, tt := range []struct {
		w    calendar.Interval
		want bool
	}{{span(10, 13), true}, {span(11, 12), true}, {span(9, 12), false}, {span(12, 14), false}} {
		if got := s.Covers(tt.w); got != tt.want {
			t.Errorf("the snapshot covers %v: %t", tt.w, got)
		}
	}
	var none *days.Snapshot
	if none.Covers(span(0, 1)) {
		t.Error("no snapshot covers a day")
	}
	if _, err := days.Read(t.Context(), &listed{}, store.Subject{}, span(0, 1)); err == nil {
		t.Error("the error of the store is lost")
	}
}

// A late row on day 10 makes the seals of the days that were computed from it invalid, but for the ids without newer
// rows.
func TestALateRowChangesSealsAround(t *testing.T) {
	var of []store.Day
	for n := range 30 {
		of = append(of, on(n, 5, 6))
	}
	of[10].Version = 7
	s := read(t, span(0, 30), of...)
	sealed := s.Sealed(span(6, 20))
	for _, tt := range []struct {
		what     string
		seals    days.Seals
		from, to int64
	}{{"sessions", sealed.Sessions, 9, 14}, {"hits", sealed.Hits, 9, 13}, {"page events", sealed.PageEvents, 10, 13}} {
		gap, partly := tt.seals.Gap(span(6, 20))
		if gap != span(tt.from, tt.to) || !partly {
			t.Errorf("%s: the gap is %v and partly %t, want %v", tt.what, gap, partly, span(tt.from, tt.to))
		}
	}
	if c := sealed.Changes; c.Since != 6 || c.In.From != 6*calendar.Day {
		t.Errorf("ids changed %+v, want since 6 and from day 6 on", c)
	}
	if changes, ok := s.Changes(span(9, 14)); !ok || changes == nil || changes.Since != 6 || changes.In != span(6, 15) {
		t.Errorf("the changes are %+v, %t", changes, ok)
	}
	if changes, ok := s.Changes(span(14, 20)); !ok || changes != nil {
		t.Errorf("the changes of valid seals are %+v, %t", changes, ok)
	}
	of[12].Sealed = 0
	if _, ok := read(t, span(0, 30), of...).Changes(span(9, 14)); ok {
		t.Error("a day without a seal is only changed")
	}
	// The days before and after all others were never sealed, and rows near them may belong to their sessions.
	stale := func(before []store.Day, which days.Seal) []calendar.Interval {
		first, seals := days.SealsOf(of, before, true)
		wanted := make([]bool, len(seals))
		for i, seal := range seals {
			wanted[i] = seal == which
		}
		return days.Runs(first, wanted, 30)
	}
	if got := stale(of, days.Stale); !slices.Equal(got, []calendar.Interval{span(-1, 0), span(9, 14), span(30, 33)}) {
		t.Errorf("stale are %v", got)
	}
	before := slices.Clone(of)
	before[10].Version = 5
	if got := stale(before, days.Changing); !slices.Contains(got, span(9, 14)) {
		t.Errorf("days that still change are %v", got)
	}
	if got := stale(before, days.Stale); slices.ContainsFunc(got,
		func(w calendar.Interval) bool { return w.Has(10 * calendar.Day) }) {
		t.Errorf("a day that still changes is stale: %v", got)
	}
	if got := days.Quiet(of); len(got) != 9 {
		t.Errorf("%d days are quiet, want 9", len(got))
	}
}

// Removed rows on day 10 make the seals of the days that were computed from them invalid for all ids: no newer row
// shows which ids had them. The seals of other days stay valid.
func TestRemovedRowsMakeSealsUseless(t *testing.T) {
	for _, marked := range []uint64{7, 1} { // 1: rows may still be left
		var of []store.Day
		for n := range 30 {
			of = append(of, on(n, 5, 6))
		}
		of[10] = store.Day{Start: of[10].Start, Version: 7, Expired: marked}
		s := read(t, span(0, 30), of...)
		gap, partly := s.Sealed(span(6, 20)).Sessions.Gap(span(6, 20))
		if gap != span(9, 14) || partly {
			t.Errorf("the gap is %v and partly %t, want days 9 to 13", gap, partly)
		}
		if _, ok := s.Changes(span(9, 14)); ok {
			t.Error("days next to removed rows are only changed")
		}
		if changes, ok := s.Changes(span(14, 20)); !ok || changes != nil {
			t.Errorf("the changes of valid seals are %+v, %t", changes, ok)
		}
	}
}

// Nothing of a plan is sealed where the snapshot does not have the days that decide about it.
func TestSealsNeedTheDaysAround(t *testing.T) {
	var of []store.Day
	for n := range 30 {
		of = append(of, on(n, 5, 6))
	}
	s := read(t, span(5, 15), of...)
	if got := s.Sealed(span(9, 12)); len(got.Sessions.Uses) == 0 {
		t.Error("nothing is sealed of days whose neighbours are known")
	}
	for _, w := range []calendar.Interval{span(7, 12), span(9, 14)} {
		if got := s.Sealed(w); len(got.Sessions.Uses) != 0 {
			t.Errorf("%v is sealed, and the days around it are not known", w)
		}
	}
}

// Parts cover w but for a gap without valid seals, in order.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		w := span(10, 10+rng.Int64N(10))
		gap := w.Intersect(span(10+rng.Int64N(10), 10+rng.Int64N(10)))
		if gap.Empty() {
			gap = calendar.Interval{From: w.To, To: w.To}
		}
		partly := rng.IntN(2) == 0
		at, length := w.From, int64(0)
		for _, p := range days.Parts(w, gap, partly) {
			if p.Empty() || p.From < at || p.Unchanged != (p.Interval == gap) {
				t.Fatalf("%v without %v: part %+v after %d", w, gap, p, at)
			}
			at, length = p.To, length+p.To-p.From
		}
		want := w.To - w.From
		if !partly {
			want -= gap.To - gap.From
		}
		if length != want {
			t.Fatalf("%v without %v, partly %t: parts have %d ms, want %d", w, gap, partly, length, want)
		}
	}
}

func TestRuns(t *testing.T) {
	got := days.Runs(0, []bool{true, true, true, false, true}, 2)
	if want := []calendar.Interval{span(0, 2), span(2, 3), span(4, 5)}; !slices.Equal(got, want) {
		t.Errorf("runs are %v, want %v", got, want)
	}
}

func TestTwiceReachesAsFarAgain(t *testing.T) {
	for _, tt := range []struct{ once, want catalog.Reach }{
		{catalog.ReachOfSessions, catalog.Reach{Before: 4, After: 2}},
		{catalog.ReachOfPageEvents, catalog.Reach{Before: 4}},
		{catalog.ReachOfEvents, catalog.Reach{Before: 4, After: 2}},
		{catalog.ReachOfEarlyRows, catalog.Reach{Before: 4, After: 4}},
	} {
		if got := tt.once.Twice(); got != tt.want {
			t.Errorf("%+v twice is %+v, want %+v", tt.once, got, tt.want)
		}
	}
}
