package merge

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// A range with times is merged from the partials of whole days, and from pieces of the days that it cuts. It has no
// totals.
func TestRangesWithTimes(t *testing.T) {
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	e, err := testMerger(nothing{})
	if err != nil {
		t.Fatal(err)
	}
	e.Keeper = struct{ store.StateKeeper }{}
	now := time.Date(2024, time.March, 20, 12, 0, 0, 0, time.UTC)
	at := func(day, hour, minute int) int64 {
		return time.Date(2024, time.March, day, hour, minute, 0, 0, time.UTC).UnixMilli()
	}
	whole := func(day int) calendar.Interval { return calendar.Interval{From: at(day, 0, 0), To: at(day+1, 0, 0)} }
	for _, row := range []struct {
		name, start, end, granularity string
		want                          []calendar.Interval // nil: the rows are read
	}{
		{"top_pages", "2024-03-01T08:07", "2024-03-03T09:40", "daily",
			[]calendar.Interval{{From: at(1, 8, 7), To: at(2, 0, 0)}, whole(2), {From: at(3, 0, 0), To: at(3, 9, 40)}}},
		{"summary", "2024-03-01T08:07", "2024-03-03T09:40", "hourly",
			[]calendar.Interval{{From: at(1, 8, 7), To: at(2, 0, 0)}, whole(2), {From: at(3, 0, 0), To: at(3, 9, 40)}}},
		{"summary_metrics", "2024-03-01T08:07", "2024-03-01T08:09", "daily",
			[]calendar.Interval{{From: at(1, 8, 7), To: at(1, 8, 9)}}},
		{"summary", "2024-03-01T08:15", "2024-03-02T09:45", "hourly", []calendar.Interval{whole(1), whole(2)}},
		{"summary", "2024-03-01T08:15", "2024-03-01T09:45", "minute", nil},
	} {
		req := ask.Request{StartDate: row.start, EndDate: row.end, Parameters: []ask.Parameter{{Name: row.name}},
			Options: ask.Options{Granularity: row.granularity}}
		access := ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}}
		found, mistakes := plan.Resolve(types, access, req, now, nil)
		if mistakes != nil || found.Parameters[0].Err != nil {
			t.Fatal(mistakes, found)
		}
		p := found.Parameters[0].Plan
		m := mergeOf(p)
		switch {
		case m == nil && row.want == nil:
		case m == nil || len(m.stretches) != len(row.want):
			t.Errorf("%+v: %+v", row, m)
		default:
			for i, s := range m.stretches {
				if s != row.want[i] {
					t.Errorf("%+v: stretch %d is %v", row, i, s)
				}
			}
		}
		if e.ofTotals(p) != nil {
			t.Errorf("%+v has totals", row)
		}
		p.Range = calendar.Days(p.Range.StartDate, p.Range.EndDate, time.UTC)
		if p.Until = p.Range.To; row.want != nil && e.ofTotals(p) == nil {
			t.Errorf("%+v has no totals as days", row)
		}
	}
}
