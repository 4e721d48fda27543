package query_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// That an answer depends on no more than this, storetest.Dependencies holds against data.
func TestDependencies(t *testing.T) {
	e := engine(t)
	country := query.Filter{Field: "country", Op: query.Eq, Values: []string{"DE"}}
	path := query.Filter{Field: "path", Op: query.Eq, Values: []string{"/"}}
	exit := query.Filter{Field: "exit_page", Op: query.Eq, Values: []string{"/"}}
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
		{"page events by the session before them", store.KindWebsite, nil, []query.Filter{country}, names("pages"),
			"08..11"},
		{"page events by the last page of their session, which may be later", store.KindWebsite, nil,
			[]query.Filter{exit}, names("pages"), "08..12"},
		{"a key removes sessions by their last page", store.KindWebsite, []query.Filter{exit}, nil, names("pages"),
			"06..13"},
		{"clicks by a session that shows its fields later", store.KindWebsite, nil, []query.Filter{country},
			names("outbound_links"), "08..12"},
		{"whole sessions", store.KindWebsite, nil, nil, names("entry_pages"), "08..12"},
		{"rows that may lie before their session", store.KindWebsite, nil, []query.Filter{country}, names("errors"),
			"08..13"},
		{"sessions of what sessions leave", store.KindWebsite, []query.Filter{country}, nil, names("pages"), "06..11"},
		{"and on both sides", store.KindWebsite, []query.Filter{country}, nil, names("entry_pages"), "06..13"},
		{"mandatory filters on rows form sessions once", store.KindWebsite, []query.Filter{path}, nil,
			names("entry_pages"), "08..12"},
		{"the period before", store.KindWebsite, nil, nil,
			[]query.Parameter{{Name: "pages", Options: query.Options{Compare: query.PreviousPeriod}}}, "08..11"},
		{"the year before", store.KindWebsite, nil, nil,
			[]query.Parameter{{Name: "pages",
				Options: query.Options{Compare: query.PreviousYear}}}, "2025-03-10..11 10..11"},
		{"what ignores the range is compared with nothing", store.KindWebsite, nil, nil,
			[]query.Parameter{{Name: "session_list", Options: query.Options{Compare: query.PreviousYear}}}, "08..12"},
		{"days of its own", store.KindWebsite, nil, nil, []query.Parameter{{Name: "pages"}, own}, "01..01 10..11"},
		{"a parameter that fails needs nothing", store.KindWebsite, nil, nil, names("nonsense"), ""},
		{"checks", store.KindSchedule, nil, nil, names("uptime_overview"), "10..11"},
		{"outages however long ago they began", store.KindSchedule, nil, nil, names("uptime_time_series"),
			"1970-01-01..11"},
	} {
		p, err := e.Prepare(t.Context(),
			query.Access{Subject: store.Subject{Kind: row.of, ID: "x"}, Filters: row.mandatory},
			query.Request{Parameters: row.ask,
				Options: query.Options{Filters: row.filters}, StartDate: "2026-03-10", EndDate: "2026-03-11"})
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

// Answers that change by the clock have no key. Other answers have one until the clock changes their rows.
func TestKey(t *testing.T) {
	now := time.Date(2026, 4, 2, 11, 59, 59, 0, time.UTC)
	e, err := query.New(query.Config{Store: silent{dialect.DuckDB()}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	key := func(kind store.SubjectKind, req query.Request) string {
		t.Helper()
		p, err := e.Prepare(t.Context(), query.Access{Subject: store.Subject{Kind: kind, ID: "x"}}, req)
		if err != nil {
			t.Fatal(err)
		}
		return p.Key()
	}
	compared := []query.Parameter{{Name: "pages", Options: query.Options{Compare: query.PreviousPeriod}}}
	for _, row := range []struct {
		why       string
		of        store.SubjectKind
		req       query.Request
		has, next bool // a key, and the same in the next minute
	}{
		{"a day that is over", store.KindWebsite, query.Request{Parameters: names("pages"),
			Options: query.Options{Preset: "yesterday"}}, true,
			true},
		{"compared", store.KindWebsite, query.Request{Parameters: compared,
			Options: query.Options{Preset: "yesterday"}}, true, true},
		{"today", store.KindWebsite, query.Request{Parameters: names("pages"),
			Options: query.Options{Preset: "today"}}, true, false},
		{"today of one parameter", store.KindWebsite,
			query.Request{Parameters: []query.Parameter{{Name: "pages", EndDate: "2026-04-02"}},
				Options: query.Options{Preset: "yesterday"}},
			true, false},
		{"a day to come", store.KindWebsite,
			query.Request{Parameters: names("pages"), StartDate: "2026-04-03", EndDate: "2026-04-03"}, true, true},
		{"today cut and compared", store.KindWebsite, query.Request{Parameters: compared,
			Options: query.Options{Preset: "today"}}, false,
			false},
		{"a type by the clock", store.KindWebsite,
			query.Request{Parameters: names("active_stats"),
				Options: query.Options{Preset: "yesterday"}}, false, false},
		{"one among others", store.KindWebsite,
			query.Request{Parameters: names("pages", "active_stats"),
				Options: query.Options{Preset: "yesterday"}}, false, false},
		{"checks of today", store.KindSchedule, query.Request{Parameters: names("uptime_overview"),
			Options: query.Options{Preset: "today"}},
			true, false},
		{"outages that may last", store.KindSchedule,
			query.Request{Parameters: names("uptime_time_series"),
				Options: query.Options{Preset: "today"}}, false, false},
		{"outages of the past", store.KindSchedule,
			query.Request{Parameters: names("uptime_time_series"),
				Options: query.Options{Preset: "yesterday"}}, true, true},
	} {
		now = time.Date(2026, 4, 2, 11, 59, 1, 0, time.UTC)
		first := key(row.of, row.req)
		now = time.Date(2026, 4, 2, 11, 59, 59, 0, time.UTC)
		soon := key(row.of, row.req)
		now = time.Date(2026, 4, 2, 12, 0, 0, 1, time.UTC)
		if next := key(row.of, row.req); (first != "") != row.has || soon != first || row.has &&
			(next == first) != row.next {
			t.Errorf("%s: the keys %q, in the same minute %q, in the next %q", row.why, first, soon, next)
		}
	}
	yesterday, dates := query.Request{Parameters: names("pages"), Options: query.Options{Preset: "yesterday"}},
		query.Request{Parameters: names("pages"), StartDate: "2026-04-01", EndDate: "2026-04-01"}
	if one, same := key(store.KindWebsite, yesterday), key(store.KindWebsite, dates); one != same {
		t.Errorf("the same days have the keys %q and %q", one, same)
	}
}

func TestAccessNeedsASubject(t *testing.T) {
	req := query.Request{Parameters: []query.Parameter{{Name: "pages"}}, Options: query.Options{Preset: "today"}}
	for _, row := range []struct {
		subject store.Subject
		want    string
	}{
		{store.Subject{Kind: store.KindWebsite},
			"Access.Subject.ID is required: the id of the website, link or monitor whose rows are asked for"},
		{store.Subject{ID: "w"}, `Access.Subject.Kind must be website, link or schedule, not ""`},
		{store.Subject{Kind: "site", ID: "w"}, `Access.Subject.Kind must be website, link or schedule, not "site"`},
	} {
		_, err := engine(t).Prepare(t.Context(), query.Access{Subject: row.subject}, req)
		var errs query.Errors
		if !errors.As(err, &errs) || err.Error() != row.want {
			t.Errorf("%v: got %v, want %s", row.subject, err, row.want)
		}
	}
}

func TestOneParameterIsNotCompared(t *testing.T) {
	req := query.Request{Parameters: []query.Parameter{{Name: "pages",
		Options: query.Options{Compare: query.NoComparison}}, {Name: "pages"}},
		Options: query.Options{Preset: "yesterday", Compare: query.PreviousYear}}
	if n := engine(t).Cost(&req); n != 3 {
		t.Errorf("the request costs %d, want 3", n)
	}
	found, err := engine(t).Explain(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}},
		req)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true} {
		if got := strings.Contains(found[i].Plan, "beside previous_year"); got != want {
			t.Errorf("parameter %d is compared: %t, want %t\n%s", i, got, want, found[i].Plan)
		}
	}
}
