package reference

import (
	"encoding/json"
	"testing"
)

func event(name string) Action { return Action{Event: &Text{Op: "eq", Values: []string{name}}} }
func page(path string) Action  { return Action{Page: &Text{Op: "eq", Values: []string{path}}} }

// shopping has conversions of three visitors in two countries. x1 is an exit of a fourth visitor, and dan has an
// error only.
const shopping = `
01T09:00:00 view   p1 s=S1 a=anna path=/ country=DE
01T09:01:00 view   p2 s=S1 a=anna path=/docs/a
01T09:02:00 custom c1 s=S1 a=anna path=/docs/a name=signup
01T09:03:00 custom c2 s=S1 a=anna path=/ name=paid props={"plan":"pro","total":10.00005}
01T10:00:00 view   p3 s=S2 a=ben path=/ country=FR
01T10:02:00 custom c3 s=S2 a=ben path=/ name=signup
01T10:03:00 custom c4 s=S2 a=ben path=/ name=paid props={"plan":"free","total":5}
02T10:00:00 custom c5 s=S2 a=ben path=/ name=paid props={"plan":"pro","total":"x"}
02T11:00:00 exit   x1 a=carl path=/
02T11:00:00 custom c6 name=signup
02T11:00:00 page   c8 a=eve path=/ name=$signup
02T12:00:00 error  e1 a=dan message=x
03T10:00:00 custom c7 s=S9 a=anna name=paid props={"total":1}
`

// Section 4.
func TestGoals(t *testing.T) {
	d := NewData(read(t, shopping))
	signup := Goal{Name: "Signup", Action: event("signup")}
	docs := Goal{Name: "Docs", Action: Action{Page: &Text{Op: "starts_with", Values: []string{"/docs"}}}}
	paid := Goal{Name: "Paid", Action: event("paid"), Value: "total"}
	pro := paid
	pro.Name, pro.Filters = "Pro", []Filter{ofProperty("plan", "eq", "pro")}
	goals := func(list ...Goal) func(*Question) { return func(q *Question) { q.Goals = list } }
	with := func(g func(*Question), more func(*Question)) func(*Question) {
		return func(q *Question) {
			g(q)
			more(q)
		}
	}
	for _, w := range []wanted{
		// Four visitors: anna, ben, carl (an exit); eve has only a $ name. c6 has no visitor.
		{why: "in the order of the request", name: "goals", ask: goals(signup, docs, paid, pro), rows: `
			{"name":"Signup","visitors":2,"conversions":3,"conversion_rate":66.67,"value":null,"avg_value":null}
			{"name":"Docs","visitors":1,"conversions":1,"conversion_rate":33.33,"value":null,"avg_value":null}
			{"name":"Paid","visitors":2,"conversions":3,"conversion_rate":66.67,"value":15.0001,"avg_value":7.5001}
			{"name":"Pro","visitors":2,"conversions":2,"conversion_rate":66.67,"value":10.0001,"avg_value":10.0001}`},
		{why: "no decimal: a sum of 0, no average", name: "goals", ask: with(goals(pro), where("country", "eq", "")),
			rows: `
			{"name":"Pro","visitors":1,"conversions":1,"conversion_rate":50,"value":0,"avg_value":null}`},
		{why: "filters restrict conversions and all visitors", name: "goals",
			ask: with(goals(signup), where("country", "eq", "FR")), rows: `
			{"name":"Signup","visitors":1,"conversions":1,"conversion_rate":100,"value":null,"avg_value":null}`},
		{why: "did restricts both too", name: "goals", ask: with(goals(signup), filtered(did("page", "/docs/a", nil))),
			rows: `
			{"name":"Signup","visitors":1,"conversions":1,"conversion_rate":100,"value":null,"avg_value":null}`},
		{why: "nobody at all: no rate", name: "goals", ask: with(goals(signup), where("country", "eq", "IT")), rows: `
			{"name":"Signup","visitors":0,"conversions":0,"conversion_rate":null,"value":null,"avg_value":null}`},
		{why: "by a session field: the rate is of the combination", name: "goals",
			ask: with(goals(pro, signup), grouped("country")), rows: `
			{"country":"","name":"Pro","visitors":1,"conversions":1,"conversion_rate":50,"value":0,"avg_value":null}
			{"country":"DE","name":"Pro","visitors":1,"conversions":1,"conversion_rate":100,"value":10.0001,"avg_value":10.0001}
			{"country":"DE","name":"Signup","visitors":1,"conversions":1,"conversion_rate":100,"value":null,"avg_value":null}
			{"country":"FR","name":"Signup","visitors":1,"conversions":1,"conversion_rate":100,"value":null,"avg_value":null}
			{"country":"","name":"Signup","visitors":0,"conversions":1,"conversion_rate":0,"value":null,"avg_value":null}`},
		{why: "by a property: the rate is of all visitors", name: "goals",
			ask: with(goals(paid), grouped("property:plan")), rows: `
			{"property:plan":"pro","name":"Paid","visitors":2,"conversions":2,"conversion_rate":66.67,"value":10.0001,"avg_value":10.0001}
			{"property:plan":"free","name":"Paid","visitors":1,"conversions":1,"conversion_rate":33.33,"value":5,"avg_value":5}`},
		{why: "trends are filled, by date and then as asked", name: "goals_trends",
			ask: with(goals(signup, pro), func(q *Question) { q.EndDate = "2024-05-03" }), rows: `
			{"date":"2024-05-01","name":"Signup","visitors":2,"conversions":2,"value":null}
			{"date":"2024-05-01","name":"Pro","visitors":1,"conversions":1,"value":10.0001}
			{"date":"2024-05-02","name":"Signup","visitors":0,"conversions":1,"value":null}
			{"date":"2024-05-02","name":"Pro","visitors":1,"conversions":1,"value":0}
			{"date":"2024-05-03","name":"Signup","visitors":0,"conversions":0,"value":null}
			{"date":"2024-05-03","name":"Pro","visitors":0,"conversions":0,"value":0}`},
	} {
		w.check(t, d)
	}
}

// Sections 4 to 7: bounds and parts that are refused.
func TestRefusedBehaviour(t *testing.T) {
	d := NewData(read(t, shopping))
	goal := Goal{Name: "a", Action: event("a")}
	var many []Goal
	for range 21 {
		goal.Name += "a"
		many = append(many, goal)
	}
	steps := func(n int) (list []Step) {
		for range n {
			list = append(list, Step{Action: page("/")})
		}
		return list
	}
	for _, tt := range []struct {
		why, name string
		refused   bool
		ask       func(*Question)
	}{
		{"no goal", "goals", true, func(*Question) {}},
		{"20 goals", "goals", false, func(q *Question) { q.Goals = many[:20] }},
		{"21 goals", "goals", true, func(q *Question) { q.Goals = many }},
		{"equal names", "goals", true, func(q *Question) { q.Goals = []Goal{goal, goal} }},
		{"a row field in the request", "goals", true, func(q *Question) {
			q.Goals = []Goal{goal}
			where("path", "eq", "/")(q)
		}},
		{"a property in the request", "goals", true, func(q *Question) {
			q.Goals = []Goal{goal}
			where("property:a", "eq", "/")(q)
		}},
		{"a session field in a goal", "goals", true, func(q *Question) {
			g := goal
			g.Filters = []Filter{leaf("country", "eq", "DE")}
			q.Goals = []Goal{g}
		}},
		{"one step", "funnel", true, func(q *Question) { q.Steps = steps(1) }},
		{"ten steps", "funnel", false, func(q *Question) { q.Steps = steps(10) }},
		{"eleven steps", "funnel", true, func(q *Question) { q.Steps = steps(11) }},
		{"a window of 1m", "funnel", false, func(q *Question) { q.Steps, q.Window = steps(2), "1m" }},
		{"a window of 0m", "funnel", true, func(q *Question) { q.Steps, q.Window = steps(2), "0m" }},
		{"a window of 90d", "funnel", false, func(q *Question) { q.Steps, q.Window = steps(2), "90d" }},
		{"a window of 91d", "funnel", true, func(q *Question) { q.Steps, q.Window = steps(2), "91d" }},
		{"a window of seconds", "funnel", true, func(q *Question) { q.Steps, q.Window = steps(2), "90s" }},
		{"within a page", "funnel", true, func(q *Question) { q.Steps, q.Within = steps(2), "page" }},
		{"a funnel by a property", "funnel", true,
			func(q *Question) { q.Steps, q.GroupBy = steps(2), []string{"property:a"} }},
		{"a path in a funnel's filter", "funnel", true, func(q *Question) {
			q.Steps = steps(2)
			where("path", "eq", "/")(q)
		}},
		{"retention by a field", "retention", true, grouped("country")},
		{"retention by hour", "retention", true, func(q *Question) { q.Grain = "hourly" }},
		{"60 days of retention", "retention", false, func(q *Question) { q.Grain, q.EndDate = "daily", "2024-06-29" }},
		{"61 days of retention", "retention", true, func(q *Question) { q.Grain, q.EndDate = "daily", "2024-06-30" }},
		{"a path in a filter of paths", "paths", true, where("path", "eq", "/")},
		{"51 leaves over the request and its steps", "funnel", true, func(q *Question) {
			q.Steps = steps(2)
			for range 25 {
				q.Filters = append(q.Filters, leaf("country", "eq", "DE"))
				q.Steps[0].Filters = append(q.Steps[0].Filters, leaf("path", "eq", "/"))
			}
			q.Steps[1].Filters = q.Steps[0].Filters[:1]
		}},
	} {
		_, err := d.Answer(ask("website", tt.name, tt.ask))
		if (err != nil) != tt.refused {
			t.Errorf("%s: %v", tt.why, err)
		}
	}
}

// Section 9: default names of steps.
func TestNamesOfActions(t *testing.T) {
	for want, a := range map[string]Action{
		"signup": event("signup"), "/docs/": page("/docs/"),
		"starts_with /docs": {Page: &Text{Op: "starts_with", Values: []string{"/docs"}}},
		"https://x.example": {Click: &Text{Op: "eq", Values: []string{"https://x.example"}}},
	} {
		if got := a.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Section 3 and 9: totals are over all rows, before limit and before empty names are left out.
func TestTotals(t *testing.T) {
	for _, tt := range []struct {
		why, name, rows string
		ask             func(*Question)
		want            string
	}{
		{"visitors are distinct over all, direct traffic counts", "top_referrers", shop, nil,
			`{"pageviews":6,"visitors":2,"percentage":100}`},
		{"empty names count", "countries", shop, func(q *Question) { q.Limit = 1 },
			`{"pageviews":6,"visitors":2,"percentage":100}`},
		{"filters hold", "top_pages", shop, where("path", "eq", "/docs"),
			`{"pageviews":2,"visitors":2,"percentage":100}`},
		{"groupBy does not", "browsers_grouped", shop, grouped("country"),
			`{"pageviews":6,"visitors":2,"percentage":100,"sessions":3,"versions":0}`},
		{"of sessions", "entry_pages", shop, nil, `{"sessions":3,"pageviews":3,"visitors":2,"percentage":100}`},
		{"of a series", "summary", shop, nil,
			`{"pageviews":6,"visitors":2,"sessions":3,"bounce_rate":33.33,"median_session_duration":11,"pages_per_session":2,"total_events":11}`},
		{"of bands", "session_duration_distribution", shop, nil, `{"sessions":3,"visitors":2,"percentage":100}`},
		{"names are left out, instants are not", "custom_events", shopping, nil,
			`{"total_events":7,"unique_users":3,"unique_sessions":2,"first_occurrence":"2024-05-01T09:02:00.000Z","last_occurrence":"2024-05-02T11:00:00.000Z","events_with_properties":3,"percentage":100}`},
		{"of nothing: no share", "errors", shopping, where("message", "eq", "y"),
			`{"count":0,"users":0,"sessions":0,"first_seen":null,"last_seen":null,"percentage":null}`},
		{"of a choice", "", shopping,
			chosen("events", []string{"event_name", "date"}, Metric{Name: "unique_users"}, ofKey("sum", "total"),
				Metric{Name: "percentage"}),
			`{"unique_users":3,"sum_total":15.0001,"percentage":100}`},
		{"of a choice of nothing", "", shopping, func(q *Question) {
			chosen("events", []string{"path"}, Metric{Name: "total_events"}, Metric{Name: "percentage"})(q)
			where("path", "eq", "/x")(q)
		}, `{"total_events":0,"percentage":null}`},
		{"none of a list of sessions", "sessions", shop, nil, ""},
	} {
		q := ask("website", tt.name, tt.ask)
		q.Totals = true
		got, err := NewData(read(t, tt.rows)).Compared(q)
		if err != nil || string(got.Totals) != tt.want {
			t.Errorf("%s of %s: got %s, want %s (%v)", tt.why, tt.name, got.Totals, tt.want, err)
		}
		q.Totals = false
		if got, _ := NewData(read(t, tt.rows)).Compared(q); got.Totals != nil {
			t.Errorf("%s: totals without being asked", tt.name)
		}
	}
}

// Every type that has totals has them without rows too.
func TestTotalsOfAllTypes(t *testing.T) {
	d := NewData(read(t, shop))
	for _, kind := range Types() {
		q := ask(kind.Kind, kind.Name, func(q *Question) { q.Totals = true })
		if kind.NeedsSession {
			continue
		}
		got, err := d.Compared(q)
		if err != nil || !kind.Single && !kind.noTotals && !json.Valid(got.Totals) {
			t.Errorf("%s: %s %v", kind.Name, got.Totals, err)
		}
	}
}
