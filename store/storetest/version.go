package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// versionCases are about store.Versioner.
func versionCases() []contractCase {
	return []contractCase{
		{name: "no data is version 0", run: testVersionNone, defends: "Version: no data: 0"},
		{name: "every write makes the versions of its days larger", run: testVersionGrows,
			defends: "every write to one of those days, late or erasing, makes it larger"},
		{name: "a range sees the days it touches and no others", run: testVersionRange,
			defends: "what is stored of s on the UTC days that [from, to) touches"},
		{name: "a batch of repeats changes no version", run: testVersionRepeats,
			defends: "an answer stands while the versions of its days stand"},
		{name: "versions outlive a restart and go on growing", restarts: true, run: testVersionRestart,
			defends: "it never becomes smaller, also across restarts"},
		{name: "rows of every kind change the version", run: testVersionRows,
			defends: "every write to one of those days makes it larger"},
		{name: "links and monitors have versions too", run: testVersionKinds, defends: "Version is asked for any subject"},
	}
}

// dayVersionCases are about store.DayVersioner.
func dayVersionCases() []contractCase {
	return []contractCase{
		{name: "a write makes the version of its day larger, and of no other", run: testDayVersions,
			defends: "DayVersions are the versions, as of Version, of the UTC days, one after the other"},
		{name: "merged answers have what was written", run: testMergedAnswers,
			defends: "the versions by which answers are merged from those of days"},
	}
}

const day = 24 * time.Hour

// midnight begins the UTC day of noon.
var midnight = noon.Add(-12 * time.Hour)

func testVersionNone(w *trial) {
	w.write(pageview("w", "e"), 1, 0)
	for name, v := range map[string]uint64{
		"another website":            w.version(website("v"), midnight, midnight.Add(day)),
		"another kind of subject":    w.version(link("w"), midnight, midnight.Add(day)),
		"the day before":             w.version(website("w"), midnight.Add(-day), midnight),
		"the day after":              w.version(website("w"), midnight.Add(day), midnight.Add(2*day)),
		"an empty range on the day":  w.version(website("w"), noon, noon),
		"a range that goes backward": w.version(website("w"), noon, noon.Add(-time.Hour)),
	} {
		if v != 0 {
			w.Errorf("%s: version %d, want 0", name, v)
		}
	}
}

func testVersionGrows(w *trial) {
	today := func() uint64 { return w.version(website("w"), midnight, midnight.Add(day)) }
	var last uint64
	for _, id := range []string{"a", "b", "c"} {
		w.write(pageview("w", id), 1, 0)
		v := today()
		if v <= last {
			w.Errorf("version %d after %q, want more than %d", v, id, last)
		}
		last = v
	}
	late := pageview("w", "late")
	late.Events[0].Time = noon.Add(-400 * day)
	w.write(late, 1, 0)
	if v := today(); v != last {
		w.Errorf("version of today %d after a write to another day, want %d as before", v, last)
	}
	then := noon.Add(-400 * day)
	if v := w.version(website("w"), then, then.Add(time.Millisecond)); v == 0 {
		w.Error("version 0 of the day of a late write")
	}
	if whole := w.version(website("w"), then, midnight.Add(day)); whole <= last {
		w.Errorf("version %d of a range with a late write, want more than %d", whole, last)
	}
	w.write(pageview("other", "x"), 1, 0)
	if v := today(); v != last {
		w.Errorf("version %d after a write to another website, want %d as before", v, last)
	}
}

func testVersionRange(w *trial) {
	edges := store.Batch{Events: []store.Event{
		{Website: "w", ID: "first", Time: midnight},
		{Website: "w", ID: "last", Time: midnight.Add(2*day - time.Millisecond)},
	}}
	w.write(edges, 2, 0)
	for _, c := range []struct {
		name     string
		from, to time.Time
		sees     bool
	}{
		{"up to the first instant, excluded", midnight.Add(-day), midnight, false},
		{"up to a nanosecond of the day", midnight.Add(-day), midnight.Add(1), true},
		{"one millisecond at the end of the second day", midnight.Add(2*day - time.Millisecond), midnight.Add(2 * day), true},
		{"from the first instant after", midnight.Add(2 * day), midnight.Add(3 * day), false},
		{"an hour of the day without rows of its own", noon, noon.Add(time.Hour), true},
		{"ten years", midnight.AddDate(-5, 0, 0), midnight.AddDate(5, 0, 0), true},
		{"all of time", time.Unix(-1<<40, 0), time.Unix(1<<40, 0), true},
	} {
		if v := w.version(website("w"), c.from, c.to); (v != 0) != c.sees {
			w.Errorf("%s: version %d; must it see the rows? %t", c.name, v, c.sees)
		}
	}
}

func testVersionRepeats(w *trial) {
	w.write(pageview("w", "e"), 1, 0)
	before := w.version(website("w"), midnight, midnight.Add(day))
	w.write(pageview("w", "e"), 0, 1)
	w.versionStays("w", before, "after a repeat")
}

// versionStays wants the version of a website to be what it was. One that moves by itself, as it
// may after a write whose outcome the store did not know at first, only grows.
func (w *trial) versionStays(of string, was uint64, when string) {
	now := w.version(website(of), midnight, midnight.Add(day))
	if now == was {
		return
	}
	time.Sleep(1100 * time.Millisecond)
	if later := w.version(website(of), midnight, midnight.Add(day)); now < was || later <= now {
		w.Errorf("version of %s is %d %s, want %d as before", of, now, when, was)
	}
}

func testVersionRestart(w *trial) {
	w.write(pageview("a", "e"), 1, 0)
	w.write(pageview("b", "e"), 1, 0)
	a, b := w.version(website("a"), midnight, midnight.Add(day)), w.version(website("b"), midnight, midnight.Add(day))
	w.reopen()
	w.versionStays("a", a, "after a restart")
	w.write(pageview("a", "f"), 1, 0)
	if got := w.version(website("a"), midnight, midnight.Add(day)); got <= max(a, b) {
		w.Errorf("version of a %d after another write, want more than %d", got, max(a, b))
	}
}

func testVersionRows(w *trial) {
	today := func() uint64 { return w.version(website("s"), midnight, midnight.Add(day)) }
	all, last := oneOfEach(), uint64(0)
	for name, b := range map[string]store.Batch{
		"a pageview": {Events: all.Events[:1]}, "a custom event": {Events: all.Events[1:2]}, "a click": {Events: all.Events[2:]},
		"an error": {Errors: all.Errors}, "a vital": {Vitals: all.Vitals}, "a span": {Spans: all.Spans}, "what was turned away": {Blocked: all.Blocked},
	} {
		w.write(b, 1, 0)
		v := today()
		if v <= last {
			w.Errorf("version %d after %s, want more than %d", v, name, last)
		}
		last = v
	}
}

func testVersionKinds(w *trial) {
	w.write(oneOfEach(), 9, 0)
	for _, s := range []store.Subject{website("s"), link("s"), schedule("s")} {
		if v := w.version(s, midnight, midnight.Add(day)); v == 0 {
			w.Errorf("version 0 of %s with rows", s.Kind)
		}
	}
}

// dayBefore is a pageview so many days before noon.
func dayBefore(days int, id string) store.Batch {
	b := pageview("w", id)
	b.Events[0].Time = noon.AddDate(0, 0, -days)
	return b
}

func testDayVersions(w *trial) {
	const days = 4
	versions := func() []uint64 {
		found, err := interfaceOf[store.DayVersioner](w).DayVersions(context.Background(), w.own(website("w")), noon.AddDate(0, 0, 1-days), noon)
		if err != nil || len(found) != days {
			w.Fatalf("DayVersions: %v, %v; want those of %d days", found, err, days)
		}
		return found
	}
	for i, late := range []int{0, 2, 2, 0, 3} {
		before := versions()
		w.write(dayBefore(late, fmt.Sprint(i)), 1, 0)
		for j, version := range versions() {
			if grown := j == days-1-late; grown && version <= before[j] || !grown && version != before[j] {
				w.Errorf("day %d of %d: version %d, before a write %d days back %d", j, days, version, late, before[j])
			}
		}
	}
}

func testMergedAnswers(w *trial) {
	var engines [2]*query.Engine
	for i := range engines {
		var err error
		if engines[i], err = query.New(query.Config{Store: w.store, Now: w.clock, ResultCache: -1, NoDerived: i == 0}); err != nil {
			w.Fatal(err)
		}
	}
	for i, late := range []int{0, 5, 1, 5} {
		w.write(dayBefore(late, fmt.Sprint(i)), 1, 0)
		for range 2 { // the second time answers are merged
			req := query.Request{Parameters: []query.Parameter{{Name: "top_pages"}}, StartDate: "2026-03-09", EndDate: "2026-03-15"}
			access := query.Access{Subject: w.own(website("w"))}
			want, got := answerOf(w.Context(), engines[0], access, req), answerOf(w.Context(), engines[1], access, req)
			if !slices.Equal(got.texts, want.texts) || want.fault != "" || len(want.texts) == 0 {
				w.Errorf("after %d writes: %q, %s; want %q, %s", i+1, got.texts, got.fault, want.texts, want.fault)
			}
		}
	}
}
