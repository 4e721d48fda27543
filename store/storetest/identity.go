package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// Identity tests that meta.identity of retention is daily where over half of the pageviews and custom events in the
// range have ids that change each day, among the rows that the caller may see.
func Identity(t *testing.T, h Harness) {
	s := h.open(t)
	engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	daily, kept := strings.Repeat("0123456789abcdef", 4), strings.Repeat("0123456789ABCDEF", 4)
	b := &store.Batch{}
	add := func(date string, kind store.EventKind, name, country string, who store.Identity) {
		who.SessionID = who.AnonymousID + who.ProfileID + date
		b.Events = append(b.Events,
			store.Event{Website: "w", ID: string(rune('a' + len(b.Events))), Kind: kind, Name: name,
				Time: at(date + " 12:00:00"),
				Path: "/", Identity: who, Agent: store.Agent{Country: country}})
	}
	view := func(date, country string, who store.Identity) { add(date, store.Pageview, "screen_view", country, who) }
	// On the first of March half of the ids are daily, on the second two of three. Other kinds of events do not count.
	view("01", "DE", store.Identity{AnonymousID: daily})
	view("01", "FR", store.Identity{AnonymousID: daily, ProfileID: "p"})
	add("01", store.Click, "", "DE", store.Identity{AnonymousID: daily})
	add("01", store.Exit, "page_exit", "DE", store.Identity{AnonymousID: daily})
	add("01", store.Custom, "$flag", "DE", store.Identity{AnonymousID: daily})
	view("02", "DE", store.Identity{AnonymousID: daily})
	add("02", store.Custom, "signup", "DE", store.Identity{AnonymousID: daily})
	view("02", "FR", store.Identity{AnonymousID: kept})
	for _, id := range []string{daily[1:], daily + "0", "", "v"} {
		view("03", "DE", store.Identity{AnonymousID: id})
	}
	view("03", "DE", store.Identity{AnonymousID: daily})
	view("10", "DE", store.Identity{AnonymousID: "v"})
	h.fill(t, s, b)
	progress(t, engine)
	country := func(code string) []query.Filter {
		return []query.Filter{{Field: "country", Op: query.Eq, Values: []string{code}}}
	}
	for _, row := range []struct {
		name, day string
		key, own  []query.Filter
		want      string
	}{
		{"half", "2026-03-01", nil, nil, ""},
		{"over half", "2026-03-02", nil, nil, "daily"},
		{"ids that only look daily", "2026-03-03", nil, nil, ""},
		{"no rows", "2026-03-04", nil, nil, ""},
		{"the filters of the caller change nothing", "2026-03-01", nil, country("DE"), ""},
		{"the filters of the key do", "2026-03-01", country("DE"), nil, "daily"},
		{"and leave nothing", "2026-03-02", country("FR"), nil, ""},
	} {
		resp, err := engine.Run(t.Context(),
			query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}, Filters: row.key},
			query.Request{Parameters: []query.Parameter{{Name: "retention"}, {Name: "pages"}}, StartDate: row.day,
				EndDate: row.day, Options: query.Options{Filters: row.own}})
		if err != nil {
			t.Fatal(err)
		}
		if told, other := resp.Data[0], resp.Data[1]; !told.Success || told.Meta.Identity != row.want ||
			other.Meta.Identity != "" {
			t.Errorf("%s: %s %+v, want identity %q", row.name, told.Error, told.Meta, row.want)
		}
	}
}

// progress tests what retention says of a range that has not ended, and of its first bucket. The clock stands at 09:00
// UTC on Thursday, 12 March, and one visitor was there on the 10th.
func progress(t *testing.T, engine *query.Engine) {
	t.Helper()
	for _, row := range []struct {
		from, to, granularity, weekStart, zone string
		partial, first                         bool
		partialFrom                            string
		periods                                int // of the cohort of the visitor
	}{
		{from: "03-10", to: "03-11", granularity: "daily", periods: 2},
		{from: "03-10", to: "03-12", granularity: "daily", partial: true, periods: 3},
		{from: "03-10", to: "03-14", granularity: "daily", partial: true, partialFrom: "2026-03-13", periods: 3},
		// 23:00 on the 11th
		{from: "03-10", to: "03-12", granularity: "daily", zone: "Pacific/Honolulu", partial: true,
			partialFrom: "2026-03-12", periods: 2},
		{from: "03-08", to: "03-14", partial: true, periods: 1},
		{from: "03-09", to: "03-21", partial: true, first: true, partialFrom: "2026-03-15", periods: 1},
		{from: "03-09", to: "03-21", weekStart: "monday", partial: true, partialFrom: "2026-03-16", periods: 1},
		{from: "02-10", to: "03-11", granularity: "monthly", first: true, periods: 1},
		{from: "03-01", to: "05-31", granularity: "monthly", partial: true, partialFrom: "2026-04-01", periods: 1},
	} {
		resp, err := engine.Run(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}},
			query.Request{
				Parameters: []query.Parameter{{Name: "retention"}}, StartDate: "2026-" + row.from, EndDate: "2026-" +
					row.to,
				Options: query.Options{Granularity: row.granularity, WeekStart: row.weekStart}, TimeZone: row.zone})
		if err != nil || !resp.Data[0].Success {
			t.Fatal(resp, err)
		}
		data, meta := resp.Data[0].Data, resp.Data[0].Meta
		if meta.Limit != nil {
			t.Errorf("%+v: at most %d rows, want all cohorts", row, *meta.Limit)
		}
		periods := 0
		for i := range data.Len() {
			if data.Value(i, "date") == data.Value(data.Len()-1, "date") { // the last cohort is the visitor's
				periods++
			}
		}
		if meta.Partial != row.partial || meta.PartialFrom != row.partialFrom || meta.PartialFirst != row.first ||
			periods != row.periods {
			t.Errorf("%+v: partial %t from %q, the first bucket %t; the visitor's cohort has %d periods", row,
				meta.Partial, meta.PartialFrom, meta.PartialFirst, periods)
		}
	}
}
