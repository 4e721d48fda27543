package storetest

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// AllTime tests the preset all_time: it begins on the local day of the first row of any kind that the caller may see.
func AllTime(t *testing.T, h Harness) {
	s := h.open(t)
	clock := time.Date(2026, 3, 12, 9, 0, 0, 0, time.UTC)
	engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	at := func(date string) time.Time {
		day, err := time.Parse(time.DateOnly, date)
		if err != nil {
			t.Fatal(err)
		}
		return day.Add(23*time.Hour + 30*time.Minute)
	}
	view := func(id, date, session, country, path string) store.Event {
		return store.Event{Website: "w", ID: id, Kind: store.Pageview, Name: "screen_view", Time: at(date), Path: path,
			Identity: store.Identity{AnonymousID: "v", SessionID: session}, Agent: store.Agent{Country: country}}
	}
	begins := func(of store.Subject, zone, want string, filters ...query.Filter) {
		t.Helper()
		name := map[store.SubjectKind]string{store.KindWebsite: "summary", store.KindLink: "link_clicks_by_day",
			store.KindSchedule: "uptime_time_series"}[of.Kind]
		for _, own := range []bool{false, true} {
			req := query.Request{Parameters: []query.Parameter{{Name: name}},
				Options: query.Options{Preset: "all_time", Granularity: "monthly"}, TimeZone: zone}
			if own {
				req.Parameters[0].Preset, req.Preset = req.Preset, "yesterday"
			}
			a := answerOf(t.Context(), engine, query.Access{Subject: of, Filters: filters}, req)
			month := want[:len("2006-01")] + "-01"
			if got := a.meta.StartDate; !own && got != want || len(a.rows) == 0 || a.rows[0]["date"] != month {
				t.Errorf("%s of %s in %s with %v begins on %s with %s %s, want %s", name, of.ID, zone, filters, got,
					a.json, a.fault, want)
			}
		}
	}
	site, link, monitor := store.Subject{Kind: store.KindWebsite, ID: "w"},
		store.Subject{Kind: store.KindLink, ID: "l"}, store.Subject{Kind: store.KindSchedule, ID: "m"}
	for _, of := range []store.Subject{site, link, monitor} {
		begins(of, "UTC", "2026-03-12")
	}
	german := query.Filter{Field: "country", Op: query.Eq, Values: []string{"DE"}}
	docs := query.Filter{Field: "path", Op: query.Eq, Values: []string{"/docs"}}
	did := query.Filter{Did: &query.Did{Action: query.Action{Page: &query.Text{Op: query.Eq,
		Values: []string{"/docs"}}}}}
	bots := query.Filter{Field: "reason", Op: query.Eq, Values: []string{"bot"}}
	h.fill(t, s, &store.Batch{
		Events: []store.Event{view("1", "2025-12-05", "s1", "FR", "/"), view("2", "2026-01-07", "s2", "DE", "/"),
			view("3", "2026-02-09", "s3", "FR", "/docs")},
		Visits: []store.Visit{{Link: "l", ID: "1", Time: at("2025-11-30")}},
		Checks: []store.Check{{Schedule: "m", ID: "1", Time: at("2025-10-31"), Status: store.Up}},
	})
	begins(site, "UTC", "2025-12-05")
	begins(site, "Asia/Tokyo", "2025-12-06")
	begins(link, "Asia/Tokyo", "2025-12-01")
	begins(monitor, "Asia/Tokyo", "2025-11-01")
	begins(site, "UTC", "2026-01-07", german)
	begins(site, "UTC", "2026-02-09", docs)
	begins(site, "UTC", "2026-02-09", did)
	begins(site, "UTC", "2026-02-09", query.Filter{Not: &query.Filter{Or: []query.Filter{german, {Not: &did}}}})
	begins(site, "UTC", "2026-03-12", german, docs)

	// Rows of other kinds count, too: errors by what the key may see of them, and rejected requests where nothing else
	// is asked of rows.
	h.fill(t, s, &store.Batch{
		Errors:  []store.Error{{Website: "w", ID: "4", Time: at("2025-08-03"), Message: "x", Path: "/docs"}},
		Blocked: []store.Blocked{{Website: "w", ID: "5", Time: at("2025-07-02"), Reason: "origin", Requests: 1}},
	})
	begins(site, "UTC", "2025-07-02")
	begins(site, "UTC", "2025-08-03", docs)
	begins(site, "UTC", "2025-08-03", query.Filter{Field: "event_name", Op: query.Eq, Values: []string{"none"}})
	begins(site, "UTC", "2026-01-07", german)
	if got := startOf(t, engine, site, bots); got != "2026-03-12" {
		t.Errorf("a key for bots sees rows since %s", got)
	}

	h.fill(t, s, &store.Batch{Events: []store.Event{view("6", "2001-01-01", "s6", "DE", "/")}})
	begins(site, "UTC", clock.AddDate(0, 0, -3659).Format(time.DateOnly))

	resp, err := engine.Run(t.Context(), query.Access{Subject: site},
		query.Request{Options: query.Options{Preset: "all_time", Compare: query.PreviousPeriod},
			Parameters: []query.Parameter{{Name: "pages"}, {Name: "pages",
				Options: query.Options{Compare: query.NoComparison}},
				{Name: "pages", Options: query.Options{Preset: "last_7d"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if r := resp.Data; r[0].Success || r[0].Code != query.BadRange || !r[1].Success || !r[2].Success {
		t.Errorf("compared all time: %+v", r)
	}
}

// startOf returns the first day of all time for a key with a filter, whether or not the key may ask the parameter.
func startOf(t *testing.T, engine *query.Engine, of store.Subject, filter query.Filter) string {
	t.Helper()
	p, err := engine.Prepare(t.Context(), query.Access{Subject: of, Filters: []query.Filter{filter}},
		query.Request{Parameters: []query.Parameter{{Name: "pages"}}, Options: query.Options{Preset: "all_time"}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Range().StartDate.String()
}
