package transfer

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/scan"
	"github.com/sightline-analytics/sightline/store"
)

var tables = scan.Tables()

// dayWith returns a day of site a in table events with these numbers of rows in both stores.
func dayWith(day, source, target int64) pairOfDays {
	return pairOfDays{
		table: &tables[0], subject: store.Subject{Kind: store.KindWebsite, ID: "a"}, day: day,
		source: content{rows: source, high: source}, target: content{rows: target, high: target},
	}
}

// shown returns table, subject and day of the days in each chunk.
func shown(chunks [][]pairOfDays) (all [][]string) {
	for _, c := range chunks {
		var days []string
		for _, d := range c {
			days = append(days, fmt.Sprintf("%s %s %s", d.table.Name, d.subject.ID, dateOf(d.day)))
		}
		all = append(all, days)
	}
	return all
}

func TestChunksHaveOneTableAndMonth(t *testing.T) {
	other := dayWith(31, 1, 0)
	other.subject.ID = "b"
	visits := dayWith(31, 1, 0)
	visits.table = &tables[4]
	p := plan{days: []pairOfDays{
		visits, other, dayWith(31, 60, 0), dayWith(32, 40, 0), dayWith(33, 500, 0), dayWith(30, 1, 0),
		dayWith(58, 1, 0), dayWith(59, 1, 0),
	}}
	want := [][]string{
		{"events a 1970-01-31"},
		{"events a 1970-02-01", "events a 1970-02-02"},
		{"events a 1970-02-03"}, // too large to be joined with others
		{"events a 1970-02-28", "events b 1970-02-01"},
		{"events a 1970-03-01"},
		{"visits a 1970-02-01"},
	}
	if diff := cmp.Diff(want, shown(p.chunks(100))); diff != "" {
		t.Error(diff)
	}
}

// After a crash the same chunk is built again, because rows of the target do not change the limits of chunks.
func TestChunksDependOnTheSourceAlone(t *testing.T) {
	var empty, half plan
	for day := range int64(40) {
		empty.add([]pairOfDays{dayWith(day, 7+day, 0)})
		half.add([]pairOfDays{dayWith(day, 7+day, (7+day)*(day%2))})
	}
	if diff := cmp.Diff(shown(empty.chunks(50)), shown(half.chunks(50))); diff != "" {
		t.Error(diff)
	}
	if empty.missing <= half.missing || half.missing == 0 {
		t.Errorf("%d rows are missing in an empty target, %d in a target with half of them", empty.missing,
			half.missing)
	}
}

func TestRunsJoinConsecutiveDays(t *testing.T) {
	days := []pairOfDays{
		dayWith(10, 5, 0), dayWith(11, 5, 0), dayWith(12, 5, 5), dayWith(13, 5, 0), dayWith(14, 5, 2),
		dayWith(16, 5, 1), dayWith(17, 0, 3),
	}
	var got []string
	for _, s := range runsOf(days) {
		got = append(got, fmt.Sprint(dateOf(s.From.Time/scan.DayMillis), " up to ", dateOf(s.To.Time/scan.DayMillis),
			" ", s.fresh))
	}
	want := []string{
		"1970-01-11 up to 1970-01-13 true", // the 13th is equal
		"1970-01-14 up to 1970-01-15 true",
		"1970-01-15 up to 1970-01-16 false", // the target has some rows
		"1970-01-17 up to 1970-01-18 false", // the source has no rows on the 18th
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMarksIdentifySetsOfRows(t *testing.T) {
	of := func(round int, keys ...string) string { return markOf(&tables[0], round, keys) }
	if of(1, "a", "b") != of(1, "b", "a") {
		t.Error("the mark depends on the order of rows")
	}
	for _, other := range []string{of(1, "a"), of(1, "a", "b", "b"), of(2, "a", "b"),
		markOf(&tables[1], 1, []string{"a", "b"})} {
		if other == of(1, "a", "b") {
			t.Error("two sets of rows, or two rounds, have the same mark")
		}
	}
}
