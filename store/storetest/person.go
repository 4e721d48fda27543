package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// personCases returns the cases of store.PersonEraser. [Erasing] tests it with datasets.
func personCases() []contractCase {
	return []contractCase{
		{name: "the rows of one person are removed from every table, and no others", run: testPerson,
			defends: "ErasePerson removes the rows of p and returns the number of removed rows by logical table"},
		{name: "rows without a visitor belong to the person of their session", run: testPersonSession,
			defends: "a row without an anonymous id and without a profile id belongs to p if its session has a row with one of the ids of p"},
		{name: "a person that is not complete is refused", run: testPersonInvalid,
			defends: "the error wraps ErrInvalid if p has no website, no id or an empty id; then nothing is removed"},
		{name: "erased event ids can be written again", run: testPersonForgets,
			defends: "ErasePerson forgets the event ids of removed rows"},
		{name: "the versions of the days around grow", restarts: true, run: testPersonVersions,
			defends: "the versions of the days of removed rows and of the days up to MaxAround around them grow"},
		{name: "the states of the days around are deleted", run: testPersonStates,
			defends: "states of all these days are deleted"},
		{name: "erased rows do not come back", restarts: true, run: testPersonRestart,
			defends: "a PersonEraser removes data permanently"},
		{name: "other goroutines write and read meanwhile", run: testPersonMeanwhile,
			defends: "a store is safe for concurrent use"},
	}
}

// purgeCases returns the cases of store.Purger.
func purgeCases() []contractCase {
	return []contractCase{
		{name: "Purge changes no rows and no versions", run: testPurge,
			defends: "Purge changes no answer and no version"},
		{name: "rows and event ids survive a restart after Purge", restarts: true, run: testPurgeRestart,
			defends: "Purge changes no answer and no version"},
		{name: "other goroutines write and read during Purge", run: testPurgeMeanwhile,
			defends: "queries continue meanwhile, and writes may wait"},
	}
}

// ofPerson returns rows in all tables of persons, at noon of a day, with ids that begin with mark.
func ofPerson(mark string, who store.Identity, days int) store.Batch {
	b := named("s")
	b.Visits, b.Checks, b.Blocked = nil, nil, nil
	at := noon.AddDate(0, 0, -days)
	for i := range b.Events {
		b.Events[i].ID, b.Events[i].Identity, b.Events[i].Time = fmt.Sprint(mark, i), who, at
	}
	b.Errors[0].ID, b.Errors[0].Identity, b.Errors[0].Time = mark, who, at
	b.Vitals[0].ID, b.Vitals[0].Identity, b.Vitals[0].Time = mark, who, at
	b.Spans[0].ID, b.Spans[0].Identity, b.Spans[0].Time = mark, who, at
	return b
}

// itemsOfPerson is the number of items that ofPerson returns, and rowsOfPerson the rows that ErasePerson counts for
// them.
const itemsOfPerson = 6

func rowsOfPerson(times int64) map[string]int64 {
	return map[string]int64{"events": 3 * times, "errors": times, "vitals": 2 * times, "spans": times}
}

// erasePerson erases a person of the website s, and checks the number of removed rows.
func (w *trial) erasePerson(p store.Person, want map[string]int64) {
	w.Helper()
	p.Website = w.own(website("s")).ID
	got, err := interfaceOf[store.PersonEraser](w).ErasePerson(context.Background(), p)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		w.Errorf("ErasePerson of %q and %q: %v (-want +got):\n%s", p.AnonymousIDs, p.ProfileIDs, err, diff)
	}
}

// left returns the event ids of the rows of the website s that are left, by table.
func (w *trial) left() (ids []string) {
	w.Helper()
	for _, t := range []schema.TableID{schema.Events, schema.Errors, schema.Vitals, schema.Spans} {
		ids = append(ids, w.ids(t.String(), website("s"))...)
	}
	return ids
}

func testPerson(w *trial) {
	w.write(ofPerson("a", by("v1", "s1"), 0), itemsOfPerson, 0)
	w.write(ofPerson("b", by("v2", "s2"), 0), itemsOfPerson, 0)
	// a profile may be called like a visitor
	w.write(ofPerson("c", store.Identity{AnonymousID: "v3", ProfileID: "v1", SessionID: "s3", Keyed: true}, 0),
		itemsOfPerson, 0)
	w.write(ofPerson("d", store.Identity{AnonymousID: "v4", ProfileID: "p'\\", SessionID: "s4"}, 40), itemsOfPerson, 0)
	w.write(ofPerson("e", store.Identity{AnonymousID: "v1", ProfileID: "p2", SessionID: "s5"}, 40), itemsOfPerson, 0)
	others := pageview("other", "a")
	others.Events[0].Identity = by("v1", "s1")
	w.write(others, 1, 0)
	w.erasePerson(store.Person{AnonymousIDs: []string{"v1"}}, rowsOfPerson(2))
	w.erasePerson(store.Person{ProfileIDs: []string{"p'\\", "nobody"}}, rowsOfPerson(1))
	w.erasePerson(store.Person{AnonymousIDs: []string{"v1"}, ProfileIDs: []string{"nobody"}}, rowsOfPerson(0))
	want := []string{"b0", "b1", "b2", "c0", "c1", "c2", "b", "c", "b", "b", "c", "c", "b", "c"}
	if diff := cmp.Diff(want, w.left()); diff != "" {
		w.Errorf("event ids that are left (-want +got):\n%s", diff)
	}
	w.count("events", website("other"), 1)
	w.erasePerson(store.Person{AnonymousIDs: []string{"v2"}, ProfileIDs: []string{"v1"}}, rowsOfPerson(2))
	if ids := w.left(); len(ids) > 0 {
		w.Errorf("event ids that are left: %q", ids)
	}
}

func testPersonSession(w *trial) {
	w.write(ofPerson("a", by("v1", "s1"), 0), itemsOfPerson, 0)
	w.write(ofPerson("b", by("", "s1"), 1), itemsOfPerson, 0)
	w.write(ofPerson("c", by("", "s2"), 0), itemsOfPerson, 0)
	w.write(ofPerson("d", by("", ""), 0), itemsOfPerson, 0)
	shared := pageview("s", "e")
	shared.Events[0].Identity = by("v2", "s1")
	w.write(shared, 1, 0)
	w.erasePerson(store.Person{AnonymousIDs: []string{"v1"}}, rowsOfPerson(2))
	want := []string{"c0", "c1", "c2", "d0", "d1", "d2", "e", "c", "d", "c", "c", "d", "d", "c", "d"}
	if diff := cmp.Diff(want, w.left()); diff != "" {
		w.Errorf("event ids that are left (-want +got):\n%s", diff)
	}
}

func testPersonInvalid(w *trial) {
	w.write(ofPerson("a", store.Identity{}, 0), itemsOfPerson, 0)
	for _, p := range []store.Person{
		{AnonymousIDs: []string{"v"}}, {Website: w.own(website("s")).ID},
		{Website: w.own(website("s")).ID, AnonymousIDs: []string{""}},
	} {
		if removed, err := interfaceOf[store.PersonEraser](w).ErasePerson(context.Background(), p); !errors.Is(err,
			store.ErrInvalid) {
			w.Errorf("ErasePerson of %+v = %v, %v; want store.ErrInvalid", p, removed, err)
		}
	}
	w.count("events", website("s"), 3)
}

func testPersonForgets(w *trial) {
	w.write(ofPerson("a", store.Identity{AnonymousID: "v1", SessionID: "s1", Keyed: true}, 0), itemsOfPerson, 0)
	w.write(ofPerson("a", by("v2", "s2"), 0), itemsOfPerson, 0) // the same ids, without a key
	w.erasePerson(store.Person{AnonymousIDs: []string{"v1"}}, rowsOfPerson(1))
	w.write(ofPerson("a", by("v2", "s2"), 0), 0, itemsOfPerson)
	w.write(ofPerson("a", store.Identity{AnonymousID: "v1", SessionID: "s1", Keyed: true}, 0), itemsOfPerson, 0)
}

func testPersonVersions(w *trial) {
	if !w.versioned() {
		w.Skip("the store does not implement store.DayLister")
	}
	w.write(ofPerson("a", by("v1", "s1"), 20), itemsOfPerson, 0)
	var grows, stays []time.Time
	for _, days := range []int{0, 12, 13, 20, 27, 28, 40} {
		w.write(ofPerson(fmt.Sprint("b", days), by("v2", "s2"), days), itemsOfPerson, 0)
		if start := midnight.AddDate(0, 0, -days); days >= 13 && days <= 27 {
			grows = append(grows, start)
		} else {
			stays = append(stays, start)
		}
	}
	read := func(of []time.Time) (versions []uint64) {
		for _, start := range of {
			versions = append(versions, w.version(website("s"), start, start.Add(day)))
		}
		return versions
	}
	grew, stayed := read(grows), read(stays)
	w.erasePerson(store.Person{AnonymousIDs: []string{"v1"}}, rowsOfPerson(1))
	check := func(when string) {
		for i, now := range read(grows) {
			if now <= grew[i] {
				w.Errorf("%s: the version of %s is %d, %d before", when, grows[i].Format(time.DateOnly), now, grew[i])
			}
		}
		for i, now := range read(stays) {
			if now != stayed[i] {
				w.Errorf("%s: the version of %s, too far away, is %d, %d before", when, stays[i].Format(time.DateOnly),
					now, stayed[i])
			}
		}
	}
	check("after erasing")
	w.reopen()
	check("after a restart")
}

func testPersonStates(w *trial) {
	if _, keeps := w.store.(store.StateKeeper); !keeps {
		w.Skip("the store does not implement store.StateKeeper")
	}
	of := []int{0, 12, 13, 27, 28}
	for _, days := range of {
		b := dayBefore(days, fmt.Sprint("state", days))
		b.Events[0].Identity = by("v2", "s2")
		w.write(b, 1, 0)
		w.saveStates(w.state(1, days, 5, "x"))
	}
	b := dayBefore(20, "person")
	b.Events[0].Identity = by("v1", "s1")
	w.write(b, 1, 0)
	if _, err := interfaceOf[store.PersonEraser](w).ErasePerson(context.Background(),
		store.Person{Website: w.own(website("w")).ID, AnonymousIDs: []string{"v1"}}); err != nil {
		w.Fatal(err)
	}
	w.wantStates(w.statesOf("w", []int64{1}, 60, 0), `1 0: 5 "x"`, `1 12: 5 "x"`, `1 28: 5 "x"`)
}

func testPersonRestart(w *trial) {
	w.write(ofPerson("a", by("v1", "s1"), 0), itemsOfPerson, 0)
	w.write(ofPerson("b", by("v2", "s2"), 0), itemsOfPerson, 0)
	w.erasePerson(store.Person{AnonymousIDs: []string{"v1"}}, rowsOfPerson(1))
	before := w.left()
	w.reopen()
	if diff := cmp.Diff(before, w.left()); diff != "" || len(before) != 7 {
		w.Errorf("event ids after a restart (-before +after):\n%s", diff)
	}
}

func testPersonMeanwhile(w *trial) {
	w.write(ofPerson("a", by("v1", "s1"), 0), itemsOfPerson, 0)
	w.beside(func() { w.erasePerson(store.Person{AnonymousIDs: []string{"v1"}}, rowsOfPerson(1)) })
	w.count("events", website("s"), 0)
}

// purge calls Purge and fails on an error.
func (w *trial) purge() {
	w.Helper()
	if err := interfaceOf[store.Purger](w).Purge(context.Background()); err != nil {
		w.Errorf("Purge: %v", err)
	}
}

func testPurge(w *trial) {
	w.purge() // an empty store
	b, want := full()
	w.write(*b, len(want), 0)
	version := uint64(0)
	if w.versioned() {
		version = w.version(website("w"), midnight, midnight.Add(day))
	}
	for range 2 {
		w.purge()
		w.mustHold(want)
		if w.versioned() {
			w.versionStays("w", version, "after Purge")
		}
	}
	w.write(*b, 0, len(want))
	w.write(pageview("w2", "after"), 1, 0)
	w.count("events", website("w2"), 1)
}

func testPurgeRestart(w *trial) {
	w.write(ofPerson("a", by("v1", "s1"), 0), itemsOfPerson, 0)
	w.write(ofPerson("b", by("v2", "s2"), 0), itemsOfPerson, 0)
	w.purge()
	w.write(ofPerson("c", by("v3", "s3"), 0), itemsOfPerson, 0)
	before := w.left()
	w.reopen()
	if diff := cmp.Diff(before, w.left()); diff != "" || len(before) != 21 {
		w.Errorf("event ids after a restart (-before +after):\n%s", diff)
	}
	for _, mark := range []string{"a", "c"} {
		w.write(ofPerson(mark, by("v1", "s1"), 0), 0, itemsOfPerson)
	}
}

func testPurgeMeanwhile(w *trial) {
	w.beside(w.purge)
}
