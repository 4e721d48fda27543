package reference

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// orders has property values of all sorts in three countries, over two days.
const orders = `
01T09:00:00 view   p1 s=S1 a=anna path=/ country=DE
01T09:01:00 custom c1 s=S1 a=anna path=/ name=order props={"total":12.3456,"plan":"pro"}
01T09:02:00 custom c2 s=S1 a=anna path=/ name=order props={"total":"0.6544","plan":"pro"}
01T09:03:00 custom c3 s=S1 a=anna path=/a name=order props={"total":"x","plan":""}
01T10:00:00 view   p2 s=S2 a=ben path=/ country=FR
01T10:01:00 custom c4 s=S2 a=ben path=/ name=order props={"total":-3,"plan":1}
02T09:59:00 custom c5 s=S2 a=ben path=/ name=gift props={"plan":null}
02T11:00:00 view   p3 s=S3 a=ben path=/b country=FR
02T11:00:05 view   p4 s=S3 a=ben path=/b country=FR
02T12:00:00 error  e1 s=S3 a=ben path=/b message=boom
`

func ofKey(name, key string) Metric { return Metric{Name: name, Property: key} }

func chosen(dataset string, dimensions []string, metrics ...Metric) func(*Question) {
	return func(q *Question) { q.Type, q.Dataset, q.Dimensions, q.Metrics = "", dataset, dimensions, metrics }
}

func dims(names ...string) []string { return names }

// Section 3 and 9: metrics, dimensions, order, shares.
func TestChoices(t *testing.T) {
	d := NewData(read(t, orders))
	m := func(name string) Metric { return Metric{Name: name} }
	for _, w := range []wanted{
		{why: "no dimension: one row; pageviews by default",
			ask:  chosen("", nil, m("visitors"), m("pageviews"), m("bounce_rate"), m("sessions")),
			rows: `{"visitors":2,"pageviews":4,"bounce_rate":0,"sessions":3}`},
		{why: "nothing: one row all the same", ask: func(q *Question) {
			chosen("events", nil, m("total_events"), ofKey("sum", "total"), ofKey("avg", "total"),
				ofKey("max", "total"), ofKey("count", "total"))(q)
			where("path", "eq", "/nowhere")(q)
		}, rows: `{"total_events":0,"sum_total":0,"avg_total":null,"max_total":null,"count_total":0}`},
		{why: "exact decimals with four places",
			ask: chosen("events", nil, ofKey("sum", "total"), ofKey("avg", "total"), ofKey("min", "total"),
				ofKey("max", "total"),
				ofKey("median", "total"), ofKey("p75", "total"), ofKey("count", "total"), ofKey("distinct", "total"),
				ofKey("distinct", "plan")),
			rows: `{"sum_total":10,"avg_total":3.3333,"min_total":-3,"max_total":12.3456,"median_total":0.6544,"p75_total":6.5,"count_total":3,"distinct_total":4,"distinct_plan":3}`},
		{why: "p75 is between neighbours, in its own column", ask: func(q *Question) {
			chosen("events", nil, Metric{Name: "p90", Property: "total", As: "x"})(q)
			where("property:total", "gt", "0")(q)
		}, rows: `{"x":11.1765}`}, // 0.6544 + 0.9 · 11.6912
		{why: "ordered by the first metric, ties by the dimensions; empty ones are kept",
			ask: chosen("events", dims("property:plan"), ofKey("count", "total"), m("total_events"), m("percentage")),
			rows: `
			{"property:plan":"pro","count_total":2,"total_events":2,"percentage":66.67}
			{"property:plan":"1","count_total":1,"total_events":1,"percentage":33.33}
			{"property:plan":"","count_total":0,"total_events":2,"percentage":0}`},
		{why: "shares before limit", ask: func(q *Question) {
			chosen("events", dims("event_name"), m("total_events"), m("percentage"))(q)
			q.Limit = 1
		}, rows: `{"event_name":"order","total_events":4,"percentage":80}`},
		{why: "sums of other signs; a share may be negative",
			ask: chosen("events", dims("country"), ofKey("sum", "total"), m("percentage")), rows: `
			{"country":"DE","sum_total":13,"percentage":130}
			{"country":"FR","sum_total":-3,"percentage":-30}`},
		{why: "date alone is a filled series", ask: func(q *Question) {
			chosen("events", dims("date"), ofKey("sum", "total"), ofKey("avg", "total"))(q)
			q.EndDate = "2024-05-03"
		}, rows: `
			{"date":"2024-05-01","sum_total":10,"avg_total":3.3333}
			{"date":"2024-05-02","sum_total":0,"avg_total":null}
			{"date":"2024-05-03","sum_total":0,"avg_total":null}`},
		{why: "date and others: columns as asked, ordered by date, then the first metric",
			ask: chosen("", dims("country", "date"), m("pageviews"), m("sessions"), m("percentage")), rows: `
			{"country":"DE","date":"2024-05-01","pageviews":1,"sessions":1,"percentage":25}
			{"country":"FR","date":"2024-05-01","pageviews":1,"sessions":1,"percentage":25}
			{"country":"FR","date":"2024-05-02","pageviews":2,"sessions":1,"percentage":50}
			{"country":"DE","date":"2024-05-02","pageviews":0,"sessions":0,"percentage":0}`},
		{why: "sessions of a path have a pageview of it",
			ask: chosen("sessions", dims("path"), m("sessions"), m("visitors")), rows: `
			{"path":"/","sessions":2,"visitors":2}
			{"path":"/b","sessions":1,"visitors":1}`},
		{why: "entries by the entry page", ask: chosen("entries", dims("path"), m("sessions"), m("percentage")), rows: `
			{"path":"/","sessions":2,"percentage":66.67}
			{"path":"/b","sessions":1,"percentage":33.33}`},
		{why: "referrer is an id", ask: chosen("errors", dims("referrer", "message"), m("count"), m("users")), rows: `
			{"referrer":"direct","message":"boom","count":1,"users":1}`},
		{why: "sorted by another column", ask: func(q *Question) {
			chosen("events", dims("country", "event_name"), m("total_events"))(q)
			q.SortBy, q.SortOrder = "event_name", "asc"
		}, rows: `
			{"country":"FR","event_name":"gift","total_events":1}
			{"country":"DE","event_name":"order","total_events":3}
			{"country":"FR","event_name":"order","total_events":1}`},
	} {
		w.check(t, d)
	}
}

// Section 3 and 9: what a choice may not have.
func TestRefusedChoices(t *testing.T) {
	d := NewData(read(t, orders))
	m := Metric{Name: "total_events"}
	for _, tt := range []struct {
		why string
		ask func(*Question)
	}{
		{"an unknown dataset", chosen("x", nil, m)},
		{"a dataset of links", chosen("link_visits", nil, Metric{Name: "clicks"})},
		{"no metric", chosen("events", nil, []Metric{}...)},
		{"an unknown metric", chosen("events", nil, Metric{Name: "x"})},
		{"a metric of another dataset", chosen("events", nil, Metric{Name: "pageviews"})},
		{"an unknown function", chosen("events", nil, ofKey("mean", "total"))},
		{"a property of errors", chosen("errors", nil, ofKey("sum", "total"))},
		{"two columns of one name", chosen("events", nil, ofKey("sum", "a b"), ofKey("sum", "a_b"))},
		{"a column and a dimension",
			chosen("events", dims("country"), Metric{Name: "sum", Property: "a", As: "country"})},
		{"11 metrics", chosen("events", nil, slicesOf(11)...)},
		{"five dimensions", chosen("events", dims("date", "country", "city", "region", "path"), m)},
		{"a dimension twice", chosen("events", dims("date", "date"), m)},
		{"an unknown dimension", chosen("events", dims("message"), m)},
		{"properties of errors", chosen("errors", dims("property:a"), Metric{Name: "count"})},
		{"a share of nothing", chosen("events", nil, Metric{Name: "percentage"})},
		{"a type too", func(q *Question) {
			chosen("events", nil, m)(q)
			q.Type = "pages"
		}},
		{"groupBy", func(q *Question) {
			chosen("events", nil, m)(q)
			q.GroupBy = dims("country")
		}},
	} {
		if _, err := d.Answer(ask("website", "", tt.ask)); err == nil {
			t.Errorf("%s is accepted", tt.why)
		}
	}
	ten := ask("website", "", chosen("events", nil, slicesOf(10)...))
	if _, err := d.Answer(ten); err != nil {
		t.Errorf("10 metrics: %v", err)
	}
}

func slicesOf(n int) (all []Metric) {
	for i := range n {
		all = append(all, ofKey("sum", fmt.Sprint("k", i)))
	}
	return all
}

// Section 9: names of columns.
func TestColumnNames(t *testing.T) {
	for m, want := range map[Metric]string{
		{Name: "sum", Property: "total"}: "sum_total", {Name: "p75", Property: "größe x.y"}: "p75_gr__e_x_y",
		{Name: "sum", Property: "a", As: "revenue"}: "revenue",
		{Name: "visitors"}:                          "visitors", {Name: "visitors", As: "people"}: "people",
	} {
		if got := m.Column(); got != want {
			t.Errorf("%+v: column %q, want %q", m, got, want)
		}
	}
}

// Section 3: what datasets there are at least.
func TestDatasets(t *testing.T) {
	for _, name := range strings.Fields("pageviews entries exits sessions events clicks errors vitals link_visits checks blocked") {
		d, ok := DatasetOf(name)
		if !ok || len(d.Metrics) < 2 || d.Kind == "" {
			t.Errorf("dataset %s: %+v", name, d)
		}
	}
	if d, _ := DatasetOf("checks"); d.Kind != store.KindSchedule {
		t.Error("checks are of monitors")
	}
}
