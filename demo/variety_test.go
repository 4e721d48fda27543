package demo_test

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/store"
)

// count returns the number of rows with a property.
func count[T any](rows []T, has func(T) bool) int {
	n := 0
	for _, r := range rows {
		if has(r) {
			n++
		}
	}
	return n
}

// distinct returns the number of distinct values in rows, without "".
func distinct[T any](rows []T, value func(T) string) int {
	seen := map[string]bool{"": true}
	for _, r := range rows {
		seen[value(r)] = true
	}
	return len(seen) - 1
}

type (
	event = store.Event
	span  = store.Span
	check = store.Check
	visit = store.Visit
)

// TestThereIsSomethingOfEverything checks that every query type has rows in the last 30 days of the demo.
func TestThereIsSomethingOfEverything(t *testing.T) {
	b := demo.New(sample).Batch(now.Add(-30*24*time.Hour), now)
	events, spans, checks, visits := b.Events, b.Spans, b.Checks, b.Visits
	kinds := func(k store.EventKind) int { return count(events, func(e event) bool { return e.Kind == k }) }
	status := func(s store.Status) int { return count(checks, func(c check) bool { return c.Status == s }) }
	custom := func(has func(event) bool) int {
		return count(events, func(e event) bool { return e.Kind == store.Custom && has(e) })
	}
	for _, r := range []struct {
		what string
		got  int
		want int // at least
	}{
		{"pageviews", kinds(store.Pageview), 10_000},
		{"exits", kinds(store.Exit), 10_000},
		{"clicks on outgoing links", kinds(store.Click), 300},
		{"addresses clicked", distinct(events, func(e event) string { return e.Href }), 8},
		{"texts clicked", distinct(events, func(e event) string { return e.Text }), 3},
		{"referrers", distinct(events, func(e event) string { return e.ReferrerDomain }), 15},
		{"utm sources", distinct(events, func(e event) string { return e.UTMSource }), 6},
		{"utm media", distinct(events, func(e event) string { return e.UTMMedium }), 5},
		{"utm campaigns", distinct(events, func(e event) string { return e.UTMCampaign }), 6},
		{"utm terms", distinct(events, func(e event) string { return e.UTMTerm }), 3},
		{"utm contents", distinct(events, func(e event) string { return e.UTMContent }), 3},
		{"pageviews that a campaign led to, without a referrer",
			count(events, func(e event) bool { return e.CampaignKind == "email" && e.ReferrerDomain == "newsletter" }),
			100},
		{"click ids", distinct(events, func(e event) string { return e.GCLID }), 20},
		{"languages", distinct(events, func(e event) string { return e.Language }), 15},
		{"time zones", distinct(events, func(e event) string { return e.Timezone }), 15},
		{"screen sizes", distinct(events, func(e event) string { return e.Screen }), 12},
		{"device types", distinct(events, func(e event) string { return e.DeviceType }), 5},
		{"browsers", distinct(events, func(e event) string { return e.BrowserName }), 6},
		{"versions of browsers", distinct(events, func(e event) string { return e.BrowserVersion }), 10},
		{"operating systems", distinct(events, func(e event) string { return e.OSName }), 6},
		{"versions of operating systems", distinct(events, func(e event) string { return e.OSVersion }), 10},
		{"countries", distinct(events, func(e event) string { return e.Country }), 12},
		{"regions", distinct(events, func(e event) string { return e.Region }), 25},
		{"cities", distinct(events, func(e event) string { return e.City }), 30},
		{"pageviews without a place",
			count(events, func(e event) bool { return e.Kind == store.Pageview && e.Country == "" }), 50},
		{"pageviews with a country alone",
			count(events, func(e event) bool { return e.Country != "" && e.Region == "" }), 100},
		{"identified people", distinct(events, func(e event) string { return e.ProfileID }), 100},
		{"pageviews of strangers",
			count(events, func(e event) bool { return e.ProfileID == "" && e.Kind == store.Pageview }), 5_000},
		{"names of custom events", distinct(events, func(e event) string { return e.Name }), 12},
		{"custom events with properties", custom(func(e event) bool { return e.Properties != "" }), 500},
		{"custom events without properties", custom(func(e event) bool { return e.Properties == "" }), 20},
		{"namespaces", distinct(events, func(e event) string { return e.Namespace }), 4},
		{"custom events outside sessions", custom(func(e event) bool { return e.SessionID == "" && e.ProfileID != "" }),
			60},
		{"errors", len(b.Errors), 150},
		{"types of errors", distinct(b.Errors, func(e store.Error) string { return e.ErrorType }), 4},
		{"errors without a type", count(b.Errors, func(e store.Error) bool { return e.ErrorType == "" }), 1},
		{"visits from several places", distinct(visits, func(v visit) string { return v.Country }), 10},
		{"visits without a place", count(visits, func(v visit) bool { return v.Country == "" }), 20},
		{"visits with a country alone", count(visits, func(v visit) bool { return v.Country != "" && v.City == "" }),
			30},
		{"visits without a device",
			count(visits, func(v visit) bool { return v.DeviceType == "" && v.BrowserName == "" }), 30},
		{"direct visits", count(visits, func(v visit) bool { return v.ReferrerDomain == "" }), 100},
		{"referrers of visits", distinct(visits, func(v visit) string { return v.ReferrerDomain }), 5},
		{"checks that found it up", status(store.Up), 8_000},
		{"checks that found it down", status(store.Down), 5},
		{"pending checks", status(store.Pending), 3},
		{"checks in maintenance", status(store.Maintenance), 6},
		{"regions of probes", distinct(checks, func(c check) string { return c.Region }), 3},
		{"spans with rage clicks", count(spans, func(s span) bool { return s.RageClicks > 0 }), 50},
		{"spans with dead clicks", count(spans, func(s span) bool { return s.DeadClicks > 0 }), 200},
		{"spans with errors", count(spans, func(s span) bool { return s.Errors > 0 }), 100},
		{"ways to leave a page", distinct(spans, func(s span) string { return s.ExitType }), 4},
	} {
		if r.got < r.want {
			t.Errorf("%s: %d, want %d or more", r.what, r.got, r.want)
		}
	}
	everyRangeOf(t, b)
}

// everyRangeOf checks that all ranges and metrics of distributions have rows.
func everyRangeOf(t *testing.T, b *store.Batch) {
	t.Helper()
	depths, lengths, metrics := map[int64]int{}, map[string]int{}, map[string]int{}
	for _, e := range b.Events {
		if e.ScrollDepth.Valid {
			depths[min(e.ScrollDepth.V/20, 4)]++
		}
	}
	for _, s := range sessionsOf(b) {
		lengths[rangeOf(s.last.Sub(s.first))]++
	}
	for _, v := range b.Vitals {
		for _, s := range v.Samples {
			metrics[s.Metric]++
		}
	}
	if len(depths) != 5 || len(lengths) != 6 || len(metrics) != 6 {
		t.Errorf("want 5 ranges of scroll depth, 6 of session length and 6 vitals, got %v, %v, %v", depths, lengths,
			metrics)
	}
}

func rangeOf(d time.Duration) string {
	for _, r := range []struct {
		below time.Duration
		name  string
	}{{30 * time.Second, "0-30s"}, {time.Minute, "30s-1m"}, {5 * time.Minute, "1m-5m"}, {15 * time.Minute, "5m-15m"},
		{time.Hour, "15m-1h"}} {
		if d < r.below {
			return r.name
		}
	}
	return "1h+"
}

// TestSpansAgreeWithTheirExits checks that the values of a span are possible, and match its exit.
func TestSpansAgreeWithTheirExits(t *testing.T) {
	b := demo.New(sample).Batch(now.Add(-10*24*time.Hour), now)
	exits := map[string]event{}
	indexes, failed := map[string]int64{}, map[[2]string]int64{}
	for _, e := range b.Events {
		if e.Kind == store.Exit {
			exits[e.ID] = e
		}
	}
	if len(b.Spans) != len(exits) || len(exits) < 3_000 {
		t.Errorf("%d spans for %d exits, want one each", len(b.Spans), len(exits))
	}
	for _, s := range b.Spans {
		e, known := exits[s.ID]
		if !known || e.Time != s.Time || e.Identity != s.Identity || e.Agent != s.Agent || e.Path != s.Path ||
			e.TimeOnPage != s.TimeOnPage || e.ScrollDepth != s.MaxScrollDepth {
			t.Fatalf("span %+v and exit %+v differ", s, e)
		}
		if s.ActiveTime.V > s.TimeOnPage.V || s.FirstInteraction.V > s.TimeOnPage.V || s.Interactions != s.Clicks+
			s.Keys ||
			s.Clicks < 3*s.RageClicks+s.DeadClicks || s.Keys < 0 || s.FormSubmits > s.FormFields ||
			s.Interactions > 1<<16-1 {
			t.Fatalf("span %+v is impossible", s)
		}
		if last, before := indexes[s.SessionID]; before && s.PageIndex.V <= last {
			t.Fatalf("page %d of session %s follows page %d", s.PageIndex.V, s.SessionID, last)
		}
		indexes[s.SessionID] = s.PageIndex.V
		failed[[2]string{s.SessionID, s.Path}] += s.Errors
	}
	missing := 0
	for _, e := range b.Errors {
		key := [2]string{e.SessionID, e.Path}
		if failed[key]--; failed[key] < 0 {
			missing++ // the page has no exit, or its exit is after the batch
		}
	}
	if missing*5 > len(b.Errors) {
		t.Errorf("%d of %d errors are in no span", missing, len(b.Errors))
	}
}
