//go:build cgo

package duckdb_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

func decodeRows(t *testing.T, r query.Result) (rows []map[string]any) {
	t.Helper()
	text, err := r.Data.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// pitfallRows are, on website w and 10 March 2026 in UTC:
//
//	s0  began on the 9th at Google, goes on after midnight: /late
//	s1  Ann: / at 10:00, /a at 10:00:20 (a campaign, mobile, US), a custom event, a click
//	s2  Ben: / at 11:00 for 40 s and off (desktop, IL)
//	s3  Ben: from another host of Google, /b at 11:30 (tablet, PS), at once gone
//	s4  no pageview: one custom event
//	    nobody without a session: /100% at 23:59:59.999
//
// Website many has 101 pages and 3000 visitors.
func pitfallRows() *store.Batch {
	b := &store.Batch{}
	add := func(id, at, session, visitor string, kind store.EventKind, name, path string, change ...func(*store.Event)) {
		when, err := time.Parse("2006-01-02T15:04:05.999", "2026-03-"+at)
		if err != nil {
			when = time.Time{} // refused by the store
		}
		e := store.Event{Website: "w", ID: id, Kind: kind, Name: name, Time: when, Path: path,
			Identity: store.Identity{AnonymousID: visitor, SessionID: session}}
		for _, f := range change {
			f(&e)
		}
		b.Events = append(b.Events, e)
	}
	from := func(domain, country, region, device string) func(*store.Event) {
		return func(e *store.Event) {
			e.ReferrerDomain, e.Country, e.Region, e.City, e.DeviceType = domain, country, region, "Springfield", device
		}
	}
	add("e1", "09T23:50:00", "s0", "zoe", store.Pageview, "screen_view", "/", from("google.com", "DE", "Bavaria", "desktop"))
	add("e2", "10T00:10:00", "s0", "zoe", store.Pageview, "screen_view", "/late")
	add("e3", "10T10:00:00", "s1", "ann", store.Pageview, "screen_view", "/", from("news.example", "US", "Ohio", "mobile"),
		func(e *store.Event) { e.UTMSource = "mail" })
	add("e4", "10T10:00:20", "s1", "ann", store.Pageview, "screen_view", "/a")
	add("e5", "10T10:00:21", "s1", "ann", store.Custom, "signup", "/a")
	add("e6", "10T10:00:22", "s1", "ann", store.Click, "", "/a", func(e *store.Event) { e.Href = "https://out.example/" })
	add("e7", "10T11:00:00", "s2", "ben", store.Pageview, "screen_view", "/", from("google.com", "IL", "Ohio", "desktop"))
	add("e8", "10T11:00:40", "s2", "ben", store.Exit, "page_exit", "/", func(e *store.Event) { e.TimeOnPage = store.Known(40_000) })
	add("e9", "10T11:30:00", "s3", "ben", store.Pageview, "screen_view", "/b", from("google.com", "PS", "", "tablet"))
	add("e10", "10T12:00:00", "s4", "cat", store.Custom, "signup", "")
	add("e11", "10T23:59:59.999", "", "", store.Pageview, "screen_view", "/100%")
	for i := range 3000 {
		add(fmt.Sprint("m", i), "10T10:00:00", fmt.Sprint("m", i), fmt.Sprint("m", i), store.Pageview, "screen_view", fmt.Sprintf("/%d", i%101),
			func(e *store.Event) { e.Website = "many" })
	}
	day := time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)
	for i, a := range []string{"", "desktop", ""} {
		v := store.Visit{Link: "l", ID: fmt.Sprint("v", i), Time: day.Add(time.Duration(i) * time.Hour)}
		v.DeviceType = a
		b.Visits = append(b.Visits, v)
	}
	for i, c := range []struct {
		hour   int
		status store.Status
	}{{6, store.Up}, {18, store.Down}, {30, store.Up}, {36, store.Pending}} {
		b.Checks = append(b.Checks, store.Check{Schedule: "m", ID: fmt.Sprint("c", i), Time: day.Add(time.Duration(c.hour) * time.Hour), Status: c.status})
	}
	return b
}
