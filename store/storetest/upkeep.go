package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

// eraseCases returns the cases of store.Eraser.
func eraseCases() []contractCase {
	return []contractCase{
		{name: "one subject is removed from every table and day, and no other", run: testErase,
			defends: "Erase removes all rows of s and returns the number of removed rows"},
		{name: "erased rows do not come back", restarts: true, run: testEraseRestart,
			defends: "an Eraser removes data permanently"},
		{name: "erased event ids can be written again", run: testEraseForgets,
			defends: "Erase forgets the event ids of s"},
		{name: "erasing makes the versions of its days larger", run: testEraseVersions,
			defends: "every change to one of those days makes the version larger, including erasing; it never becomes smaller, not even after a restart"},
		{name: "an interrupted Erase can be repeated", run: testEraseEnded,
			defends: "after an error some rows may be gone; another call removes the rest"},
		{name: "other goroutines write and read during Erase", run: testEraseMeanwhile,
			defends: "a store is safe for concurrent use"},
	}
}

// maintainCases returns the cases of store.Maintainer.
func maintainCases() []contractCase {
	return []contractCase{
		{name: "Maintain changes no answers", run: testMaintain,
			defends: "Maintain changes no answer and no version"},
		{name: "repeats are still recognised for seven days", run: testMaintainWeek,
			defends: "repeats are recognised for at least 7 days after receipt"},
		{name: "Maintain may be interrupted", run: testMaintainEnded,
			defends: "Maintain returns early when ctx ends"},
		{name: "other goroutines write and read during Maintain", run: testMaintainMeanwhile,
			defends: "a store is safe for concurrent use"},
	}
}

// named returns oneOfEach with id as the id of every subject, and with rows in two months.
func named(id string) store.Batch {
	b := oneOfEach()
	for i := range b.Events {
		b.Events[i].Website = id
	}
	b.Events[0].Time = noon.AddDate(0, -1, 0)
	b.Errors[0].Website, b.Vitals[0].Website, b.Spans[0].Website, b.Blocked[0].Website = id, id, id, id
	b.Visits[0].Link, b.Checks[0].Schedule = id, id
	b.Vitals[0].Samples = []store.Sample{{Metric: "LCP", Value: 1}, {Metric: "CLS", Value: 2}}
	return b
}

// held returns the number of stored rows for each subject with one of ids.
func (w *trial) held(ids ...string) map[store.Subject]int {
	w.Helper()
	var all []store.Subject
	for _, id := range ids {
		all = append(all, website(id), link(id), schedule(id))
	}
	return w.rows(all...)
}

// erase erases a subject and checks the number of removed rows.
func (w *trial) erase(of store.Subject, rows int64) {
	w.Helper()
	if n, err := interfaceOf[store.Eraser](w).Erase(context.Background(), w.own(of)); err != nil || n != rows {
		w.Errorf("Erase of %s %q = %d, %v; want %d rows", of.Kind, of.ID, n, err, rows)
	}
}

func testErase(w *trial) {
	w.write(named("s"), 9, 0)
	w.write(named("s'\\"), 9, 0)
	want := w.held("s", "s'\\")
	for _, c := range []struct {
		of   store.Subject
		rows int64
	}{{website("s"), 8}, {website("s"), 0}, {link("s"), 1}, {schedule("s'\\"), 1}, {website("nobody"), 0},
		{website("s'\\"), 8}} {
		w.erase(c.of, c.rows)
		if _, known := want[c.of]; known {
			want[c.of] = 0
		}
		if diff := cmp.Diff(want, w.held("s", "s'\\")); diff != "" {
			w.Errorf("rows by subject after erasing %s %q (-want +got):\n%s", c.of.Kind, c.of.ID, diff)
		}
	}
}

func testEraseRestart(w *trial) {
	w.write(named("s"), 9, 0)
	w.erase(website("s"), 8)
	before := w.held("s")
	w.reopen()
	if diff := cmp.Diff(before, w.held("s")); diff != "" || before[website("s")] != 0 || before[link("s")] != 1 {
		w.Errorf("rows by subject after a restart (-before +after):\n%s", diff)
	}
}

func testEraseForgets(w *trial) {
	w.write(named("s"), 9, 0)
	w.erase(website("s"), 8)
	w.write(named("s"), 7, 2) // the rows of the link and the monitor still exist
	w.write(named("s"), 0, 9)
	if got := w.rows(website("s"))[website("s")]; got != 8 {
		w.Errorf("%d rows after writing them again, want 8", got)
	}
}

func testEraseVersions(w *trial) {
	if !w.versioned() {
		w.Skip("the store does not implement store.DayLister")
	}
	w.write(named("s"), 9, 0)
	w.write(named("other"), 9, 0)
	early := midnight.AddDate(0, -1, 0)
	read := func() map[string]uint64 {
		return map[string]uint64{
			"today":           w.version(website("s"), midnight, midnight.Add(day)),
			"a month ago":     w.version(website("s"), early, early.Add(day)),
			"another website": w.version(website("other"), midnight, midnight.Add(day)),
			"another day":     w.version(website("s"), midnight.Add(-day), midnight),
		}
	}
	before := read()
	w.erase(website("s"), 8)
	erased := read()
	for name, after := range erased {
		if grows := name == "today" || name == "a month ago"; grows != (after > before[name]) || !grows &&
			after != before[name] {
			w.Errorf("%s: version %d after erasing the rows, %d before", name, after, before[name])
		}
	}
	if w.address == "" {
		return
	}
	w.reopen()
	for name, now := range read() { // versions may grow with the time since the Erase
		if now < erased[name] {
			w.Errorf("%s: version %d after a restart, %d before", name, now, erased[name])
		}
	}
}

func testEraseEnded(w *trial) {
	w.write(named("s"), 9, 0)
	w.write(named("other"), 9, 0)
	others := w.held("other")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := interfaceOf[store.Eraser](w).Erase(ctx, w.own(website("s"))); !errors.Is(err, context.Canceled) {
		w.Errorf("Erase with a cancelled context: %v; want context.Canceled", err)
	}
	if _, err := interfaceOf[store.Eraser](w).Erase(context.Background(), w.own(website("s"))); err != nil {
		w.Errorf("Erase again: %v", err)
	}
	if n := w.rows(website("s"))[website("s")]; n != 0 {
		w.Errorf("%d rows are left", n)
	}
	if diff := cmp.Diff(others, w.held("other")); diff != "" {
		w.Errorf("rows of other subjects (-before +after):\n%s", diff)
	}
}

func testEraseMeanwhile(w *trial) {
	w.write(named("s"), 9, 0)
	w.beside(func() { w.erase(website("s"), 8) })
	if n := w.rows(website("s"))[website("s")]; n != 0 {
		w.Errorf("%d rows are left", n)
	}
}

// beside runs do while callers write and read, and fails unless every written row is stored once.
func (w *trial) beside(do func()) {
	w.Helper()
	const rounds = 2
	w.together(func(worker int) {
		if worker == 0 {
			do()
			return
		}
		for round := range rounds {
			b := pageview("busy", fmt.Sprintf("%d-%d", worker, round))
			if got, err := w.send(context.Background(), &b); err != nil || got.Stored != 1 {
				w.Errorf("Write = %+v, %v", got, err)
				return
			}
			if !w.sees("busy", b.Events[0].ID) {
				return
			}
		}
	})
	w.count("events", website("busy"), (crowd-1)*rounds)
}

// maintain calls Maintain and fails on an error.
func (w *trial) maintain() {
	w.Helper()
	if err := interfaceOf[store.Maintainer](w).Maintain(context.Background()); err != nil {
		w.Errorf("Maintain: %v", err)
	}
}

func testMaintain(w *trial) {
	w.maintain() // an empty store
	b, want := full()
	w.write(*b, len(want), 0)
	w.write(named("other"), 9, 0)
	seen := func() (map[store.Subject]int, uint64) {
		if !w.versioned() {
			return w.held("other"), 0
		}
		return w.held("other"), w.version(website("other"), midnight.AddDate(0, -2, 0), midnight.Add(day))
	}
	rows, version := seen()
	for range 2 {
		w.pass(30 * day)
		w.maintain()
		w.mustHold(want)
		if after, v := seen(); !maps.Equal(rows, after) || v != version {
			w.Errorf("%v and version %d after Maintain, want %v and %d", after, v, rows, version)
		}
	}
}

func testMaintainWeek(w *trial) {
	w.write(pageview("w", "a"), 1, 0)
	for range 7 {
		w.pass(day - time.Second)
		w.maintain()
	}
	w.write(pageview("w", "a"), 0, 1)
	w.count("events", website("w"), 1)
}

func testMaintainEnded(w *trial) {
	w.write(pageview("w", "a"), 1, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := interfaceOf[store.Maintainer](w).Maintain(ctx); err != nil && !errors.Is(err, context.Canceled) {
		w.Errorf("Maintain with a cancelled context: %v; want nil or context.Canceled", err)
	}
	w.write(pageview("w", "a"), 0, 1)
	w.maintain()
	w.count("events", website("w"), 1)
}

func testMaintainMeanwhile(w *trial) {
	w.write(pageview("w", "a"), 1, 0)
	w.beside(func() {
		for range 4 {
			w.maintain()
		}
	})
	w.count("events", website("w"), 1)
}
