package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/world"
	"github.com/sightline-analytics/sightline/store/transfer"
)

// Movable is a store that rows can be carried from and to.
type Movable interface {
	Filled
	store.Lister
	store.Restorer
}

// RunRestore proves that a store keeps the contracts of store.Lister and
// store.Restorer: that all it holds can be carried to another of its kind, and that
// every difference between the two is found. open gives an empty store.
func RunRestore(t *testing.T, open func(t *testing.T) Movable) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, from, to Movable)
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
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t), open(t)) })
	}
}

// copies copies a world, and finds nothing to do the second time.
func copies(t *testing.T, from, to Movable) {
	w := world.New(7)
	mustWrite(t, from, &w.Batch)
	first := mustCopy(t, from, to, transfer.Options{})
	if subjects := len(w.Websites) + len(w.Links) + len(w.Schedules); first.Subjects != subjects {
		t.Errorf("%d subjects were compared, want %d", first.Subjects, subjects)
	}
	if first.Copied != first.Rows || first.Rows == 0 {
		t.Errorf("%d rows of %d were carried over", first.Copied, first.Rows)
	}
	if again := mustCopy(t, from, to, transfer.Options{}); again.Copied != 0 {
		t.Errorf("copied again: %d rows", again.Copied)
	}
}

func copiesInSlices(t *testing.T, from, to Movable) {
	mustWrite(t, from, fixture())
	if report := mustCopy(t, from, to, transfer.Options{Rows: 7}); report.Copied != report.Rows || report.Rows < 14 {
		t.Errorf("%d rows of %d were carried over", report.Copied, report.Rows)
	}
}

// resumes copies to a target that has every third row already.
func resumes(t *testing.T, from, to Movable) {
	var all, some store.Batch
	for i := range 300 {
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
	if report.Rows != 900 || report.Copied != 600 {
		t.Errorf("%d rows of %d were carried over; want the 600 of 900 that were not there", report.Copied, report.Rows)
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

// A moody target does something before each of its restorations.
type moody struct {
	Movable

	before func(restored int) error
	times  int
}

func (m *moody) Restore(ctx context.Context, mark string, b *store.Batch) error {
	m.times++
	if err := m.before(m.times); err != nil {
		return err
	}
	return m.Movable.Restore(ctx, mark, b)
}

func failsAndGoesOn(t *testing.T, from, to Movable) {
	b := visitsOn(6, 50)
	mustWrite(t, from, &b)
	failing := &moody{Movable: to, before: func(restored int) error {
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

func followsTheSource(t *testing.T, from, to Movable) {
	one, late := pageview("w", "one"), pageview("w", "late")
	mustWrite(t, from, &one)
	busy := &moody{Movable: to, before: func(restored int) error {
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

func restoresRepeats(t *testing.T, from, to Movable) {
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
	for _, s := range []Movable{from, to} {
		got, err := s.Write(t.Context(), &one)
		if diff := cmp.Diff(store.Written{Repeated: 1}, got); diff != "" || err != nil {
			t.Errorf("written after it was restored: %v\n%s", err, diff)
		}
	}
}

// findsChanges stores a row per field of every kind of row, and its like in the other
// store with that field changed.
func findsChanges(t *testing.T, from, to Movable) {
	event, _ := fullEvent()
	fault, _ := fullError()
	vital, _ := fullVital()
	span, _ := fullSpan()
	visit, _ := fullVisit()
	check, _ := fullCheck()
	var here, there store.Batch
	fields := 0
	fields += variants(event, &here.Events, &there.Events)
	fields += variants(fault, &here.Errors, &there.Errors)
	fields += variants(vital, &here.Vitals, &there.Vitals)
	fields += variants(span, &here.Spans, &there.Spans)
	fields += variants(visit, &here.Visits, &there.Visits)
	fields += variants(check, &here.Checks, &there.Checks)
	if err := errors.Join(from.Restore(t.Context(), "here", &here), to.Restore(t.Context(), "there", &there)); err != nil {
		t.Fatal(err)
	}
	report, err := transfer.Verify(t.Context(), from, to, transfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Differences {
		if d.Source != 1 || d.Target != 1 {
			t.Errorf("%s", d)
		}
	}
	if len(report.Differences) != fields || report.Days != fields {
		t.Errorf("of %d changed fields %d were found: %v", fields, len(report.Differences), report.Differences)
	}
}

// variants adds the row once per field, each on a day of its own, with and without a
// change of that field. The subject, the first field of every row, is left alone.
func variants[T any](row T, here, there *[]T) int {
	paths := leaves(reflect.TypeOf(row), nil)[1:]
	for day, path := range paths {
		reflect.ValueOf(&row).Elem().FieldByName("Time").Set(reflect.ValueOf(noon.AddDate(0, 0, day)))
		changed := row
		to := reflect.ValueOf(&changed).Elem()
		if samples := to.FieldByName("Samples"); samples.IsValid() {
			samples.Set(reflect.AppendSlice(reflect.MakeSlice(samples.Type(), 0, 1), samples)) // not those of row
		}
		change(leaf(to, path))
		*here, *there = append(*here, row), append(*there, changed)
	}
	return len(paths)
}

// leaves are the index paths of the fields of t that hold values of their own. An index
// into a slice is always 0.
func leaves(t reflect.Type, path []int) [][]int {
	if t.Kind() == reflect.Slice {
		return leaves(t.Elem(), append(path, 0))
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return [][]int{append([]int(nil), path...)}
	}
	var all [][]int
	for i := range t.NumField() {
		all = append(all, leaves(t.Field(i).Type, append(path, i))...)
	}
	return all
}

func leaf(v reflect.Value, path []int) reflect.Value {
	for _, i := range path {
		if v.Kind() == reflect.Slice {
			v = v.Index(i)
		} else {
			v = v.Field(i)
		}
	}
	return v
}

func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "'")
	case reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() ^ 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	default:
		if at, ok := reflect.TypeAssert[time.Time](v); ok {
			v.Set(reflect.ValueOf(at.Add(time.Millisecond)))
		}
	}
}

func findsCounts(t *testing.T, from, to Movable) {
	b := store.Batch{Visits: []store.Visit{
		{Link: "l", ID: "a", Time: noon}, {Link: "l", ID: "b", Time: noon},
		{Link: "l", ID: "c", Time: noon.Add(24 * time.Hour)},
	}}
	mustWrite(t, from, &b)
	mustWrite(t, to, &store.Batch{Visits: []store.Visit{
		{Link: "l", ID: "a", Time: noon}, {Link: "l", ID: "d", Time: noon.Add(24 * time.Hour)}, {Link: "l", ID: "e", Time: noon.Add(48 * time.Hour)},
		{Link: "another", ID: "e", Time: noon},
	}})
	verified, err := transfer.Verify(t.Context(), from, to, transfer.Options{})
	want := []string{
		"visits of link l on 2026-03-15: 2 rows here, 1 there",
		"visits of link l on 2026-03-16: 1 rows on both sides, of different contents",
		"visits of link l on 2026-03-17: 0 rows here, 1 there",
	}
	if diff := cmp.Diff(want, texts(verified.Differences)); diff != "" || err != nil {
		t.Errorf("verified: %v\n%s", err, diff)
	}
	// A copy brings what is missing, and leaves what is too much.
	report, err := transfer.Copy(t.Context(), from, to, transfer.Options{})
	want = []string{
		"visits of link l on 2026-03-16: 1 rows here, 2 there",
		"visits of link l on 2026-03-17: 0 rows here, 1 there",
	}
	if diff := cmp.Diff(want, texts(report.Differences)); diff != "" || err != nil || report.Copied != 2 {
		t.Errorf("copied %d rows: %v\n%s", report.Copied, err, diff)
	}
}

func leavesOut(t *testing.T, from, to Movable) {
	b := visitsOn(4, 2)
	mustWrite(t, from, &b)
	// Before lies in the third day: all of that is left out.
	if report := mustCopy(t, from, to, transfer.Options{Before: noon.AddDate(0, 0, 2)}); report.Copied != 4 {
		t.Errorf("%d rows were carried over, want the 4 of two days", report.Copied)
	}
	report, err := transfer.Verify(t.Context(), from, to, transfer.Options{})
	want := []string{"visits of link l on 2026-03-17: 2 rows here, 0 there", "visits of link l on 2026-03-18: 2 rows here, 0 there"}
	if diff := cmp.Diff(want, texts(report.Differences)); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func texts(all []transfer.Difference) []string {
	var out []string
	for _, d := range all {
		out = append(out, d.String())
	}
	return out
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
