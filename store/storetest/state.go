package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// stateCases returns the cases of store.StateKeeper.
func stateCases() []contractCase {
	return []contractCase{
		{name: "states are returned as saved, by name and day", run: testStates,
			defends: "LoadStates returns the states with these names of the days that [from, to) touches; a saved state replaces the state with the same name and day, and keeps its kind and whether it is empty"},
		{name: "states and their versions survive a restart", restarts: true, run: testStatesRestart,
			defends: "states need not be computed again after a restart"},
		{name: "no state is saved for a day that changed", run: testStatesOfChangedDay,
			defends: "States whose Rows differs from the current Day.Version of their day are skipped"},
		{name: "states of some kinds are deleted except some numbers, and all together with the rows", run: testDropStates,
			defends: "DropStates deletes the states of some kinds whose numbers are not in keep; Erase deletes all states"},
	}
}

// state returns a state of a day before noon, with the current version of that day's rows.
func (w *trial) state(number int64, days int, version uint64, bytes string) store.State {
	w.Helper()
	start := midnight.AddDate(0, 0, -days)
	found, err := interfaceOf[store.Deriver](w).Days(w.Context(), w.own(website("w")), start, start.Add(day))
	if err != nil {
		w.Fatal(err)
	}
	one := store.State{StateName: stateName(number), Day: start, Version: version, Empty: bytes == "",
		Bytes: []byte(bytes)}
	if len(found) > 0 {
		one.Rows = found[0].Version
	}
	return one
}

// stateName returns a name of kind 2 if the number is even, and of kind 1 if it is odd.
func stateName(number int64) store.StateName {
	return store.StateName{Kind: 2 - number&1, Number: number}
}

func (w *trial) saveStates(states ...store.State) {
	w.Helper()
	if err := interfaceOf[store.StateKeeper](w).SaveStates(w.Context(), w.own(website("w")), states); err != nil {
		w.Fatal(err)
	}
}

// statesOf returns texts of states, in order.
func (w *trial) statesOf(id string, numbers []int64, from, to int) []string {
	w.Helper()
	keeper, texts := interfaceOf[store.StateKeeper](w), []string{}
	names := make([]store.StateName, len(numbers))
	for i, number := range numbers {
		names[i] = stateName(number)
	}
	found, err := keeper.LoadStates(context.Background(), w.own(website(id)), names, midnight.AddDate(0, 0, -from),
		midnight.AddDate(0, 0, -to).Add(time.Hour))
	listed, listErr := keeper.States(context.Background(), w.own(website(id)))
	if err != nil || listErr != nil {
		w.Fatal(err, listErr)
	}
	for _, one := range found {
		ago := midnight.Sub(one.Day) / day
		texts = append(texts, fmt.Sprintf("%d %d: %d %q", one.Number, ago, one.Version, one.Bytes))
		if one.Empty != (len(one.Bytes) == 0) || one.StateName != stateName(one.Number) {
			w.Errorf("%s has kind %d, and is empty: %t", texts[len(texts)-1], one.Kind, one.Empty)
		}
		if !slices.ContainsFunc(listed, func(l store.State) bool {
			return l.StateName == one.StateName && l.Day.Equal(one.Day) && l.Version == one.Version &&
				l.Empty == one.Empty
		}) {
			w.Errorf("States does not list %s", texts[len(texts)-1])
		}
	}
	slices.Sort(texts)
	return texts
}

func (w *trial) wantStates(got []string, want ...string) {
	w.Helper()
	if !slices.Equal(got, want) && len(got)+len(want) > 0 {
		w.Errorf("states %q, want %q", got, want)
	}
}

// someStates writes one row on each of three days, and saves states of these days.
func (w *trial) someStates() {
	w.Helper()
	for days := range 3 {
		w.write(dayBefore(days, fmt.Sprint("state", days)), 1, 0)
	}
	w.saveStates(w.state(1, 0, 5, "a\x00\xff'\\"), w.state(1, 1, 1<<62, "b"), w.state(-1<<63, 1, 7, ""),
		w.state(2, 2, 8, "d"))
}

func testStates(w *trial) {
	w.someStates()
	all := []int64{1, 2, -1 << 63, 9}
	w.wantStates(w.statesOf("w", all, 2, 0), `-9223372036854775808 1: 7 ""`, `1 0: 5 "a\x00\xff'\\"`,
		`1 1: 4611686018427387904 "b"`, `2 2: 8 "d"`)
	w.wantStates(w.statesOf("w", all[:1], 1, 1), `1 1: 4611686018427387904 "b"`)
	w.wantStates(w.statesOf("w", all[:2], 2, 2), `2 2: 8 "d"`)
	w.wantStates(w.statesOf("w", nil, 2, 0))
	w.wantStates(w.statesOf("another", all, 2, 0))
	w.saveStates(w.state(1, 1, 3, "later, of a smaller version"), w.state(3, 1, 3, "new"))
	w.wantStates(w.statesOf("w", append(all, 3), 1, 1), `-9223372036854775808 1: 7 ""`,
		`1 1: 3 "later, of a smaller version"`, `3 1: 3 "new"`)
}

func testStatesRestart(w *trial) {
	w.someStates()
	before := w.statesOf("w", []int64{1, 2}, 2, 0)
	rows := w.state(1, 1, 0, "").Rows
	w.reopen()
	w.wantStates(w.statesOf("w", []int64{1, 2}, 2, 0), before...)
	if after := w.state(1, 1, 0, "").Rows; after != rows {
		w.Errorf("the version of a day changed from %d to %d", rows, after)
	}
}

func testStatesOfChangedDay(w *trial) {
	w.someStates()
	stale, fresh := w.state(1, 1, 9, "stale"), w.state(1, 0, 9, "fresh")
	w.write(dayBefore(1, "late"), 1, 0)
	w.saveStates(stale, fresh, w.state(1, 7, 9, "of a day without rows"))
	w.wantStates(w.statesOf("w", []int64{1}, 7, 0)[:2], `1 0: 9 "fresh"`, `1 1: 4611686018427387904 "b"`)
}

func testDropStates(w *trial) {
	w.someStates()
	keeper, of := interfaceOf[store.StateKeeper](w), w.own(website("w"))
	drop := func(kinds []int64, but ...int64) {
		if err := keeper.DropStates(w.Context(), of, kinds, but); err != nil {
			w.Fatal(err)
		}
	}
	all := []int64{1, 2, -1 << 63}
	drop([]int64{1, 2, 5}, 2, -1<<63, 77)
	w.wantStates(w.statesOf("w", all, 2, 0), `-9223372036854775808 1: 7 ""`, `2 2: 8 "d"`)
	drop(nil)
	drop([]int64{1})
	w.wantStates(w.statesOf("w", all, 2, 0), `-9223372036854775808 1: 7 ""`, `2 2: 8 "d"`)
	drop([]int64{2})
	w.wantStates(w.statesOf("w", all, 2, 0))
	if _, erases := w.store.(store.Eraser); !erases {
		return
	}
	state := w.state(2, 2, 8, "d")
	w.saveStates(state)
	w.erase(website("w"), 3)
	w.saveStates(state)
	w.wantStates(w.statesOf("w", []int64{2}, 2, 0))
}
