package query_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// Bounds of questions about what people do, and of keys, which the random runs keep to.
func TestBoundsOfAsking(t *testing.T) {
	is := func(text string) *query.Text { return &query.Text{Op: query.Eq, Values: []string{text}} }
	did := func(in string) query.Filter {
		return query.Filter{Did: &query.Did{Action: query.Action{Event: is("signup")}, In: in}}
	}
	on := func(field string) query.Filter {
		return query.Filter{Field: field, Op: query.Ne, Values: []string{"x"}}
	}
	steps := []query.Step{{Action: query.Action{Page: is("/")}}, {Action: query.Action{Event: is("signup")}}}
	german := query.Action{Page: is("/"), Filters: []query.Filter{on("country")}}
	for _, row := range []struct {
		name      string
		parameter query.Parameter
		key       []query.Filter
		want      string // a part of the error; empty: none
	}{
		{"did in 366 days", query.Parameter{Name: "pages", StartDate: "2025-01-01", EndDate: "2026-01-01",
			Options: query.Options{Filters: []query.Filter{did("range")}}}, nil, ""},
		{"did in 367 days", query.Parameter{Name: "pages", StartDate: "2025-01-01", EndDate: "2026-01-02",
			Options: query.Options{Filters: []query.Filter{did("range")}}}, nil,
			"did is for ranges of at most 366 days, and this one has 367"},
		{"did inside a group in 367 days",
			query.Parameter{Name: "pages", StartDate: "2025-01-01", EndDate: "2026-01-02",
				Options: query.Options{Filters: []query.Filter{{
					Not: &query.Filter{Or: []query.Filter{on("country"), did("session")}}}}}}, nil,
			"at most 366 days"},
		{"a key's group on sessions",
			query.Parameter{Name: "goals", Goals: []query.Goal{{Name: "a", Action: query.Action{Page: is("/")}}}},
			[]query.Filter{{Or: []query.Filter{on("city"), did("session")}}}, ""},
		{"a key's group on rows", query.Parameter{Name: "paths"},
			[]query.Filter{{Not: &query.Filter{And: []query.Filter{on("path"), on("property:plan")}}}}, ""},
		{"a key's group that mixes both", query.Parameter{Name: "pages"},
			[]query.Filter{{Or: []query.Filter{on("country"), on("path")}}},
			"mixes fields of sessions, such as country, with fields of rows, such as path"},
		{"a key's group that mixes deeds of sessions and rows", query.Parameter{Name: "pages"},
			[]query.Filter{{Or: []query.Filter{did("session"), on("property:plan")}}}, "mixes fields"},
		{"what a visitor did in the range, of a key", query.Parameter{Name: "pages"},
			[]query.Filter{{Not: &query.Filter{Did: did("range").Did}}}, "must be session in a mandatory filter"},
		{"a key's property where rows have none", query.Parameter{Name: "errors"}, []query.Filter{on("property:plan")},
			`errors has no field "property:plan", by which this access must filter`},
		{"a funnel filtered by rows",
			query.Parameter{Name: "funnel", Steps: steps,
				Options: query.Options{Filters: []query.Filter{on("path")}}}, nil,
			`funnel cannot be filtered by "path", a field of single events; put the filter into the filters of steps`},
		{"a funnel by a field of rows",
			query.Parameter{Name: "funnel", Steps: steps,
				Options: query.Options{GroupBy: []string{"property:plan"}}}, nil,
			`funnel cannot be grouped by "property:plan"`},
		{"retention filtered by rows", query.Parameter{Name: "retention",
			Options: query.Options{Filters: []query.Filter{on("path")}}}, nil,
			"put the filter into the filters of start or return"},
		{"retention by a field", query.Parameter{Name: "retention",
			Options: query.Options{GroupBy: []string{"country"}}}, nil,
			`retention cannot be grouped by "country"`},
		{"paths filtered by rows", query.Parameter{Name: "paths",
			Options: query.Options{Filters: []query.Filter{on("property:plan")}}}, nil,
			`paths cannot be filtered by "property:plan"`},
		{"paths by a field of rows", query.Parameter{Name: "paths",
			Options: query.Options{GroupBy: []string{"path"}}}, nil,
			`paths cannot be grouped by "path"`},
		{"a field of sessions in a goal",
			query.Parameter{Name: "goals", Goals: []query.Goal{{Name: "a", Action: german}}}, nil,
			`an action cannot be filtered by "country"`},
		{"a field of sessions in did",
			query.Parameter{Name: "pages",
				Options: query.Options{Filters: []query.Filter{{Did: &query.Did{Action: german}}}}}, nil,
			`an action cannot be filtered by "country"`},
		{"did where rows have no visitors",
			query.Parameter{Name: "blocked_traffic",
				Options: query.Options{Filters: []query.Filter{did("session")}}}, nil,
			"because its rows have no visitors"},
	} {
		access := query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}, Filters: row.key}
		found, err := engine(t).Explain(t.Context(), access,
			query.Request{Parameters: []query.Parameter{row.parameter}, Options: query.Options{Preset: "today"}})
		if err == nil && found[0].Err != nil {
			err = errors.Join(found[0].Err, found[0].Err.Err)
		}
		if err != nil && (row.want == "" || !strings.Contains(err.Error(), row.want)) || err == nil && row.want != "" {
			t.Errorf("%s: %v, want %q", row.name, err, row.want)
		}
	}
}

// Properties and names of events filter every type of websites but types whose rows are not events with them. What
// people do costs as five other parameters.
func TestTypesWithoutProperties(t *testing.T) {
	without := []string{"performance", "frustration_by_page", "web_vitals_by_page", "vitals_overview",
		"vitals_time_series", "errors", "error_types", "errors_by_page", "error_trends",
		"blocked_traffic", "blocked_traffic_trends"}
	behaviour := []string{"goals", "goals_trends", "funnel", "retention", "paths"} // they have them inside actions
	for _, info := range engine(t).Types() {
		events := info.Subject == store.KindWebsite && !slices.Contains(without, info.Name) &&
			!slices.Contains(behaviour, info.Name)
		if (info.Cost == 5) != slices.Contains(behaviour, info.Name) {
			t.Errorf("%s costs as %d", info.Name, info.Cost)
		}
		if got := len(info.PropertyOperators) > 0; got != events ||
			slices.Contains(info.Filters, "event_name") != events {
			t.Errorf("%s has filters by properties: %t, and the fields %v", info.Name, got, info.Filters)
		}
	}
}
