package storetest

import (
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// now is the clock of the cases.
var now = time.Date(2026, 3, 12, 9, 0, 0, 0, time.UTC)

var (
	ofSite    = store.Subject{Kind: store.KindWebsite, ID: "w1"}
	ofBlog    = store.Subject{Kind: store.KindWebsite, ID: "w3"}
	ofLink    = store.Subject{Kind: store.KindLink, ID: "l1"}
	ofMonitor = store.Subject{Kind: store.KindSchedule, ID: "m1"}
)

func at(clock string) time.Time {
	t, err := time.Parse("2006-01-02 15:04:05", "2026-03-"+clock)
	if err != nil {
		return time.Time{} // the Writer rejects it
	}
	return t
}

// The visitors of the fixture.
var (
	phone = store.Agent{BrowserName: "Safari", OSName: "iOS", DeviceType: "mobile", Country: "DE", Region: "Bavaria",
		City: "Munich"}
	laptop = store.Agent{BrowserName: "Chrome", OSName: "Windows", DeviceType: "desktop", Country: "FR",
		Region: "Île-de-France", City: "Paris"}
)

func by(visitor, session string) store.Identity {
	return store.Identity{AnonymousID: visitor, SessionID: session}
}

// fixture returns a small dataset with three websites, a link and a monitor. Session s1 begins at a search
// engine. Session s2 bounces. Session s3 spans midnight, and its visitor is identified half-way. One pageview
// has neither session nor visitor. The third website is a blog with visits from campaigns.
func fixture() *store.Batch {
	b := &store.Batch{}
	view := func(id, clock string, who store.Identity, a store.Agent, path string, load int64) {
		b.Events = append(b.Events, store.Event{Website: "w1", ID: id, Kind: store.Pageview, Name: "screen_view",
			Time: at(clock), Identity: who, Agent: a, Path: path, LoadTime: store.Known(load)})
	}
	view("e1", "10 10:00:00", by("v1", "s1"), phone, "/", 100)
	b.Events[0].Referrer, b.Events[0].ReferrerDomain = "https://www.google.com/", "google.com"
	b.Events = append(b.Events,
		store.Event{Website: "w1", ID: "e2", Kind: store.Exit, Name: "page_exit", Time: at("10 10:00:30"),
			Identity: by("v1", "s1"), Agent: phone, Path: "/", TimeOnPage: store.Known(30_000),
			ScrollDepth: store.Known(80)})
	view("e3", "10 10:00:30", by("v1", "s1"), phone, "/100%", 201)
	b.Events = append(b.Events,
		store.Event{Website: "w1", ID: "e4", Kind: store.Custom, Name: "signup", Time: at("10 10:01:00"),
			Identity: by("v1", "s1"), Properties: `{"plan":"pro"}`})
	view("e5", "10 12:00:00", by("v2", "s2"), laptop, "/", 200)
	view("e6", "10 13:00:00", store.Identity{}, store.Agent{}, "/100x", 0)
	view("e7", "10 23:59:00", by("v1", "s3"), phone, "/a", 50)
	view("e8", "11 00:01:00", store.Identity{AnonymousID: "v1", ProfileID: "p1", SessionID: "s3"}, laptop, "/b", 50)
	b.Events = append(b.Events,
		store.Event{Website: "w1", ID: "e9", Kind: store.Custom, Name: "$flag", Time: at("10 12:00:05"),
			Identity: by("v2", "s2")},
		store.Event{Website: "w2", ID: "e1", Kind: store.Pageview, Name: "screen_view", Time: at("10 10:00:00"),
			Identity: by("v9", "s1"), Path: "/theirs"})
	b.Events = append(b.Events, campaignVisits()...)
	b.Errors = []store.Error{
		{Website: "w1", ID: "x1", Time: at("10 09:00:00"), Identity: by("v1", "s1"), Path: "/", Message: "it's broken",
			ErrorType: "Error"},
		{Website: "w1", ID: "x2", Time: at("10 10:00:10"), Identity: by("v1", "s1"), Path: "/100%",
			Message: "it's broken", ErrorType: "Error"},
		{Website: "w1", ID: "x3", Time: at("10 12:00:10"), Identity: by("v2", "s2"), Path: "/", Message: `"\"`,
			ErrorType: "TypeError"},
	}
	b.Vitals = []store.Vital{
		{Website: "w1", ID: "v1", Time: at("10 10:00:02"), Identity: by("v1", "s1"), Path: "/",
			Samples: []store.Sample{{Metric: "LCP", Value: 1000}, {Metric: "CLS", Value: 1234}}},
		{Website: "w1", ID: "v2", Time: at("10 12:00:02"), Identity: by("v2", "s2"), Path: "/",
			Samples: []store.Sample{{Metric: "LCP", Value: 2000}}},
		{Website: "w1", ID: "v3", Time: at("10 12:00:02"), Path: "/only-vitals",
			Samples: []store.Sample{{Metric: "INP", Value: 40}}},
	}
	b.Visits = []store.Visit{
		{Link: "l1", ID: "c1", Time: at("10 00:30:00"), Agent: phone},
		{Link: "l1", ID: "c2", Time: at("10 05:00:00"), ReferrerDomain: "google.com", Agent: laptop},
		{Link: "l1", ID: "c2", Time: at("10 06:00:00"), ReferrerDomain: "google.com", Agent: laptop},
		{Link: "l2", ID: "c1", Time: at("10 05:00:00")},
	}
	b.Checks = []store.Check{
		{Schedule: "m1", ID: "k0", Time: at("08 00:00:00"), Status: store.Down, Region: "eu"},
		{Schedule: "m1", ID: "k1", Time: at("10 06:00:00"), Status: store.Up, HTTPCode: 200, Total: store.Known(100),
			TTFB: store.Known(40), Region: "eu"},
		{Schedule: "m1", ID: "k2", Time: at("10 12:00:00"), Status: store.Up, HTTPCode: 200, Total: store.Known(201),
			Region: "us"},
		{Schedule: "m1", ID: "k3", Time: at("10 18:00:00"), Status: store.Down, HTTPCode: 500, Region: "eu"},
		{Schedule: "m1", ID: "k4", Time: at("11 06:00:00"), Status: store.Pending, Region: "eu"},
	}
	b.Blocked = []store.Blocked{
		{Website: "w1", ID: "n1", Time: at("10 09:00:00"), Reason: "bot", Bot: "Googlebot", Requests: 7},
		{Website: "w1", ID: "n2", Time: at("11 09:00:00"), Reason: "bot", Bot: "Googlebot", Requests: 2},
		{Website: "w1", ID: "n2", Time: at("11 09:00:00"), Reason: "bot", Bot: "Googlebot", Requests: 100},
		{Website: "w1", ID: "n3", Time: at("10 09:00:00"), Reason: "origin", Requests: 1},
	}
	b.Checks[2].SSLExpiry.V, b.Checks[2].SSLExpiry.Valid = at("20 00:00:00"), true
	b.Checks[2].SSLValid.V, b.Checks[2].SSLValid.Valid = true, true
	return b
}

// campaignVisits returns sessions of the blog with one pageview each, from different sources.
func campaignVisits() (events []store.Event) {
	for i, from := range []struct{ source, kind, utm string }{
		{"chatgpt.com", "ai", "chatgpt.com"}, {"chatgpt.com", "", ""}, {"producthunt.com", "social", ""},
		{"newsletter", "email", "newsletter"}, {"newsletter", "email", "newsletter"}, {"newsletter", "other", ""},
		{"google.com", "paid", "google"}, {"", "", ""},
	} {
		id := string(rune('a' + i))
		e := store.Event{Website: ofBlog.ID, ID: id, Kind: store.Pageview, Name: "screen_view",
			Time:     at("10 10:00:00").Add(time.Duration(i) * time.Minute),
			Identity: by("v-"+id, "s-"+id), Path: "/", ReferrerDomain: from.source, CampaignKind: from.kind,
			UTMSource: from.utm}
		if from.source != "" && from.kind == "" {
			e.Referrer = "https://" + from.source + "/"
		}
		events = append(events, e)
	}
	return events
}
