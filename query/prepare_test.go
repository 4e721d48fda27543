package query_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// That an answer depends on no more than this, storetest.Dependencies holds against data.
func TestDependencies(t *testing.T) {
	e := engine(t)
	country := query.Filter{Field: "country", Op: query.Eq, Values: []string{"DE"}}
	path := query.Filter{Field: "path", Op: query.Eq, Values: []string{"/"}}
	own := query.Parameter{Name: "pages", StartDate: "2026-03-01", EndDate: "2026-03-01"}
	for _, row := range []struct {
		why       string
		of        store.SubjectKind
		mandatory []query.Filter
		filters   []query.Filter
		ask       []query.Parameter
		want      string
	}{
		{"what rows say of themselves", store.KindWebsite, nil, nil, names("pages"), "10..11"},
		{"page events by the session before them", store.KindWebsite, nil, []query.Filter{country}, names("pages"), "08..11"},
		{"clicks by a session that shows its fields later", store.KindWebsite, nil, []query.Filter{country}, names("outbound_links"), "08..12"},
		{"whole sessions", store.KindWebsite, nil, nil, names("entry_pages"), "08..12"},
		{"rows that may lie before their session", store.KindWebsite, nil, []query.Filter{country}, names("errors"), "08..13"},
		{"sessions of what sessions leave", store.KindWebsite, []query.Filter{country}, nil, names("pages"), "06..11"},
		{"and on both sides", store.KindWebsite, []query.Filter{country}, nil, names("entry_pages"), "06..13"},
		{"mandatory filters on rows form sessions once", store.KindWebsite, []query.Filter{path}, nil, names("entry_pages"), "08..12"},
		{"the period before", store.KindWebsite, nil, nil, []query.Parameter{{Name: "pages", Compare: query.PreviousPeriod}}, "08..11"},
		{"the year before", store.KindWebsite, nil, nil, []query.Parameter{{Name: "pages", Compare: query.PreviousYear}}, "2025-03-10..11 10..11"},
		{"what ignores the range is compared with nothing", store.KindWebsite, nil, nil,
			[]query.Parameter{{Name: "session_list", Compare: query.PreviousYear}}, "08..12"},
		{"days of its own", store.KindWebsite, nil, nil, []query.Parameter{{Name: "pages"}, own}, "01..01 10..11"},
		{"a parameter that fails needs nothing", store.KindWebsite, nil, nil, names("nonsense"), ""},
		{"checks", store.KindSchedule, nil, nil, names("uptime_overview"), "10..11"},
		{"outages however long ago they began", store.KindSchedule, nil, nil, names("uptime_time_series"), "1970-01-01..11"},
	} {
		p, err := e.Prepare(query.Access{Subject: store.Subject{Kind: row.of, ID: "x"}, Filters: row.mandatory},
			query.Request{Parameters: row.ask, Filters: row.filters, StartDate: "2026-03-10", EndDate: "2026-03-11"})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, d := range p.Dependencies() {
			from := d.From.Format("2006-01-02")
			if d.From.Year() == 2026 {
				from = d.From.Format("02")
			}
			got += fmt.Sprintf("%.*s%s..%s", i, " ", from, d.To.AddDate(0, 0, -1).Format("02"))
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.why, diff)
		}
	}
}

func names(all ...string) (list []query.Parameter) {
	for _, name := range all {
		list = append(list, query.Parameter{Name: name})
	}
	return list
}

// The engine's clock stands at noon of 2026-04-02.
func TestKey(t *testing.T) {
	e := engine(t)
	key := func(kind store.SubjectKind, req query.Request) string {
		t.Helper()
		p, err := e.Prepare(query.Access{Subject: store.Subject{Kind: kind, ID: "x"}}, req)
		if err != nil {
			t.Fatal(err)
		}
		return p.Key()
	}
	for why, req := range map[string]query.Request{
		"today":                  {Parameters: names("pages"), Preset: "today"},
		"today of one parameter": {Parameters: []query.Parameter{{Name: "pages", EndDate: "2026-04-02"}}, Preset: "yesterday"},
		"a type by the clock":    {Parameters: names("active_stats"), Preset: "yesterday"},
	} {
		if got := key(store.KindWebsite, req); got != "" {
			t.Errorf("%s: key %q", why, got)
		}
	}
	yesterday, dates := query.Request{Parameters: names("pages"), Preset: "yesterday"},
		query.Request{Parameters: names("pages"), StartDate: "2026-04-01", EndDate: "2026-04-01"}
	if one, same := key(store.KindWebsite, yesterday), key(store.KindWebsite, dates); one == "" || one != same {
		t.Errorf("the same days have the keys %q and %q", one, same)
	}
}
