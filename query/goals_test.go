package query_test

import (
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// Filters on single events belong into a goal, and the error says so.
func TestFiltersBesideGoals(t *testing.T) {
	access := query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}}
	signup := []query.Goal{{Name: "Signup",
		Action: query.Action{Event: &query.Text{Op: query.Eq, Values: []string{"signup"}}}}}
	for _, row := range []struct {
		parameter query.Parameter
		field     string
		want      string
	}{
		{query.Parameter{Name: "goals", Goals: signup}, "country", ""},
		{query.Parameter{Name: "goals", Goals: signup}, "path",
			`goals cannot be filtered by "path", a field of single events; put the filter into the filters of goals`},
		{query.Parameter{Name: "goals_trends", Goals: signup}, "property:plan",
			`goals_trends cannot be filtered by "property:plan", a field of single events; put the filter into the filters of goals`},
		{query.Parameter{Name: "goals", Goals: signup}, "event_name",
			`goals cannot be filtered by "event_name", a field of single events; put the filter into the filters of goals`},
		{query.Parameter{Name: "goals", Goals: signup}, "contry",
			`goals cannot be filtered by "contry"; did you mean "country"?`},
		{query.Parameter{Name: "goals"}, "country", "goals is required by goals"},
		{query.Parameter{Name: "pages", Goals: signup}, "country", "goals is not for pages"},
	} {
		row.parameter.Filters = []query.Filter{{Field: row.field, Op: query.NotIn, Values: []string{"DE"}}}
		found, err := engine(t).Explain(t.Context(), access,
			query.Request{Parameters: []query.Parameter{row.parameter}, Options: query.Options{Preset: "today"}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if found[0].Err != nil {
			got = found[0].Err.Message
		}
		if got, _, _ = strings.Cut(got, " Allowed are"); got != row.want {
			t.Errorf("%s filtered by %s: %q, want %q", row.parameter.Name, row.field, got, row.want)
		}
	}
}
