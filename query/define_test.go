package query_test

import (
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

func TestDefinitionsReportEveryFault(t *testing.T) {
	of := func(change func(*query.Metric)) query.Definitions {
		m := query.Metric{Name: "revenue", Table: "custom", Of: query.Sum, Property: "total"}
		change(&m)
		return query.Definitions{Metrics: []query.Metric{m, {Name: "second", Table: "nothing", Of: query.Count}}}
	}
	by := func(change func(*query.Dimension)) query.Definitions {
		d := query.Dimension{Name: "plan", Table: "custom", Property: "plan"}
		change(&d)
		return query.Definitions{Dimensions: []query.Dimension{d},
			Metrics: []query.Metric{{Name: "second", Table: "nothing", Of: query.Count}}}
	}
	where := func(f query.Filter) query.Definitions {
		return of(func(m *query.Metric) { m.Where = []query.Filter{f} })
	}
	for _, c := range []struct {
		name string
		from query.Definitions
		want string
	}{
		{"no name", of(func(m *query.Metric) { m.Name = "" }), `metric "": Name must begin with a letter`},
		{"a name for SQL", of(func(m *query.Metric) { m.Name = `x" FROM events --` }), "Name must begin with a letter"},
		{"a long name", of(func(m *query.Metric) { m.Name = strings.Repeat("x", 65) }), "at most 64"},
		{"the name of a dimension", of(func(m *query.Metric) { m.Name = "path" }), "the name is taken"},
		{"the name of a column of each answer", of(func(m *query.Metric) { m.Name = "percentage" }),
			"the name is taken"},
		{"the name of a metric", of(func(m *query.Metric) { m.Name = "total_events" }),
			`the name is taken by a metric of table "custom"`},
		{"no such table", of(func(m *query.Metric) { m.Table = "customs" }),
			`there is no table "customs"; did you mean "custom"?`},
		{"a table of properties", of(func(m *query.Metric) { m.Table = "properties" }),
			`table "properties" has no metrics and dimensions of hosts`},
		{"no function", of(func(m *query.Metric) { m.Of = "median" }),
			`Of is "median", not sum, average, min, max or count`},
		{"a sum of nothing", of(func(m *query.Metric) { m.Property = "" }), "sum needs a Property or a Column"},
		{"a property and a column", of(func(m *query.Metric) { m.Column = "load_time" }),
			"set either Property or Column"},
		{"no such column", of(func(m *query.Metric) { m.Property, m.Column = "", "load_tim" }),
			`rows of table "custom" have no such column "load_tim"; did you mean "load_time"?`},
		{"a column of texts", of(func(m *query.Metric) { m.Property, m.Column = "", "title" }),
			`no such column "title"`},
		{"properties of errors", of(func(m *query.Metric) { m.Table = "errors" }),
			`rows of table "errors" have no properties`},
		{"a property of sessions", of(func(m *query.Metric) { m.Table = "sessions" }), "of which only Count"},
		{"a long property", of(func(m *query.Metric) { m.Property = strings.Repeat("x", 129) }),
			"at most 128 characters"},
		{"a filter on no field", where(query.Filter{Field: "event", Op: query.Eq, Values: []string{"x"}}),
			`Where[0]: rows of table "custom" have no field "event"; did you mean "event_name"?`},
		{"a filter on the clock", where(query.Filter{Field: "weekday", Op: query.Eq, Values: []string{"1"}}),
			`have no field "weekday"`},
		{"a filter without values", where(query.Filter{Field: "path", Op: query.In}),
			"Where[0].value must hold at least one value"},
		{"a filter of no kind", where(query.Filter{Field: "path", Op: "like", Values: []string{"x"}}),
			`unknown operator "like"`},
		{"a dimension of nothing", by(func(d *query.Dimension) { d.Property = "" }),
			`dimension "plan": set either Property or Column`},
		{"a dimension of both", by(func(d *query.Dimension) { d.Column = "title" }), "set either Property or Column"},
		{"a dimension of numbers", by(func(d *query.Dimension) { d.Property, d.Column = "", "load_time" }),
			`no such column "load_time"`},
		{"a dimension of sessions", by(func(d *query.Dimension) { d.Table = "sessions" }),
			"which have neither properties nor further columns"},
		{"a dimension that is built in", by(func(d *query.Dimension) { d.Name = "country" }), "the name is taken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.from.NewRegistry()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a fault with %q", err, c.want)
			}
			if err == nil || !strings.Contains(err.Error(), `metric "second": there is no table "nothing"`) {
				t.Errorf("the fault of the other definition is missing: %v", err)
			}
		})
	}
}

// Definitions of a host that types cannot use.
func TestTypesOfDefinitions(t *testing.T) {
	host := query.Definitions{Metrics: []query.Metric{{Name: "revenue", Table: "custom", Of: query.Sum,
		Property: "total"}},
		Dimensions: []query.Dimension{{Name: "plan", Table: "custom", Property: "plan"}}}
	ty := query.Type{Name: "x", Title: "X", Description: "X", Category: "X", Visualization: "table",
		Subject: store.KindWebsite,
		Source:  "custom", Shape: query.Breakdown, Dimensions: []string{"plan"},
		Columns: []string{"plan", "revenue", "total_events", "percentage"}, Order: []string{"-revenue"}}
	for _, c := range []struct {
		name   string
		change func(*query.Type)
		want   string
	}{
		{"a share of decimals", func(*query.Type) {},
			`percentage is a share of "revenue", which is not a column of whole numbers; set ShareOf`},
		{"a dimension of another table", func(ty *query.Type) {
			ty.Source, ty.Columns, ty.Order = "clicks", []string{"plan", "total_clicks"}, []string{"-total_clicks"}
		}, `table "clicks" has no dimension "plan"`},
		{"a metric of another table", func(ty *query.Type) { ty.Source, ty.Dimensions = "clicks", []string{"href"} },
			`column "revenue" does not exist for table "clicks"`},
		{"an hour in place of a text",
			func(ty *query.Type) { ty.Dimensions, ty.SkipEmpty = []string{"hour_of_day"}, "hour_of_day" },
			"SkipEmpty is \"hour_of_day\", which is not a text"},
		{"hours of an outage", func(ty *query.Type) {
			ty.Subject, ty.Source, ty.Dimensions = store.KindSchedule, "outages", []string{"hour_of_day"}
		}, `table "outages" has no dimension "hour_of_day"`},
		{"hours of a list", func(ty *query.Type) {
			ty.Shape, ty.Dimensions, ty.Columns, ty.Order = query.List, nil, []string{"path", "hour_of_day"},
				[]string{"path"}
		}, `column "hour_of_day" needs "hour_of_day"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := ty
			c.change(&bad)
			if _, err := host.NewRegistry(bad); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a fault with %q", err, c.want)
			}
		})
	}
	good := ty
	good.ShareOf = "total_events"
	types, err := host.NewRegistry(good)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := query.New(query.Config{Store: twoLanguages{}, EngineOptions: query.EngineOptions{Types: types}})
	if err != nil {
		t.Fatal(err)
	}
	plan := []query.Filter{{Field: "plan", Op: query.Eq, Values: []string{"pro"}}}
	if got := engine.CheckAccess(query.Access{Filters: plan}); got == nil {
		t.Error("a dimension of the host is taken as a mandatory filter")
	}
	resp, err := engine.Run(t.Context(),
		query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}, Filters: plan},
		query.Request{Parameters: []query.Parameter{{Name: "x"}}, Options: query.Options{Preset: "today"}})
	if err != nil || resp.Data[0].Code != query.Forbidden {
		t.Errorf("an access with such a filter: %+v, %v", resp, err)
	}
}

// Names and values of a host are arguments: they never become part of the SQL.
func TestDefinitionsAreBound(t *testing.T) {
	const evil = "'; DROP TABLE events; --\"`$1"
	types, err := query.Definitions{
		Metrics: []query.Metric{{Name: "m", Table: "custom", Of: query.Average, Property: evil,
			Where: []query.Filter{{Field: "property:" + evil, Op: query.NotIn, Values: []string{evil, "x"}},
				{Field: "event_name", Op: query.Contains, Values: []string{evil}}}}},
		Dimensions: []query.Dimension{{Name: "d", Table: "custom", Property: evil}},
	}.NewRegistry(query.Type{Name: "x", Title: "X", Description: "X", Category: "X", Visualization: "table",
		Subject: store.KindWebsite,
		Source:  "custom", Shape: query.Breakdown, Dimensions: []string{"d"}, Columns: []string{"d", "m"},
		Order: []string{"-m"}})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := query.New(query.Config{Store: twoLanguages{}, EngineOptions: query.EngineOptions{Types: types}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := engine.Explain(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}},
		query.Request{Parameters: []query.Parameter{{Name: "x",
			Options: query.Options{Filters: []query.Filter{{Field: "d", Op: query.Eq, Values: []string{evil}}}}}},
			Options: query.Options{Preset: "today"}})
	if err != nil || found[0].Err != nil {
		t.Fatal(err, found)
	}
	if strings.Contains(found[0].SQL, "DROP") {
		t.Errorf("a name is part of the SQL: %s", found[0].SQL)
	}
	bound := 0
	for _, arg := range found[0].Args {
		if arg.Value == any(evil) {
			bound++
		}
	}
	if bound == 0 {
		t.Errorf("the names are not bound: %v", found[0].Args)
	}
}

func TestVocabularyHasEachNameOfTheBuiltInTypes(t *testing.T) {
	known := map[string]map[string]bool{}
	for _, table := range query.Vocabulary() {
		if table.Description == "" || table.Subject == "" {
			t.Errorf("table %s is not described", table.Name)
		}
		names := map[string]bool{}
		for _, list := range [][]query.OutputField{table.Dimensions, table.Metrics, table.Derived, table.Items} {
			for _, f := range list {
				names[f.Name] = true
				if f.Type == "" || f.Label == "" || f.Description == "" {
					t.Errorf("%s of %s is not described: %+v", f.Name, table.Name, f)
				}
			}
		}
		known[table.Name] = names
	}
	for _, ty := range query.Builtin() {
		for _, spec := range ty.Columns {
			_, name, named := strings.Cut(spec, "=")
			if !named {
				name = spec
			}
			found := name == "date" || name == "percentage"
			for _, table := range append([]string{ty.Source}, ty.Joins...) {
				found = found || known[table][name]
			}
			if !found {
				t.Errorf("%s has the column %q, which no table of it lists", ty.Name, name)
			}
		}
	}
}
