package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

// expireCases returns the cases of store.Expirer.
func expireCases() []contractCase {
	return []contractCase{
		{name: "the rows of one day and subject are removed from every table, and no other", run: testExpire,
			defends: "Expire removes the rows of s of one UTC day and returns the number of removed rows"},
		{name: "the version of the day grows once, and the day is marked", run: testExpireVersions,
			defends: "Day.Expired is the Version after that; if nothing is left to remove, neither changes"},
		{name: "expired days are still marked after a restart", restarts: true, run: testExpireRestart,
			defends: "Day.Expired of the day is set, and Day.Version never becomes smaller"},
		{name: "rows that are written later can be removed again", run: testExpireLate,
			defends: "the day has later rows if Version is larger than Expired; another call removes them"},
		{name: "the seal goes, and states go unless their kinds are kept", run: testExpireComputed,
			defends: "Expire removes the seal of the day, and its states unless their kinds are in keep"},
		{name: "a day with many rows is removed in pieces", run: testExpireLarge,
			defends: "Expire works in small pieces"},
		{name: "an interrupted Expire can be repeated", run: testExpireEnded,
			defends: "after an error some rows may be gone; another call removes the rest"},
		{name: "Erase forgets which days expired", run: testExpireErased,
			defends: "Expired is 0 again after Eraser removed all rows of the subject"},
		{name: "other goroutines write and read during Expire", run: testExpireMeanwhile,
			defends: "writes and queries continue between the pieces"},
	}
}

// expire removes a day of a website, days before noon, and checks the number of removed rows.
func (w *trial) expire(id string, days int, rows int64, keep ...int64) {
	w.Helper()
	n, err := interfaceOf[store.Expirer](w).Expire(context.Background(), w.own(website(id)),
		midnight.AddDate(0, 0, -days), keep)
	if err != nil || n != rows {
		w.Errorf("Expire of %q, %d days ago = %d, %v; want %d rows", id, days, n, err, rows)
	}
}

// dayOf returns a day of a website, days before noon.
func (w *trial) dayOf(id string, days int) store.Day {
	w.Helper()
	start := midnight.AddDate(0, 0, -days)
	found, err := interfaceOf[store.DayLister](w).Days(context.Background(), w.own(website(id)), start, start.Add(day))
	if err != nil {
		w.Fatalf("Days: %v", err)
	}
	if len(found) == 0 {
		return store.Day{Start: start}
	}
	return found[0]
}

func testExpire(w *trial) {
	edges := store.Batch{Events: []store.Event{
		{Website: "s", ID: "first", Name: "screen_view", Time: midnight},
		{Website: "s", ID: "last", Name: "screen_view", Time: midnight.Add(day - time.Millisecond)},
		{Website: "s", ID: "before", Name: "screen_view", Time: midnight.Add(-time.Millisecond)},
		{Website: "s", ID: "after", Name: "screen_view", Time: midnight.Add(day)},
	}}
	w.write(named("s"), 9, 0) // one event is a month old
	w.write(named("other"), 9, 0)
	w.write(edges, 4, 0)
	want := w.held("s", "other")
	w.expire("nobody", 0, 0)
	w.expire("s", 5, 0)
	if diff := cmp.Diff(want, w.held("s", "other")); diff != "" {
		w.Errorf("rows after removing days without rows (-want +got):\n%s", diff)
	}
	removed := int64(want[website("s")] - 3)
	w.expire("s", 0, removed)
	want[website("s")] = 3 // the event of a month ago, and those before and after the day
	if diff := cmp.Diff(want, w.held("s", "other")); diff != "" {
		w.Errorf("rows after removing a day (-want +got):\n%s", diff)
	}
	for _, id := range w.ids("events", website("s")) {
		if id == "first" || id == "last" {
			w.Errorf("the %s event of the day is left", id)
		}
	}
}

func testExpireVersions(w *trial) {
	w.write(dayBefore(0, "a"), 1, 0)
	w.write(dayBefore(1, "b"), 1, 0)
	today, yesterday := w.dayOf("w", 0), w.dayOf("w", 1)
	if yesterday.Expired != 0 {
		w.Errorf("a day with all its rows is expired: %+v", yesterday)
	}
	w.expire("w", 1, 1)
	after := w.dayOf("w", 1)
	if after.Version <= yesterday.Version || after.Expired != after.Version {
		w.Errorf("the expired day is %+v, want a version above %d, and Expired the same", after, yesterday.Version)
	}
	if now := w.dayOf("w", 0); now != today {
		w.Errorf("another day is %+v, want %+v", now, today)
	}
	w.expire("w", 1, 0)
	w.expire("w", 7, 0)
	if again := w.dayOf("w", 1); again != after {
		w.Errorf("the day is %+v after a call that removed nothing, want %+v", again, after)
	}
	if never := w.dayOf("w", 7); never.Expired != 0 || never.Version != 0 {
		w.Errorf("a day that never had rows is %+v", never)
	}
}

func testExpireRestart(w *trial) {
	w.write(dayBefore(1, "a"), 1, 0)
	w.expire("w", 1, 1)
	before := w.dayOf("w", 1)
	w.reopen()
	if after := w.dayOf("w", 1); after.Expired != before.Expired || after.Version != before.Version {
		w.Errorf("the day is %+v after a restart, %+v before", after, before)
	}
	w.count("events", website("w"), 0)
}

func testExpireLate(w *trial) {
	w.write(dayBefore(1, "a"), 1, 0)
	w.expire("w", 1, 1)
	w.write(dayBefore(1, "late"), 1, 0)
	if late := w.dayOf("w", 1); late.Expired == 0 || late.Version <= late.Expired {
		w.Errorf("the day with a late row is %+v, want a Version above Expired", late)
	}
	w.expire("w", 1, 1)
	if after := w.dayOf("w", 1); after.Version != after.Expired {
		w.Errorf("the day is %+v after the late row was removed", after)
	}
	w.count("events", website("w"), 0)
}

func testExpireComputed(w *trial) {
	if _, keeps := w.store.(store.StateKeeper); !keeps {
		w.Skip("the store does not implement store.StateKeeper")
	}
	w.someStates()
	w.saveStates(w.state(4, 1, 1<<62, "to keep"))
	w.seals(true)
	if d := w.dayOf("w", 1); d.Sealed == 0 {
		w.Fatalf("the day is not sealed: %+v", d)
	}
	w.expire("w", 1, 1, 2, 77)
	w.wantStates(w.statesOf("w", []int64{1, 2, 4, -1 << 63}, 2, 0), `-9223372036854775808 1: 7 ""`,
		`1 0: 5 "a\x00\xff'\\"`, `2 2: 8 "d"`, `4 1: 4611686018427387904 "to keep"`)
	if d := w.dayOf("w", 1); d.Sealed != 0 {
		w.Errorf("the expired day has a seal: %+v", d)
	}
	w.expire("w", 1, 0)
	w.wantStates(w.statesOf("w", []int64{1, 2, 4, -1 << 63}, 2, 0), `1 0: 5 "a\x00\xff'\\"`, `2 2: 8 "d"`)
}

// manyExpired is more than a store removes in one piece.
const manyExpired = 45_000

func testExpireLarge(w *trial) {
	var b store.Batch
	for i := range manyExpired {
		b.Events = append(b.Events, store.Event{Website: "w", ID: fmt.Sprint("e", i), Name: "screen_view", Path: "/",
			Time: midnight.AddDate(0, 0, -1).Add(time.Duration(i) * day / manyExpired)})
	}
	w.write(b, manyExpired, 0)
	w.write(dayBefore(0, "kept"), 1, 0)
	w.expire("w", 1, manyExpired)
	w.count("events", website("w"), 1)
	if d := w.dayOf("w", 1); d.Version != d.Expired {
		w.Errorf("the day is %+v", d)
	}
}

func testExpireEnded(w *trial) {
	w.write(dayBefore(1, "a"), 1, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := interfaceOf[store.Expirer](w).Expire(ctx, w.own(website("w")), midnight.AddDate(0, 0, -1),
		nil); !errors.Is(err, context.Canceled) {
		w.Errorf("Expire with a cancelled context: %v; want context.Canceled", err)
	}
	w.expire("w", 1, 1)
	w.count("events", website("w"), 0)
}

func testExpireErased(w *trial) {
	if _, erases := w.store.(store.Eraser); !erases {
		w.Skip("the store does not implement store.Eraser")
	}
	w.write(dayBefore(1, "a"), 1, 0)
	w.write(dayBefore(2, "b"), 1, 0)
	w.expire("w", 1, 1)
	w.erase(website("w"), 1)
	for days := range 3 {
		if d := w.dayOf("w", days); d.Expired != 0 {
			w.Errorf("%d days ago is %+v after Erase", days, d)
		}
	}
}

func testExpireMeanwhile(w *trial) {
	for days := range 3 {
		w.write(dayBefore(days, fmt.Sprint(days)), 1, 0)
	}
	w.beside(func() {
		w.expire("w", 2, 1)
		w.expire("w", 1, 1)
	})
	w.count("events", website("w"), 1)
}
