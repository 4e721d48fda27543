package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A mistake in a choice fails its parameter and says what was probably meant.
func TestMistakesInChoices(t *testing.T) {
	e := engine(t)
	of := func(kind store.SubjectKind) query.Access {
		return query.Access{Subject: store.Subject{Kind: kind, ID: "x"}}
	}
	site := of(store.KindWebsite)
	limited := site
	limited.Types = []string{"pageviews", "summary"}
	for _, c := range []struct {
		parameter string
		access    query.Access
		code      query.Code
		want      string
	}{
		{`{"dataset":"pageview","metrics":["visitors"]}`, site, query.UnknownType,
			`unknown dataset "pageview"; did you mean "pageviews"?`},
		{`{"dataset":"checks","metrics":["total_checks"]}`, site, query.WrongSubject,
			`the dataset "checks" needs schedule_id in the address, not website_id`},
		{`{"metrics":["visitors"]}`, of(store.KindLink), query.WrongSubject,
			`the dataset "pageviews" needs website_id in the address, not link_id`},
		{`{"metrics":["visitor"]}`, site, query.Invalid,
			`metrics[0]: the dataset pageviews has no metric "visitor"; did you mean "visitors"?`},
		{`{"metrics":["visitors"],"dimensions":["contry"]}`, site, query.BadGroup,
			`the dataset pageviews has no dimension "contry"; did you mean "country"?`},
		{`{"metrics":["visitors"],"dimensions":["country","country"]}`, site, query.BadGroup,
			`the dimension "country" is named twice`},
		{`{"dataset":"errors","metrics":["count"],"dimensions":["property:a"]}`, site, query.BadGroup,
			`the dataset errors has no dimension "property:a"`},
		{`{"dataset":"events","metrics":[{"metric":"mean","property":"a"}]}`, site, query.Invalid,
			`unknown metric of a property "mean"`},
		{`{"dataset":"sessions","metrics":[{"metric":"sum","property":"a"}]}`, site, query.Invalid,
			`the dataset sessions has no metrics of properties; pageviews, events and clicks have`},
		{`{"metrics":["visitors",{"metric":"pageviews","as":"visitors"}]}`, site, query.Invalid,
			`two columns are called "visitors"; give one of them another name with as`},
		{`{"metrics":[{"metric":"visitors","as":"country"}],"dimensions":["country"]}`, site, query.Invalid,
			`two columns are called "country"`},
		{`{"metrics":["percentage"]}`, site, query.Invalid,
			`percentage is a share of another metric, which is missing`},
		{`{"metrics":["bounce_rate","percentage"]}`, site, query.Invalid,
			`percentage is a share of the first metric, which must be a count or a sum; "bounce_rate" is neither`},
		{`{"metrics":["visitors"],"groupBy":["country"]}`, site, query.BadGroup,
			`a choice of metrics takes dimensions in place of groupBy`},
		{`{"metrics":["visitors"],"dimensions":["country"],"sortBy":"pageviews"}`, site, query.BadSort,
			`pageviews cannot be sorted by "pageviews"`},
		{`{"metrics":["visitors"],"filters":[{"field":"mesage","op":"eq","value":"x"}]}`, site, query.BadFilter,
			`mesage`},
		{`{"metrics":["visitors"]}`, limited, query.Forbidden,
			`this access includes query types by name, and no choice of metrics`},
		{`{"dataset":"events","metrics":[]}`, site, query.Invalid, `metrics must name at least one metric`},
	} {
		err := explainChoice(t, e, c.access, c.parameter).Err
		if err == nil || err.Code != c.code || !strings.Contains(err.Message, c.want) {
			t.Errorf("%s: %+v, want %s: %s", c.parameter, err, c.code, c.want)
		}
	}
}

// explainChoice returns what the engine would run for a parameter.
func explainChoice(t *testing.T, e *query.Engine, a query.Access, parameter string) query.Explained {
	t.Helper()
	requests, _, err := query.Decode(fmt.Appendf(nil,
		`{"parameters":[%s],"startDate":"2026-03-10","endDate":"2026-03-11"}`, parameter), 1)
	if err != nil || len(requests[0].Errors) > 0 {
		t.Fatalf("%s: %v %v", parameter, err, requests)
	}
	all, err := e.Explain(t.Context(), a, requests[0].Request)
	if err != nil {
		t.Fatalf("%s: %v", parameter, err)
	}
	return all[0]
}

// No text of a caller is in the SQL of a choice: names of columns, keys of properties and values are arguments, or are
// not sent.
func TestChoicesKeepTextsOutOfSQL(t *testing.T) {
	for _, lang := range []*dialect.Dialect{dialect.DuckDB(), dialect.ClickHouse(), dialect.SQLite()} {
		x := explainChoice(t, engineIn(t, lang), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "x"}},
			`{"dataset":"events","metrics":[{"metric":"sum","property":"zebra'\")","as":"Zebra"},{"metric":"distinct","property":"zebra"},"percentage"],`+
				`"dimensions":["property:zebra","date"],"sortBy":"Zebra","filters":[{"field":"property:zebra","op":"ne","value":"zebra"}]}`)
		if x.Err != nil || strings.Contains(strings.ToLower(x.SQL), "zebra") {
			t.Errorf("%s: %v\n%s", lang.Name, x.Err, x.SQL)
		}
	}
}

// Every metric and every dimension that a dataset lists can be chosen, and totals and metrics of properties count as
// further parameters.
func TestDatasetsListWhatCanBeChosen(t *testing.T) {
	e := engine(t)
	for _, d := range e.Datasets() {
		if d.Title == "" || d.Description == "" || catalog.DatasetNamed(d.Name) == nil {
			t.Errorf("%+v has no words", d)
		}
		access := query.Access{Subject: store.Subject{Kind: d.Subject, ID: "x"}}
		for _, m := range d.Metrics {
			if m.Name == "percentage" {
				continue
			}
			if x := explainChoice(t, e, access,
				fmt.Sprintf(`{"dataset":%q,"metrics":[%q],"totals":true}`, d.Name, m.Name)); x.Err != nil ||
				m.Label == "" || m.Description == "" {
				t.Errorf("%s %+v: %v", d.Name, m, x.Err)
			}
		}
		for _, f := range d.Dimensions {
			if x := explainChoice(t, e, access,
				fmt.Sprintf(`{"dataset":%q,"metrics":[%q,"percentage"],"dimensions":[%q]}`, d.Name, d.Metrics[0].Name,
					f.Name)); x.Err != nil {
				t.Errorf("%s by %s: %v", d.Name, f.Name, x.Err)
			}
		}
		for _, function := range d.PropertyMetrics {
			if x := explainChoice(t, e, access,
				fmt.Sprintf(`{"dataset":%q,"metrics":[{"metric":%q,"property":"a"}]}`, d.Name,
					function)); x.Err != nil {
				t.Errorf("%s of a property of %s: %v", function, d.Name, x.Err)
			}
		}
		for _, f := range d.Filters {
			if x := explainChoice(t, e, access,
				fmt.Sprintf(`{"dataset":%q,"metrics":[%q],"filters":[{"field":%q,"op":"not_in","value":["DE"]}]}`,
					d.Name, d.Metrics[0].Name, f)); x.Err != nil {
				t.Errorf("%s where %s: %v", d.Name, f, x.Err)
			}
		}
	}
	req := query.Request{Options: query.Options{Totals: new(true), Compare: query.PreviousYear},
		Parameters: []query.Parameter{{Name: "summary"}, {Name: "pages", Options: query.Options{Totals: new(false)}},
			{Metrics: []query.ChosenMetric{{Name: "sum", Property: "a"}, {Name: "sum", Property: "b"}}},
			{Name: "pages", Options: query.Options{Compare: query.NoComparison}}}}
	if got, want := req.Cost(func(string) int { return 1 }), 3+2+4+2; got != want {
		t.Errorf("the cost is %d, want %d", got, want)
	}
}

// Lists, types with a row for each visitor, and those about what visitors did have no totals.
func TestTypesWithoutTotals(t *testing.T) {
	e := engine(t)
	without := map[string]bool{"sessions": true, "session_list": true, "session_events": true,
		"uptime_recent_checks": true, "profiles": true, "profile_list": true,
		"vitals_overview": true, "flag_outcomes": true, "goals": true, "goals_trends": true, "funnel": true,
		"retention": true, "paths": true, "why": true} // why has those of its metric
	for _, info := range e.Types() {
		req := query.Request{Parameters: []query.Parameter{{Name: info.Name}},
			Options:   query.Options{Totals: new(true)},
			StartDate: "2026-03-10", EndDate: "2026-03-11"}
		if info.RequiredFilter != "" {
			req.Filters = []query.Filter{{Field: info.RequiredFilter, Op: query.Eq, Values: []string{"x"}}}
		}
		event := query.Action{Event: &query.Text{Op: query.Eq, Values: []string{"x"}}}
		switch p := &req.Parameters[0]; info.Name {
		case "goals", "goals_trends":
			p.Goals = []query.Goal{{Name: "x", Action: event}}
		case "funnel":
			p.Steps = []query.Step{{Action: event}, {Action: event}}
		case "why":
			p.Metric, p.Compare = &query.ChangedMetric{Name: "visitors"}, query.PreviousPeriod
		}
		all, err := e.Explain(t.Context(), query.Access{Subject: store.Subject{Kind: info.Subject, ID: "x"}}, req)
		if err != nil || all[0].Err != nil {
			t.Errorf("%s: %v %v", info.Name, err, all)
		} else if got := all[0].Totals == nil; got != without[info.Name] {
			t.Errorf("%s has no totals: %t, want %t", info.Name, got, without[info.Name])
		}
	}
}

// A choice that is asked again is bound once, and choices that differ in anything are different.
func TestChoicesAreRemembered(t *testing.T) {
	types, err := query.NewRegistry(query.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	choose := func(p query.Parameter) *catalog.BoundType {
		return types.Choose(catalog.DatasetNamed("pageviews"), &p, 0, &ask.Issues{})
	}
	metrics := []query.ChosenMetric{{Name: "visitors"}}
	base := query.Parameter{Metrics: metrics, Dimensions: []string{"country", "date"}}
	seen := map[string]int{}
	for i, p := range []query.Parameter{base, {Metrics: metrics},
		{Metrics: metrics, Dimensions: []string{"date", "country"}},
		{Metrics: metrics, Dimensions: []string{"country"}},
		{Metrics: []query.ChosenMetric{{Name: "visitors", As: "visitors"}}, Dimensions: base.Dimensions},
		{Metrics: []query.ChosenMetric{{Name: "pageviews"}}, Dimensions: base.Dimensions}} {
		if id := choose(p).Identity(); seen[id] > 0 {
			t.Errorf("choice %d is taken for choice %d", i, seen[id]-1)
		} else {
			seen[id] = i + 1
		}
	}
	if first, second := choose(base), choose(base); first != second {
		t.Error("a choice is bound again")
	}
}
