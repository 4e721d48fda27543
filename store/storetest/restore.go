package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
	"github.com/sightline-analytics/sightline/store/transfer"
)

// movable is a store that rows can be carried from and to.
type movable interface {
	store.Store
	store.Writer
	store.Lister
	store.Restorer
}

// proveRestorer carries what a store holds to another of its kind, and wants every difference
// between the two to be found.
func proveRestorer(t *testing.T, h Harness) {
	var stores [2]movable
	for i := range stores {
		s := h.open(t)
		var ok bool
		if stores[i], ok = s.(movable); !ok {
			t.Fatalf("%T is a store.Restorer but no store.Lister, so nothing can be carried from it to another", s)
		}
	}
	for i, c := range []struct {
		name string
		run  func(t *testing.T, from, to movable)
	}{
		{"a copy holds the same", copies},
		{"a copy in slices of seven rows holds the same", copiesInSlices},
		{"a copy goes on where one stopped", resumes},
		{"a copy whose target fails tells so, and goes on when called again", failsAndGoesOn},
		{"a row that comes to the source meanwhile is carried over too", followsTheSource},
		{"rows are restored whose ids came before, and later writes of them are repeats", restoresRepeats},
		{"a change of any column is found", findsChanges},
		{"too few and too many rows are found", findsCounts},
		{"days from Before on are left alone", leavesOut},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, namespace{stores[0], prefixOf(i)}, namespace{stores[1], prefixOf(i)}) })
	}
}

// listerCases are about store.Lister.
func listerCases() []contractCase {
	return []contractCase{
		{name: "every subject with rows, once", run: testList, defends: "Subjects lists every website, link and monitor that has rows, each once"},
	}
}

func testList(w *trial) {
	w.write(named("s"), 9, 0)
	w.write(pageview("t", "e"), 1, 0)
	all, err := interfaceOf[store.Lister](w).Subjects(context.Background())
	all = unprefixed(all, w.prefix)
	got := map[store.Subject]int{}
	for _, s := range all {
		got[s]++
	}
	want := map[store.Subject]int{website("s"): 1, link("s"): 1, schedule("s"): 1, website("t"): 1}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		w.Errorf("Subjects: %v, how often each (-want +got):\n%s", err, diff)
	}
}

// copies copies some of a dataset.
func copies(t *testing.T, from, to movable) {
	all := dataset.New(7).Batch
	some, _ := cut(&all, 0.02)
	mustWrite(t, from, some)
	first := mustCopy(t, from, to, transfer.Options{})
	if subjects, err := from.Subjects(t.Context()); err != nil || first.Subjects != len(subjects) {
		t.Errorf("%d subjects were compared, want %d: %v", first.Subjects, len(subjects), err)
	}
	if first.Copied != first.Rows || first.Rows == 0 {
		t.Errorf("%d rows of %d were carried over", first.Copied, first.Rows)
	}
}

// copiesInSlices copies few rows at a time, and finds nothing to do the second time.
func copiesInSlices(t *testing.T, from, to movable) {
	mustWrite(t, from, fixture())
	if report := mustCopy(t, from, to, transfer.Options{Rows: 7}); report.Copied != report.Rows || report.Rows < 14 {
		t.Errorf("%d rows of %d were carried over", report.Copied, report.Rows)
	}
	if again := mustCopy(t, from, to, transfer.Options{}); again.Copied != 0 {
		t.Errorf("copied again: %d rows", again.Copied)
	}
}

// resumes copies to a target that has every third row already.
func resumes(t *testing.T, from, to movable) {
	var all, some store.Batch
	for i := range 150 {
		at := noon.Add(time.Duration(i/4) * time.Second)
		v := store.Vital{Website: "w", ID: fmt.Sprint("v", i), Time: at, Samples: []store.Sample{{Metric: "LCP", Value: 1}, {Metric: "CLS", Value: 2}}}
		e := store.Event{Website: "w", ID: fmt.Sprint("e", i/2), Kind: store.EventKind(i % 2 * 3), Time: at}
		all.Vitals, all.Events = append(all.Vitals, v), append(all.Events, e)
		if i%3 == 0 {
			some.Vitals, some.Events = append(some.Vitals, v), append(some.Events, e)
		}
	}
	mustWrite(t, from, &all)
	mustWrite(t, to, &some)
	report := mustCopy(t, from, to, transfer.Options{Rows: 100})
	if report.Rows != 450 || report.Copied != 300 {
		t.Errorf("%d rows of %d were carried over; want the 300 of 450 that were not there", report.Copied, report.Rows)
	}
}

// visitsOn are uses of the link l: so many on each of some days.
func visitsOn(days, each int) (b store.Batch) {
	for day := range days {
		for i := range each {
			b.Visits = append(b.Visits, store.Visit{Link: "l", ID: fmt.Sprint(day, " ", i), Time: noon.AddDate(0, 0, day)})
		}
	}
	return b
}

// An interrupted target does something before each of its restorations.
type interrupted struct {
	movable

	before func(restored int) error
	times  int
}

func (m *interrupted) Restore(ctx context.Context, mark string, b *store.Batch) error {
	m.times++
	if err := m.before(m.times); err != nil {
		return err
	}
	return m.movable.Restore(ctx, mark, b)
}

func failsAndGoesOn(t *testing.T, from, to movable) {
	b := visitsOn(6, 50)
	mustWrite(t, from, &b)
	failing := &interrupted{movable: to, before: func(restored int) error {
		if restored > 2 {
			return fmt.Errorf("%w: the third time", store.ErrUnavailable)
		}
		return nil
	}}
	report, err := transfer.Copy(t.Context(), from, failing, transfer.Options{Rows: 70})
	if !errors.Is(err, store.ErrUnavailable) || report.Copied != 100 {
		t.Fatalf("%d rows were carried over, %v; want two days, and the target's error", report.Copied, err)
	}
	rest := mustCopy(t, from, to, transfer.Options{})
	if rest.Copied+report.Copied != rest.Rows {
		t.Errorf("%d and %d rows were carried over, of %d", report.Copied, rest.Copied, rest.Rows)
	}
}

func followsTheSource(t *testing.T, from, to movable) {
	one, late := pageview("w", "one"), pageview("w", "late")
	mustWrite(t, from, &one)
	busy := &interrupted{movable: to, before: func(restored int) error {
		if restored > 1 {
			return nil
		}
		_, err := from.Write(t.Context(), &late)
		return err
	}}
	report := mustCopy(t, from, busy, transfer.Options{})
	if report.Rows != 2 || report.Copied != 2 {
		t.Errorf("%d rows of %d were carried over, want both of 2", report.Copied, report.Rows)
	}
}

func restoresRepeats(t *testing.T, from, to movable) {
	one := pageview("w", "again")
	later := one
	later.Events = []store.Event{one.Events[0]}
	later.Events[0].Time = noon.Add(30 * 24 * time.Hour)
	for mark, b := range map[string]*store.Batch{"one": &one, "later": &later} {
		if err := from.Restore(t.Context(), mark, b); err != nil {
			t.Fatal(err)
		}
	}
	if report := mustCopy(t, from, to, transfer.Options{}); report.Rows != 2 {
		t.Errorf("%d rows, want the id at both its times", report.Rows)
	}
	for _, s := range []movable{from, to} {
		got, err := s.Write(t.Context(), &one)
		if diff := cmp.Diff(store.Written{Repeated: 1}, got); diff != "" || err != nil {
			t.Errorf("written after it was restored: %v\n%s", err, diff)
		}
	}
}

func mustWrite(t *testing.T, s store.Writer, b *store.Batch) {
	t.Helper()
	if _, err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// mustCopy copies, and wants both stores to hold the same.
func mustCopy(t *testing.T, from transfer.Source, to transfer.Target, o transfer.Options) transfer.Report {
	t.Helper()
	report, err := transfer.Copy(t.Context(), from, to, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Differences {
		t.Errorf("%s", d)
	}
	return report
}
