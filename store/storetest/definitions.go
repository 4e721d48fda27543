package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// hostDefinitions are metrics and dimensions as a host may define them.
var hostDefinitions = query.Definitions{
	Metrics: []query.Metric{
		{Name: "revenue", Table: "custom", Of: query.Sum, Property: "total", Where: []query.Filter{paidOrders}},
		{Name: "mean", Table: "custom", Of: query.Average, Property: "total", Where: []query.Filter{paidOrders}},
		{Name: "least", Table: "custom", Of: query.Min, Property: "total",
			Where: []query.Filter{{Field: "property:cur", Op: query.In, Values: []string{"EUR", "USD"}}}},
		{Name: "most", Table: "custom", Of: query.Max, Property: "total",
			Where: []query.Filter{{Field: "property:cur", Op: query.Contains, Values: []string{"U"}}}},
		{Name: "priced", Table: "custom", Of: query.Count, Property: "total"},
		{Name: "paid", Table: "custom", Of: query.Count,
			Where: []query.Filter{paidOrders, {Field: "property:cur", Op: query.Ne, Values: []string{"EUR"}}}},
		{Name: "german", Table: "custom", Of: query.Count,
			Where: []query.Filter{{Field: "country", Op: query.Eq, Values: []string{"DE"}}}},
		{Name: "load", Table: "pageviews", Of: query.Sum, Column: "load_time",
			Where: []query.Filter{{Field: "path", Op: query.StartsWith, Values: []string{"/a"}}}},
	},
	Dimensions: []query.Dimension{
		{Name: "plan", Table: "custom", Property: "plan"},
		{Name: "viewport", Table: "pageviews", Column: "viewport_size"},
	},
}

var paidOrders = query.Filter{Field: "event_name", Op: query.Eq, Values: []string{"order_paid"}}

// hostTypes are types of hostDefinitions and of the clock.
func hostTypes() []query.Type {
	ofHost := func(name, source string, shape query.Shape, dimensions []string, order []string,
		columns ...string) query.Type {
		return query.Type{Name: name, Title: name, Description: name, Category: "Host", Visualization: "table",
			Subject: store.KindWebsite,
			Source:  source, Shape: shape, Dimensions: dimensions, Order: order, Columns: columns}
	}
	numbers := []string{"revenue", "mean", "least", "most", "priced", "paid", "german"}
	return []query.Type{
		ofHost("host_totals", "custom", query.Totals, nil, nil, numbers...),
		ofHost("host_plans", "custom", query.Breakdown, []string{"plan"}, []string{"-revenue"},
			append([]string{"plan"}, numbers...)...),
		ofHost("host_series", "custom", query.Series, nil, []string{"date"}, append([]string{"date"}, numbers...)...),
		ofHost("host_clock", "custom", query.Breakdown, []string{"weekday", "hour_of_day"},
			[]string{"weekday", "hour_of_day"},
			append([]string{"weekday", "hour_of_day"}, numbers...)...),
		ofHost("host_viewports", "pageviews", query.Breakdown, []string{"viewport"}, []string{"-load"}, "viewport",
			"pageviews", "load"),
		ofHost("host_sessions", "sessions", query.Breakdown, []string{"weekday"}, []string{"weekday"}, "weekday",
			"sessions"),
	}
}

// Definitions tests metrics and dimensions that a host defines, and the dimensions of the clock, against plain loops:
// in totals, breakdowns and series, with filters and groups, by statements and by merged states. With
// Harness.SampleEvery it tests each case in one of two zones.
func Definitions(t *testing.T, h Harness) {
	w := newHostWorld(46)
	s := h.filled(t, &w.batch)
	types, err := hostDefinitions.NewRegistry(append(query.Builtin(), hostTypes()...)...)
	if err != nil {
		t.Fatal(err)
	}
	zones := []string{"Europe/Berlin", "Asia/Kathmandu"} // the clocks of one change, the other is 05:45 from UTC
	for nth, zone := range zones {
		at, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		w.zone = at
		for i, c := range w.cases() {
			if h.SampleEvery > 1 && i%len(zones) != nth {
				continue
			}
			t.Run(zone+"/"+c.name, func(t *testing.T) {
				e, err := query.New(query.Config{Store: s, Now: func() time.Time { return now.AddDate(1, 0, 0) },
					EngineOptions: query.EngineOptions{Types: types, ResultCache: -1}})
				if err != nil {
					t.Fatal(err)
				}
				c.req.StartDate, c.req.EndDate, c.req.TimeZone = "2026-03-28", "2026-03-30", zone
				for i := range 3 { // the third answer may be merged from states
					got := answerOf(t.Context(), e, query.Access{Subject: website("host")}, c.req)
					if want := "[" + strings.Join(c.want, ",") + "]"; got.fault != "" || string(got.json) != want {
						t.Fatalf("answer %d: %s\ngot  %s\nwant %s", i+1, got.fault, got.json, want)
					}
					if err := e.Wait(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				merged := slices.ContainsFunc(e.Stats().Answers,
					func(n query.OriginCount) bool { return n.Source == query.Merged && n.Answers > 0 })
				if _, derives := s.(store.Deriver); merged != (derives && !c.statement) {
					t.Errorf("merged from states: %t", merged)
				}
			})
		}
	}
}
