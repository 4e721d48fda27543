package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

func pitfalls() []pitfall {
	var all []pitfall
	for _, group := range [][]pitfall{datePitfalls(), countPitfalls(), filterPitfalls(), wirePitfalls()} {
		all = append(all, group...)
	}
	return all
}

func datePitfalls() []pitfall {
	return []pitfall{
		{"1: a range in UTC with local buckets leaks into its neighbours", "",
			ask1("summary", `"startDate":"2026-03-09","endDate":"2026-03-11","timeZone":"Asia/Kathmandu"`),
			"date pageviews", "2026-03-09 0|2026-03-10 6|2026-03-11 1"},
		{"2: the last second of a day is lost", "", filtered("summary_metrics", "path", "eq", `"/100%"`), "pageviews",
			"1"},
		{"4: empty buckets are missing", "", ask1("summary", `"startDate":"2026-03-09","endDate":"2026-03-11"`),
			"date pageviews sessions bounce_rate", "2026-03-09 1 1 0|2026-03-10 6 3 33.33|2026-03-11 0 0 null"},
		{"5: 31 days by the hour", "",
			ask1("summary", `"startDate":"2026-02-10","endDate":"2026-03-12","granularity":"hourly"`),
			"date", "refused: granularity: hourly is for ranges of at most 30 days, and this one has 31…"},
		{"5: last_90d by the hour crashes", "", ask1("summary", `"preset":"last_90d","granularity":"hourly"`),
			"date", "refused: granularity: hourly is for ranges of at most 30 days, and this one has 90…"},
		{"6: labels of hours", "link:l", ask1("link_clicks_by_day", march10+`,"granularity":"hourly","limit":3`),
			"date clicks",
			"2026-03-10 00:00:00 1|2026-03-10 01:00:00 1|2026-03-10 02:00:00 1"},
		{"7: timeZone of the body is ignored", "",
			ask1("summary_metrics", `"startDate":"2026-03-11","endDate":"2026-03-11","timeZone":"Asia/Kathmandu"`),
			"pageviews", "1"},
		{"7: a zone that does not exist is UTC", "", ask1("summary_metrics", march10+`,"timeZone":"Mars/Olympus"`),
			"pageviews", "refused: timeZone: …"},
		{"8: start after end is accepted", "",
			ask1("summary_metrics", `"startDate":"2026-03-11","endDate":"2026-03-10"`), "pageviews",
			"refused: startDate: the start 2026-03-11 is after the end 2026-03-10"},
		{"8: an impossible date is accepted", "",
			ask1("summary_metrics", `"startDate":"2026-02-30","endDate":"2026-03-10"`), "pageviews",
			`refused: startDate: "2026-02-30" is not a real date`},
	}
}

func countPitfalls() []pitfall {
	return []pitfall{
		{"10: a person who comes twice from one source is two visitors", "", ask1("traffic", march10),
			"name visitors percentage",
			"Google 2 66.67|news.example 1 33.33|Direct 0 0"},
		{"10: a limit changes shares", "", ask1("traffic", march10+`,"limit":1`), "name visitors percentage",
			"Google 2 66.67"},
		{"11: distinct counts are estimates", "many", ask1("summary_metrics", march10), "visitors sessions",
			"3000 3000"},
		{"12: a filter on a path makes every session a bounce", "", filtered("summary_metrics", "path", "eq", `"/a"`),
			"pageviews sessions bounce_rate pages_per_session", "1 1 0 1"},
		{"13: the first touch changes with the range", "", filtered("traffic", "path", "eq", `"/late"`),
			"name pageviews", "Google 1"},
		{"13: events without a session are dropped", "", filtered("pages", "path", "eq", `"/100%"`),
			"path pageviews visitors", "/100% 1 0"},
		{"14: sessions without a pageview are counted", "", filtered("summary_metrics", "session_id", "eq", `"s4"`),
			"sessions total_events", "0 1"},
		{"14: a visit of one page has no duration", "", filtered("session_metrics", "session_id", "eq", `"s2"`),
			"avg_session_duration bounce_rate", "40 0"},
		{"15: durations are read from events without them", "", ask1("session_duration_distribution", march10),
			"duration_range sessions",
			"0-30s 2|30s-1m 1|1m-5m 0|5m-15m 0|15m-1h 0|1h+ 0"},
		{"16: an event multiplies by the rows of its session", "",
			filtered("custom_events", "session_id", "eq", `"s1"`), "name total_events unique_users", "signup 1 1"},
		{"17: total_events excludes custom events and clicks", "",
			filtered("summary_metrics", "session_id", "eq", `"s1"`), "pageviews total_events", "2 4"},
		{"18: a repeated delivery counts twice", "", ask1("summary_metrics", march10), "pageviews total_events",
			"6 10"},
		{"19: downtime counts for one day only", "schedule:m",
			ask1("uptime_time_series", `"startDate":"2026-03-10","endDate":"2026-03-11"`),
			"date uptime_percentage downtime_seconds", "2026-03-10 50 21600|2026-03-11 100 21600"},
		{"19: overview and series disagree", "schedule:m",
			ask1("uptime_overview", `"startDate":"2026-03-10","endDate":"2026-03-11"`),
			"uptime_percentage total_checks", "66.67 3"},
		{"42: ids of checks at the same instant decide about an outage", "schedule:twins",
			ask1("uptime_time_series", `"startDate":"2026-03-10","endDate":"2026-03-10"`), "date downtime_seconds",
			"2026-03-10 0"},
		{"42: the last checks before the range decide so", "schedule:twins",
			ask1("uptime_time_series", `"startDate":"2026-03-11","endDate":"2026-03-11"`), "date downtime_seconds",
			"2026-03-11 0"},
		{"40: places are distinguished only by their label", "", ask1("region", march10),
			"country_code region visitors", "DE Bavaria 1|IL Ohio 1|US Ohio 1"},
		{"41: two rows are named Unknown", "link:l", ask1("link_top_devices", march10), "name clicks",
			"Unknown 2|Desktop 1"},
	}
}

func filterPitfalls() []pitfall {
	return []pitfall{
		{"21: a filter that is not allowed is skipped", "", filtered("pages", "metric_name", "eq", `"x"`), "path",
			`INVALID_FILTER: pages cannot be filtered by "metric_name"; allowed are …`},
		{"22: ne drops rows without the value", "", filtered("summary_metrics", "utm_source", "ne", `"mail"`),
			"pageviews", "4"},
		{"22: not_in drops rows without the value", "",
			filtered("summary_metrics", "utm_source", "not_in", `["mail","x"]`), "pageviews", "4"},
		{"22: not_contains drops rows without the value", "",
			filtered("summary_metrics", "utm_source", "not_contains", `"ai"`), "pageviews", "4"},
		{"23: contains on a device is eq", "", filtered("device_types", "device_type", "contains", `"abl"`),
			"device_type pageviews", "tablet 1"},
		{"23: lists of devices are case-sensitive", "",
			filtered("device_types", "device_type", "in", `["TABLET","Mobile"]`), "device_type pageviews",
			"mobile 2|tablet 1"},
		{"23: desktop includes rows without a device", "",
			filtered("summary_metrics", "device_type", "eq", `"desktop"`), "pageviews", "2"},
		{"24: a country is found by name only", "", filtered("countries", "country", "in", `["US","israel"]`),
			"country_code", "IL|US"},
		{"24: two countries are merged", "", filtered("countries", "country", "in", `["IL","PS"]`), "country_code name",
			"IL Israel|PS Palestine"},
		{"25: a prefix catches look-alike hosts", "",
			filtered("summary_metrics", "referrer", "in", `["google.com.example","x.com","ws.example"]`), "pageviews",
			"0"},
		{"26: a part with a dot matches nothing", "", filtered("traffic", "referrer", "contains", `".com"`), "name",
			"Google"},
		{"26: a word is not found as a prefix", "", filtered("traffic", "referrer", "starts_with", `"news"`), "name",
			"news.example"},
		{"26: letters of a host are not found", "idn", filtered("traffic", "referrer", "contains", `"Büch"`), "name",
			"bücher.example|zq-bücher.org"},
		{"26: a beginning in letters is not found", "idn", filtered("traffic", "referrer", "starts_with", `"zq-"`),
			"name", "zq-bücher.org"},
		{"26: an end in letters is not found", "idn", filtered("traffic", "referrer", "ends_with", `"cher.org"`),
			"name", "zq-bücher.org"},
		{"26: a pattern does not see letters", "idn", filtered("traffic", "referrer", "matches", `"^b.cher\\."`),
			"name",
			"bücher.example"},
		{"26: a pattern does not see the stored form", "idn", filtered("traffic", "referrer", "matches", `"^xn--zq"`),
			"name", "zq-bücher.org"},
		{"26: a pattern of nothing finds hosts of ASCII", "idn", filtered("traffic", "referrer", "matches", `"^$"`),
			"name",
			""},
		{"26: letters do not leave out rows", "idn", filtered("traffic", "referrer", "not_contains", `"üch"`), "name",
			"news.example"},
		{"26: letters of a link's referrer are not found", "link:idn",
			filtered("link_top_referrers", "referrer", "starts_with", `"bü"`), "name", "bücher.example"},
		{"26: names in letters are in the order of their stored forms", "idn", ask1("top_referrers", march10), "name",
			"bücher.example|news.example|zq-bücher.org"},
		{"26: sorting by names in letters is by their stored forms", "idn",
			ask1("traffic", march10+`,"sortBy":"referrer","sortOrder":"desc"`), "referrer",
			"https://zq-bücher.org|https://news.example|https://bücher.example"},
		{"27: a path is compared without normalising it", "",
			filtered("pages", "path", "eq", `"https://shop.example/a/?utm=1#top"`), "path", "/a"},
		{"27: paths are decoded, and merged", "", filtered("pages", "path", "eq", `"/100%25"`), "path", ""},
		{"28: a list given to eq is joined", "", filtered("pages", "path", "eq", `["/a","/b"]`), "path",
			"refused: filters[0].value must be one value for eq, not an array…"},
		{"29: a zone becomes SQL", "", ask1("summary_metrics", march10+`,"timeZone":"UTC' OR '1'='1"`), "pageviews",
			"refused: timeZone: …"},
		{"29: texts become SQL", "", filtered("pages", "path", "eq", `"/a' OR '1'='1"`), "path", ""},
	}
}

func wirePitfalls() []pitfall {
	return []pitfall{
		{"30: page 2 is page 1", "", ask1("custom_events", march10+`,"page":2`), "name", ""},
		{"34: sortBy without sortOrder is ignored", "", ask1("pages", march10+`,"sortBy":"path"`), "path",
			"/|/100%|/a|/b|/late"},
		{"34: a sort that is not allowed is not explained", "", ask1("pages", march10+`,"sortBy":"weight"`), "path",
			`INVALID_SORT: pages cannot be sorted by "weight"; allowed are path, …`},
		{"35: groupBy is ignored", "",
			ask1("summary_metrics", march10+
				`,"groupBy":"device_type","filters":[{"field":"path","op":"eq","value":"/"}]`),
			"device_type pageviews", "desktop 1|mobile 1"},
		{"36: a missing filter is an internal error", "", ask1("session_events", march10), "name",
			"INVALID_FILTER: session_events needs a filter on session_id with eq"},
		{"37: unlimited parameters", "", ask1(strings.Repeat(`pages","`, 50)+"pages", march10), "path",
			"refused: parameters may have at most 50 query types, not 51"},
		{"39: a type of another subject answers zero", "link:l", ask1("summary_metrics", march10), "pageviews",
			`WRONG_SUBJECT: "summary_metrics" needs website_id in the address, not link_id`},
	}
}

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

// pitfallRows returns, on website w and 10 March 2026 in UTC:
//
//	s0  began on the 9th at Google, continues after midnight: /late
//	s1  Ann: / at 10:00, /a at 10:00:20 (a campaign, mobile, US), a custom event, a click
//	s2  Ben: / at 11:00 for 40 s, then leaves (desktop, IL)
//	s3  Ben: from another host of Google, /b at 11:30 (tablet, PS), leaves at once
//	s4  no pageview: one custom event
//	    no session or visitor: /100% at 23:59:59.999
//
// Website many has 101 pages and 3000 visitors. Website and link idn have hosts outside ASCII as referrers.
func pitfallRows() *store.Batch {
	b := &store.Batch{}
	add := func(id, clock, session, visitor string, kind store.EventKind, name, path string,
		change ...func(*store.Event)) {
		e := store.Event{Website: "w", ID: id, Kind: kind, Name: name, Time: at(clock), Path: path,
			Identity: by(visitor, session)}
		for _, f := range change {
			f(&e)
		}
		b.Events = append(b.Events, e)
	}
	from := func(domain, country, region, device string) func(*store.Event) {
		return func(e *store.Event) {
			e.Referrer, e.ReferrerDomain = "https://www."+domain+"/", domain
			e.Country, e.Region, e.City, e.DeviceType = country, region, "Springfield", device
		}
	}
	add("e1", "09 23:50:00", "s0", "zoe", store.Pageview, "screen_view", "/",
		from("google.com", "DE", "Bavaria", "desktop"))
	add("e2", "10 00:10:00", "s0", "zoe", store.Pageview, "screen_view", "/late")
	add("e3", "10 10:00:00", "s1", "ann", store.Pageview, "screen_view", "/",
		from("news.example", "US", "Ohio", "mobile"),
		func(e *store.Event) { e.UTMSource = "mail" })
	add("e4", "10 10:00:20", "s1", "ann", store.Pageview, "screen_view", "/a")
	add("e5", "10 10:00:21", "s1", "ann", store.Custom, "signup", "/a")
	add("e6", "10 10:00:22", "s1", "ann", store.Click, "", "/a",
		func(e *store.Event) { e.Href = "https://out.example/" })
	add("e7", "10 11:00:00", "s2", "ben", store.Pageview, "screen_view", "/",
		from("google.com", "IL", "Ohio", "desktop"))
	add("e8", "10 11:00:40", "s2", "ben", store.Exit, "page_exit", "/",
		func(e *store.Event) { e.TimeOnPage = store.Known(40_000) })
	add("e9", "10 11:30:00", "s3", "ben", store.Pageview, "screen_view", "/b", from("google.com", "PS", "", "tablet"),
		func(e *store.Event) { e.Referrer = "https://www.google.de/" })
	add("e10", "10 12:00:00", "s4", "cat", store.Custom, "signup", "")
	add("e11", "10 23:59:59.999", "", "", store.Pageview, "screen_view", "/100%")
	for _, host := range []string{"xn--zq-bcher-95a.org", "news.example", "xn--bcher-kva.example"} {
		add("idn "+host, "10 10:00:00", host, host, store.Pageview, "screen_view", "/", from(host, "", "", ""),
			func(e *store.Event) { e.Website = "idn" })
		b.Visits = append(b.Visits, store.Visit{Link: "idn", ID: host, Time: at("10 10:00:00"),
			Referrer: "https://" + host + "/", ReferrerDomain: host})
	}
	for i := range 3000 {
		add(fmt.Sprint("m", i), "10 10:00:00", fmt.Sprint("m", i), fmt.Sprint("m", i), store.Pageview, "screen_view",
			fmt.Sprintf("/%d", i%101),
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
		b.Checks = append(b.Checks,
			store.Check{Schedule: "m", ID: fmt.Sprint("c", i), Time: day.Add(time.Duration(c.hour) * time.Hour),
				Status: c.status})
	}
	// two checks at a time, in both orders of their ids
	for i, s := range []store.Status{store.Down, store.Up, store.Up, store.Down} {
		b.Checks = append(b.Checks,
			store.Check{Schedule: "twins", ID: fmt.Sprint("t", i), Time: day.Add(time.Duration(6+i/2) * time.Hour),
				Status: s})
	}
	return b
}
