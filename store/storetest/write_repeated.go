package storetest

import (
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// repeatCases returns cases of repeated event ids.
func repeatCases() []contractCase {
	const once = "an event id counts once per subject, kind of row and kind of sender; the first stored wins"
	return []contractCase{
		{name: "a repeat inside a batch is dropped", run: testRepeatInBatch, defends: once},
		{name: "a repeat in a later batch is dropped", run: testRepeatLater, defends: once},
		{name: "a repeat after a restart is dropped", restarts: true, run: testRepeatRestart,
			defends: "repeats are recognised across restarts"},
		{name: "a repeat within seven days of receipt is dropped", restarts: true, run: testRepeatWeek,
			defends: "repeats are recognised for at least 7 days after receipt"},
		{name: "a clock that is set back loses no rows", restarts: true, run: testClockBack,
			defends: "repeats are recognised for at least 7 days after receipt; written rows stay"},
		{name: "the nine kinds of row have separate ids", run: testKindsApart,
			defends: "page events, custom events, clicks, errors, vitals, spans, visits, checks, blocked are nine kinds"},
		{name: "rows sent with a key have separate ids", restarts: true, run: testKeyedApart,
			defends: "a sender without a key cannot take the id of a row that was sent with a key"},
		{name: "pageviews, exits and named page events share their ids", run: testPageEventsShare,
			defends: "a pageview, an exit and a named page event share one kind"},
		{name: "subjects have separate ids", run: testSubjectsApart,
			defends: "an event id counts once per subject"},
	}
}

func testRepeatInBatch(w *trial) {
	first, second := pageview("w", "e").Events[0], pageview("w", "e").Events[0]
	first.Title, second.Title = "first", "second"
	w.write(store.Batch{Events: []store.Event{first, second}}, 1, 1)
	got := w.column("events", "title", dialect.Text, website("w")).Texts
	if diff := cmp.Diff([]string{"first"}, got); diff != "" {
		w.Errorf("titles (-want +got):\n%s", diff)
	}
}

func testRepeatLater(w *trial) {
	w.write(pageview("w", "a"), 1, 0)
	later := store.Batch{Events: []store.Event{pageview("w", "a").Events[0], pageview("w", "b").Events[0]}}
	later.Events[0].Title = "again"
	later.Events[0].Time = noon.AddDate(0, 0, -2)
	w.write(later, 1, 1)
	w.write(later, 0, 2)
	if diff := cmp.Diff([]string{"a", "b"}, w.ids("events", website("w"))); diff != "" {
		w.Errorf("ids (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"", ""}, w.column("events", "title", dialect.Text, website("w")).Texts); diff != "" {
		w.Errorf("titles (-want +got):\n%s", diff)
	}
}

func testRepeatRestart(w *trial) {
	w.write(pageview("w", "a"), 1, 0)
	w.reopen()
	w.write(store.Batch{Events: []store.Event{pageview("w", "a").Events[0], pageview("w", "b").Events[0]}}, 1, 1)
	w.reopen()
	w.write(pageview("w", "b"), 0, 1)
	w.count("events", website("w"), 2)
}

func testRepeatWeek(w *trial) {
	w.write(pageview("w", "a"), 1, 0)
	for days := range 7 { // let the store forget old receipts while it is used
		w.pass(24*time.Hour - time.Second)
		w.write(pageview("other", w.clock().String()), 1, 0)
		if days%3 == 0 {
			w.reopen()
		}
	}
	w.write(pageview("w", "a"), 0, 1)
	w.count("events", website("w"), 1)
}

// testClockBack sets the clock of the machine back over midnight between two writes.
func testClockBack(w *trial) {
	w.write(pageview("w", "a"), 1, 0)
	w.pass(-25 * time.Hour)
	w.write(pageview("w", "a"), 0, 1)
	w.write(pageview("w", "b"), 1, 0)
	w.reopen()
	w.write(pageview("w", "b"), 0, 1)
	w.pass(25 * time.Hour)
	w.write(pageview("w", "b"), 0, 1)
	w.count("events", website("w"), 2)
}

// oneOfEach returns a batch with one row of each kind, all with the same id.
func oneOfEach() store.Batch {
	return store.Batch{
		Events: []store.Event{
			{Website: "s", ID: "e", Kind: store.Pageview, Time: noon},
			{Website: "s", ID: "e", Kind: store.Custom, Time: noon},
			{Website: "s", ID: "e", Kind: store.Click, Time: noon},
		},
		Errors:  []store.Error{{Website: "s", ID: "e", Time: noon}},
		Vitals:  []store.Vital{{Website: "s", ID: "e", Time: noon, Samples: []store.Sample{{Metric: "LCP", Value: 1}}}},
		Spans:   []store.Span{{Website: "s", ID: "e", Time: noon}},
		Visits:  []store.Visit{{Link: "s", ID: "e", Time: noon}},
		Checks:  []store.Check{{Schedule: "s", ID: "e", Time: noon}},
		Blocked: []store.Blocked{{Website: "s", ID: "e", Time: noon, Requests: 1}},
	}
}

func testKindsApart(w *trial) {
	w.write(oneOfEach(), 9, 0)
	w.write(oneOfEach(), 0, 9)
	w.count("events", website("s"), 3)
	w.count("errors", website("s"), 1)
	w.count("vitals", website("s"), 1)
	w.count("spans", website("s"), 1)
	w.count("visits", link("s"), 1)
	w.count("checks", schedule("s"), 1)
	w.count("blocked", website("s"), 1)
}

func testKeyedApart(w *trial) {
	anonymous, keyed := oneOfEach(), oneOfEach()
	for i := range keyed.Events {
		keyed.Events[i].Keyed = true
	}
	keyed.Errors[0].Keyed, keyed.Vitals[0].Keyed, keyed.Spans[0].Keyed = true, true, true
	w.write(anonymous, 9, 0)
	w.write(keyed, 6, 3) // visits, checks and blocked have no keyed senders
	w.reopen()
	w.write(keyed, 0, 9)
	w.write(anonymous, 0, 9)
	for table, want := range map[string]int64{"events": 3, "errors": 1, "vitals": 1, "spans": 1} {
		got := int64(0)
		for _, one := range w.column(table, "keyed", dialect.Int, website("s")).Ints {
			got += one
		}
		if got != want {
			w.Errorf("%s: %d rows are keyed, want %d", table, got, want)
		}
	}
}

func testPageEventsShare(w *trial) {
	w.write(store.Batch{Events: []store.Event{
		{Website: "w", ID: "e", Kind: store.Exit, Time: noon},
		{Website: "w", ID: "e", Kind: store.Pageview, Time: noon},
		{Website: "w", ID: "e", Kind: store.PageEvent, Time: noon},
	}}, 1, 2)
	w.write(store.Batch{Events: []store.Event{{Website: "w", ID: "e", Kind: store.Pageview, Time: noon}}}, 0, 1)
	if got := w.column("events", "kind", dialect.Int, website("w")).Ints; len(got) != 1 || got[0] != int64(store.Exit) {
		w.Errorf("kinds = %v, want the first, %d", got, store.Exit)
	}
}

func testSubjectsApart(w *trial) {
	// Subjects and ids that would be equal if they were only concatenated.
	w.write(store.Batch{Events: []store.Event{
		{Website: "w1", ID: "e", Time: noon},
		{Website: "w2", ID: "e", Time: noon},
		{Website: "w", ID: "1e", Time: noon},
		{Website: "w1e", ID: "e", Time: noon},
		{Website: "w1", ID: "ee", Time: noon},
	}}, 5, 0)
	w.count("events", website("w1"), 2)
	w.count("events", website("w2"), 1)
	w.count("events", website("w"), 1)
	w.count("events", website("w1e"), 1)
}
