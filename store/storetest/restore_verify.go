package storetest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/store"
)

// findsChanges stores a row per field of every kind of row, and stores the same row with that field changed in
// the other store.
func findsChanges(t *testing.T, from, to movable) {
	b, _ := full()
	var here, there store.Batch
	fields := 0
	fields += variants(b.Events[0], &here.Events, &there.Events)
	fields += variants(b.Errors[0], &here.Errors, &there.Errors)
	fields += variants(b.Vitals[0], &here.Vitals, &there.Vitals)
	fields += variants(b.Spans[0], &here.Spans, &there.Spans)
	fields += variants(b.Visits[0], &here.Visits, &there.Visits)
	fields += variants(b.Checks[0], &here.Checks, &there.Checks)
	fields += variants(b.Blocked[0], &here.Blocked, &there.Blocked)
	if err := errors.Join(from.Restore(t.Context(), "here", &here),
		to.Restore(t.Context(), "there", &there)); err != nil {
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

// variants adds the row once per field, each on a separate day, to here unchanged and to there with that field
// changed. It does not change the subject, which is the first field of every row.
func variants[T any](row T, here, there *[]T) int {
	paths := leaves(reflect.TypeOf(row), nil)[1:]
	for day, path := range paths {
		reflect.ValueOf(&row).Elem().FieldByName("Time").Set(reflect.ValueOf(noon.AddDate(0, 0, day)))
		changed := row
		to := reflect.ValueOf(&changed).Elem()
		if samples := to.FieldByName("Samples"); samples.IsValid() {
			// a copy of the samples of row
			samples.Set(reflect.AppendSlice(reflect.MakeSlice(samples.Type(), 0, 1), samples))
		}
		change(leaf(to, path))
		*here, *there = append(*here, row), append(*there, changed)
	}
	return len(paths)
}

// leaves returns the index paths of the fields of t without subfields. An index into a slice is always 0.
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

func findsCounts(t *testing.T, from, to movable) {
	b := store.Batch{Visits: []store.Visit{
		{Link: "l", ID: "a", Time: noon}, {Link: "l", ID: "b", Time: noon},
		{Link: "l", ID: "c", Time: noon.Add(24 * time.Hour)},
	}}
	mustWrite(t, from, &b)
	mustWrite(t, to, &store.Batch{Visits: []store.Visit{
		{Link: "l", ID: "a", Time: noon}, {Link: "l", ID: "d", Time: noon.Add(24 * time.Hour)},
		{Link: "l", ID: "e", Time: noon.Add(48 * time.Hour)},
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
	// A copy adds missing rows, and does not remove additional ones.
	report, err := transfer.Copy(t.Context(), from, to, transfer.Options{})
	want = []string{
		"visits of link l on 2026-03-16: 1 rows here, 2 there",
		"visits of link l on 2026-03-17: 0 rows here, 1 there",
	}
	if diff := cmp.Diff(want, texts(report.Differences)); diff != "" || err != nil || report.Copied != 2 {
		t.Errorf("copied %d rows: %v\n%s", report.Copied, err, diff)
	}
}

func leavesOut(t *testing.T, from, to movable) {
	b := visitsOn(4, 2)
	mustWrite(t, from, &b)
	// Before is within the third day, so that whole day is excluded.
	if report := mustCopy(t, from, to, transfer.Options{Before: noon.AddDate(0, 0, 2)}); report.Copied != 4 {
		t.Errorf("%d rows were copied, want the 4 rows of two days", report.Copied)
	}
	report, err := transfer.Verify(t.Context(), from, to, transfer.Options{})
	want := []string{"visits of link l on 2026-03-17: 2 rows here, 0 there",
		"visits of link l on 2026-03-18: 2 rows here, 0 there"}
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
