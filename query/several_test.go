package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

func websites(ids ...string) (all []query.Website) {
	for _, id := range ids {
		all = append(all, query.Website{ID: id, Name: "name of " + id})
	}
	return all
}

var aDay = query.Request{Parameters: []query.Parameter{{Name: "summary_metrics"}, {Name: "sessions"}},
	StartDate: "2026-03-01", EndDate: "2026-03-01"}

// TestWebsitesOfAnAccess checks which websites a program may name.
func TestWebsitesOfAnAccess(t *testing.T) {
	e := engine(t)
	many := make([]string, query.MaxWebsites+1)
	for i := range many {
		many[i] = fmt.Sprint("w", i)
	}
	site := store.Subject{Kind: store.KindWebsite, ID: "a"}
	for _, row := range []struct {
		access query.Access
		want   string // in the error; empty: there is none
	}{
		{query.Access{Websites: websites("a")}, ""},
		{query.Access{Websites: websites(many[1:]...)}, ""},
		{query.Access{Websites: websites(many...)}, "must be 1 to 100 websites, not 101"},
		{query.Access{Websites: []query.Website{}}, "must be 1 to 100 websites, not 0"},
		{query.Access{Websites: websites("a", "b", "a")}, `names "a" twice`},
		{query.Access{Websites: websites("a", "")}, "required"},
		{query.Access{Websites: websites("a"), Subject: site}, "cannot be given with Websites"},
	} {
		_, err := e.Prepare(t.Context(), row.access, aDay)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%d websites: %v, want %q", len(row.access.Websites), err, row.want)
		}
	}
	filter := query.Access{Filters: []query.Filter{{Field: "website", Op: query.Eq, Values: []string{"a"}}}}
	if bad := e.CheckAccess(filter); len(bad) != 1 || !strings.Contains(bad[0].Message, "resources of a key") {
		t.Errorf("a mandatory filter on the website: %v", bad)
	}
}

// TestKeyOfSeveralWebsites checks that a key depends on the websites, their order in meta and their names, and that an
// answer depends on the days of each.
func TestKeyOfSeveralWebsites(t *testing.T) {
	e, seen := engine(t), map[string]string{}
	renamed := websites("a", "b")
	renamed[0].Name = "another"
	for name, access := range map[string]query.Access{
		"one": {Subject: store.Subject{Kind: store.KindWebsite, ID: "a"}}, "several of one": {Websites: websites("a")},
		"two": {Websites: websites("a", "b")}, "two in another order": {Websites: websites("b", "a")},
		"one renamed": {Websites: renamed},
	} {
		p, err := e.Prepare(t.Context(), access, aDay)
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := seen[p.Key()]; taken || p.Key() == "" {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[p.Key()] = name
		if got, want := len(p.Dependencies()), max(1, len(access.Websites)); got != want {
			t.Errorf("%s depends on the days of %d websites, not %d", name, got, want)
		}
	}
}
