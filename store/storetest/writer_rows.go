package storetest

import (
	"database/sql"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A cell is what one column must hold: an int64, a string, or nil for null.
type cell struct {
	column string
	want   any
}

// kind is the kind to read c with.
func (c cell) kind() dialect.Kind {
	if _, text := c.want.(string); text {
		return dialect.Text
	}
	return dialect.Int
}

var (
	fullIdentity = store.Identity{AnonymousID: "anon-1", ProfileID: "profile-1", SessionID: "session-1"}
	fullAgent    = store.Agent{
		BrowserName: "Firefox", BrowserVersion: "143.0", OSName: "Linux", OSVersion: "6.1",
		DeviceType: "desktop", Country: "DE", Region: "Bavaria", City: "Würzburg",
	}
)

// agentCells are the columns of fullAgent.
func agentCells() []cell {
	return []cell{
		{"browser_name", "Firefox"},
		{"browser_version", "143.0"},
		{"os_name", "Linux"},
		{"os_version", "6.1"},
		{"device_type", "desktop"},
		{"country", "DE"},
		{"region", "Bavaria"},
		{"city", "Würzburg"},
	}
}

// visitorCells are the columns that the tables of websites share.
func visitorCells(id string) []cell {
	return append(agentCells(),
		cell{"event_id", id},
		cell{"time", noon.UnixMilli() + 7},
		cell{"session_id", "session-1"},
		cell{"anonymous_id", "anon-1"},
		cell{"profile_id", "profile-1"},
		cell{"visitor", "profile-1"},
		cell{"path", "/a/b"},
	)
}

// precise is noon with more digits than are kept.
func precise() time.Time { return noon.Add(7*time.Millisecond + 999_999) }

func fullEvent() (store.Event, []cell) {
	e := store.Event{
		Website: "w", ID: "e1", Kind: store.Exit, Name: "page_exit", Time: precise(),
		Identity: fullIdentity, Agent: fullAgent,
		Path: "/a/b", Title: "title", Referrer: "https://x.example/?q=1", ReferrerDomain: "x.example",
		UTMSource: "us", UTMMedium: "um", UTMCampaign: "uc", UTMTerm: "ut", UTMContent: "uo", GCLID: "g",
		Language: "de-DE", Timezone: "Europe/Berlin", Screen: "1920x1080", Viewport: "800x600",
		LoadTime: store.Known(1), DOMReadyTime: store.Known(2), TTFB: store.Known(3),
		TimeOnPage: store.Known(1 << 40), ScrollDepth: store.Known(0), Interactions: store.Known(-6),
		Namespace: "ns", Source: "src", Properties: `{"a":"b"}`, Href: "https://y.example/", Text: "text",
	}
	return e, append(visitorCells("e1"),
		cell{"kind", int64(store.Exit)},
		cell{"name", "page_exit"},
		cell{"title", "title"},
		cell{"referrer", "https://x.example/?q=1"},
		cell{"referrer_domain", "x.example"},
		cell{"utm_source", "us"},
		cell{"utm_medium", "um"},
		cell{"utm_campaign", "uc"},
		cell{"utm_term", "ut"},
		cell{"utm_content", "uo"},
		cell{"gclid", "g"},
		cell{"language", "de-DE"},
		cell{"timezone", "Europe/Berlin"},
		cell{"screen_resolution", "1920x1080"},
		cell{"viewport_size", "800x600"},
		cell{"load_time", int64(1)},
		cell{"dom_ready_time", int64(2)},
		cell{"ttfb", int64(3)},
		cell{"time_on_page", int64(1 << 40)},
		cell{"scroll_depth", int64(0)},
		cell{"interactions", int64(-6)},
		cell{"namespace", "ns"},
		cell{"source", "src"},
		cell{"properties", `{"a":"b"}`},
		cell{"href", "https://y.example/"},
		cell{"text", "text"},
	)
}

func fullError() (store.Error, []cell) {
	e := store.Error{
		Website: "w", ID: "x1", Time: precise(), Identity: fullIdentity, Agent: fullAgent, Path: "/a/b",
		Message: "m", ErrorType: "TypeError", Filename: "f.js",
		Line: store.Known(10), Col: store.Known(20), Stack: "at f\nat g",
	}
	return e, append(visitorCells("x1"),
		cell{"message", "m"},
		cell{"error_type", "TypeError"},
		cell{"filename", "f.js"},
		cell{"line", int64(10)},
		cell{"col", int64(20)},
		cell{"stack", "at f\nat g"},
	)
}

func fullVital() (store.Vital, []cell) {
	v := store.Vital{
		Website: "w", ID: "v1", Time: precise(), Identity: fullIdentity, Agent: fullAgent, Path: "/a/b",
		Samples: []store.Sample{{Metric: "LCP", Value: 2500}},
	}
	return v, append(visitorCells("v1"), cell{"metric_name", "LCP"}, cell{"value", int64(2500)})
}

func fullSpan() (store.Span, []cell) {
	s := store.Span{
		Website: "w", ID: "p1", Time: precise(), Identity: fullIdentity, Agent: fullAgent, Path: "/a/b",
		ExitType: "spa", PageIndex: store.Known(0), TimeOnPage: store.Known(1 << 40), ActiveTime: store.Known(2),
		FirstInteraction: store.Known(3), MaxScrollDepth: store.Known(4), Scrolls: 5, Clicks: 6, Keys: 7, Interactions: 8, Copies: 9,
		RageClicks: 10, DeadClicks: 11, FormFields: 12, FormSubmits: 13, Errors: 14,
	}
	return s, append(visitorCells("p1"),
		cell{"exit_type", "spa"},
		cell{"page_index", int64(0)},
		cell{"time_on_page", int64(1 << 40)},
		cell{"active_time", int64(2)},
		cell{"first_interaction", int64(3)},
		cell{"max_scroll_depth", int64(4)},
		cell{"scrolls", int64(5)},
		cell{"clicks", int64(6)},
		cell{"keys", int64(7)},
		cell{"interactions", int64(8)},
		cell{"copies", int64(9)},
		cell{"rage_clicks", int64(10)},
		cell{"dead_clicks", int64(11)},
		cell{"form_fields", int64(12)},
		cell{"form_submits", int64(13)},
		cell{"errors", int64(14)},
	)
}

func fullVisit() (store.Visit, []cell) {
	v := store.Visit{
		Link: "l", ID: "c1", Time: precise(), Agent: fullAgent,
		Referrer: "https://x.example/", ReferrerDomain: "x.example",
	}
	return v, append(agentCells(),
		cell{"event_id", "c1"},
		cell{"time", noon.UnixMilli() + 7},
		cell{"referrer", "https://x.example/"},
		cell{"referrer_domain", "x.example"},
	)
}

func fullCheck() (store.Check, []cell) {
	c := store.Check{
		Schedule: "s", ID: "k1", Time: precise(), URL: "https://x.example/health", Status: store.Maintenance,
		HTTPCode: 503, TTFB: store.Known(12), Total: store.Known(34), Region: "eu-1",
		SSLExpiry: sql.Null[time.Time]{V: noon.Add(time.Hour), Valid: true},
		SSLValid:  sql.Null[bool]{V: true, Valid: true},
		Error:     "timeout",
	}
	return c, []cell{
		{"event_id", "k1"},
		{"time", noon.UnixMilli() + 7},
		{"url", "https://x.example/health"},
		{"status", int64(store.Maintenance)},
		{"http_code", int64(503)},
		{"ttfb", int64(12)},
		{"total", int64(34)},
		{"probe_region", "eu-1"},
		{"ssl_expiry", noon.Add(time.Hour).UnixMilli()},
		{"ssl_valid", int64(1)},
		{"error", "timeout"},
	}
}
