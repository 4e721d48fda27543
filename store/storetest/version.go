package storetest

import (
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// versionCases returns the cases of store.DayLister.
func versionCases() []contractCase {
	return []contractCase{
		{name: "without data the version is 0", run: testVersionNone, defends: "0 means that the day never had rows"},
		{name: "every write makes the versions of its days larger", run: testVersionGrows,
			defends: "every change to the rows of a day makes its Version larger, including late rows and erasing"},
		{name: "a range includes only the days that it touches", run: testVersionRange,
			defends: "Days returns the UTC days that [from, to) touches"},
		{name: "a batch of repeats changes no version", run: testVersionRepeats,
			defends: "an answer is valid while the versions of its days do not change"},
		{name: "versions survive a restart and continue to grow", restarts: true, run: testVersionRestart,
			defends: "it never becomes smaller, not even after a restart"},
		{name: "rows of every kind change the version", run: testVersionRows,
			defends: "every change to the rows of a day makes its Version larger"},
		{name: "links and monitors also have versions", run: testVersionKinds, defends: "Days works for any subject"},
	}
}

const day = 24 * time.Hour

// midnight is the start of the UTC day of noon.
var midnight = noon.Add(-12 * time.Hour)

func testVersionNone(w *trial) {
	w.write(pageview("w", "e"), 1, 0)
	for name, v := range map[string]uint64{
		"another website":                       w.version(website("v"), midnight, midnight.Add(day)),
		"another kind of subject":               w.version(link("w"), midnight, midnight.Add(day)),
		"the day before":                        w.version(website("w"), midnight.Add(-day), midnight),
		"the day after":                         w.version(website("w"), midnight.Add(day), midnight.Add(2*day)),
		"an empty range on the day":             w.version(website("w"), noon, noon),
		"a range with its end before its start": w.version(website("w"), noon, noon.Add(-time.Hour)),
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
		{"one millisecond at the end of the second day", midnight.Add(2*day - time.Millisecond), midnight.Add(2 * day),
			true},
		{"from the first instant after", midnight.Add(2 * day), midnight.Add(3 * day), false},
		{"an hour without rows of a day with rows", noon, noon.Add(time.Hour), true},
		{"ten years", midnight.AddDate(-5, 0, 0), midnight.AddDate(5, 0, 0), true},
		{"all of time", time.Unix(-1<<40, 0), time.Unix(1<<40, 0), true},
	} {
		if v := w.version(website("w"), c.from, c.to); (v != 0) != c.sees {
			w.Errorf("%s: version %d; range includes rows: %t", c.name, v, c.sees)
		}
	}
}

func testVersionRepeats(w *trial) {
	w.write(pageview("w", "e"), 1, 0)
	before := w.version(website("w"), midnight, midnight.Add(day))
	w.write(pageview("w", "e"), 0, 1)
	w.versionStays("w", before, "after a repeat")
}

// versionStays tests that the version of a website did not change. A version that changes with time, as after a
// write with an unknown outcome, must not become smaller.
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
		"a pageview": {Events: all.Events[:1]}, "a custom event": {Events: all.Events[1:2]},
		"a click":  {Events: all.Events[2:]},
		"an error": {Errors: all.Errors}, "a vital": {Vitals: all.Vitals}, "a span": {Spans: all.Spans},
		"rejected traffic": {Blocked: all.Blocked},
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

// dayBefore returns a pageview a number of days before noon.
