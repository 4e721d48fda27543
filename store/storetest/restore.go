package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// movable is a store from which and to which rows can be copied.
type movable interface {
	store.Store
	store.Writer
	store.Lister
	store.Restorer
}

// proveRestorer copies the rows of a store to another store of the same kind, and tests that every difference
// between the two is found.
func proveRestorer(t *testing.T, h Harness) {
	var stores [2]movable
	for i := range stores {
		s := h.open(t)
		var ok bool
		if stores[i], ok = s.(movable); !ok {
			t.Fatalf("%T implements store.Restorer but not store.Lister, so it cannot be copied", s)
		}
	}
	for i, c := range []struct {
		name string
		run  func(t *testing.T, from, to movable)
	}{
		{"a copy has the same rows", copies},
		{"a copy in slices of seven rows has the same rows", copiesInSlices},
		{"a copy continues where an earlier one stopped", resumes},
		{"a copy returns the target's error, and continues when called again", failsAndGoesOn},
		{"a row that arrives at the source meanwhile is also copied", followsTheSource},
		{"rows with known ids are restored, and later writes of these ids are repeats", restoresRepeats},
		{"a change of any column is found", findsChanges},
		{"missing and additional rows are found", findsCounts},
		{"days from Before on are not copied", leavesOut},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.run(t, namespace{stores[0], prefixOf(i)},
				namespace{stores[1], prefixOf(i)})
		})
	}
}

// listerCases returns the cases of store.Lister.
func listerCases() []contractCase {
	return []contractCase{
		{name: "every subject with rows, once", run: testList,
			defends: "Subjects lists every website, link and monitor that has rows, each once"},
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

// copies copies a part of a dataset.
func copies(t *testing.T, from, to movable) {
	all := dataset.New(7).Batch
	some, _ := cut(&all, 0.02)
	mustWrite(t, from, some)
	first := mustCopy(t, from, to, transfer.Options{})
	if subjects, err := from.Subjects(t.Context()); err != nil || first.Subjects != len(subjects) {
		t.Errorf("%d subjects were compared, want %d: %v", first.Subjects, len(subjects), err)
	}
	if first.Copied != first.Rows || first.Rows == 0 {
		t.Errorf("%d of %d rows were copied", first.Copied, first.Rows)
	}
}

// copiesInSlices copies a few rows at a time. A second copy copies nothing.
func copiesInSlices(t *testing.T, from, to movable) {
	mustWrite(t, from, fixture())
	if report := mustCopy(t, from, to, transfer.Options{Rows: 7}); report.Copied != report.Rows || report.Rows < 14 {
		t.Errorf("%d of %d rows were copied", report.Copied, report.Rows)
	}
	if again := mustCopy(t, from, to, transfer.Options{}); again.Copied != 0 {
		t.Errorf("a second copy copied %d rows, want none", again.Copied)
	}
}

// resumes copies to a target that already has every third row.
func resumes(t *testing.T, from, to movable) {
	var all, some store.Batch
	for i := range 150 {
		at := noon.Add(time.Duration(i/4) * time.Second)
		v := store.Vital{Website: "w", ID: fmt.Sprint("v", i), Time: at,
			Samples: []store.Sample{{Metric: "LCP", Value: 1}, {Metric: "CLS", Value: 2}}}
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
		t.Errorf("%d of %d rows were copied, want 300 of 450", report.Copied, report.Rows)
	}
}

// visitsOn returns each visits of link l on each of days days.
func visitsOn(days, each int) (b store.Batch) {
	for day := range days {
		for i := range each {
			b.Visits = append(b.Visits,
				store.Visit{Link: "l", ID: fmt.Sprint(day, " ", i), Time: noon.AddDate(0, 0, day)})
		}
	}
	return b
}

// An interrupted target calls before at the start of each Restore.
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
		t.Fatalf("%d rows were copied, %v; want two days, and the target's error", report.Copied, err)
	}
	rest := mustCopy(t, from, to, transfer.Options{})
	if rest.Copied+report.Copied != rest.Rows {
		t.Errorf("%d and %d of %d rows were copied", report.Copied, rest.Copied, rest.Rows)
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
		t.Errorf("%d of %d rows were copied, want 2 of 2", report.Copied, report.Rows)
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
		t.Errorf("%d rows, want the id at both of its times", report.Rows)
	}
	for _, s := range []movable{from, to} {
		got, err := s.Write(t.Context(), &one)
		if diff := cmp.Diff(store.Written{Repeated: 1}, got); diff != "" || err != nil {
			t.Errorf("writing after a restore: %v\n%s", err, diff)
		}
	}
}

func mustWrite(t *testing.T, s store.Writer, b *store.Batch) {
	t.Helper()
	if _, err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// mustCopy copies, and fails unless both stores have the same rows afterwards.
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
