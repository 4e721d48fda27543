package track

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// event sends one page event with extra fields and returns its row.
func event(t *testing.T, w *world, name, extra string) store.Event {
	t.Helper()
	a := w.post(t, "/?client_id=w1", fmt.Sprintf(`{"name":%q,"path":"/"%s}`, name, extra))
	if a.code != 200 || len(w.rows().Events) == 0 {
		t.Fatalf("%s: %d %s", extra, a.code, a.raw)
	}
	all := w.rows().Events
	return all[len(all)-1]
}

func TestMeasuresAreRounded(t *testing.T) {
	none := store.Measure{}
	for _, c := range []struct {
		why, name, extra string
		field            func(store.Event) store.Measure
		want             store.Measure
	}{
		{"a half is rounded away from zero", "screen_view", `,"load_time":2.5`,
			func(e store.Event) store.Measure { return e.LoadTime }, store.Known(3)},
		{"just below a half", "screen_view", `,"load_time":2.4999`,
			func(e store.Event) store.Measure { return e.LoadTime }, store.Known(2)},
		{"zero is a value", "screen_view", `,"load_time":0`, func(e store.Event) store.Measure { return e.LoadTime },
			store.Known(0)},
		{"null is absent", "screen_view", `,"load_time":null`, func(e store.Event) store.Measure { return e.LoadTime },
			none},
		{"empty text is absent", "screen_view", `,"load_time":""`,
			func(e store.Event) store.Measure { return e.LoadTime }, none},
		{"negative is absent", "screen_view", `,"load_time":-1`,
			func(e store.Event) store.Measure { return e.LoadTime }, none},
		{"an exit has no load time", "page_exit", `,"load_time":5`,
			func(e store.Event) store.Measure { return e.LoadTime }, none},
		{"a pageview has no time on page", "screen_view", `,"time_on_page":5`,
			func(e store.Event) store.Measure { return e.TimeOnPage }, none},
		{"seconds to milliseconds", "page_exit", `,"time_on_page":12`,
			func(e store.Event) store.Measure { return e.TimeOnPage }, store.Known(12_000)},
		{"fractions of seconds", "page_exit", `,"time_on_page":1.0005`,
			func(e store.Event) store.Measure { return e.TimeOnPage }, store.Known(1001)},
		{"as decimal, not as binary", "page_exit", `,"time_on_page":4.0345`,
			func(e store.Event) store.Measure { return e.TimeOnPage }, store.Known(4035)},
		{"the limit itself", "page_exit", `,"time_on_page":86400`,
			func(e store.Event) store.Measure { return e.TimeOnPage }, store.Known(86_400_000)},
		{"scroll in percent", "page_exit", `,"scroll_depth":"99.5"`,
			func(e store.Event) store.Measure { return e.ScrollDepth }, store.Known(100)},
		{"interactions", "page_exit", `,"interaction_count":3`,
			func(e store.Event) store.Measure { return e.Interactions }, store.Known(3)},
		{"a tiny number", "page_exit", `,"scroll_depth":1e-300`,
			func(e store.Event) store.Measure { return e.ScrollDepth }, store.Known(0)},
	} {
		var w world
		if got := c.field(event(t, &w, c.name, c.extra)); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

func TestInstants(t *testing.T) {
	at := func(s string) time.Time {
		x, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return x.UTC()
	}
	for _, c := range []struct {
		sent string
		want time.Time
	}{
		{`null`, noon},
		{`946684800000`, at("2000-01-01T00:00:00Z")},
		{`1772625600456`, noon}, // later than the arrival
		{`1772625600056.9`, at("2026-03-04T12:00:00.056Z")},
		{`"1772625600056"`, at("2026-03-04T12:00:00.056Z")},
		{`1772625600`, at("2026-03-04T12:00:00Z")}, // seconds
		{`"1772625600"`, at("2026-03-04T12:00:00Z")},
		{`"2026-03-04T12:00:00.0569Z"`, at("2026-03-04T12:00:00.056Z")},
		{`"2026-03-04T17:45:00+05:45"`, at("2026-03-04T12:00:00Z")},
		{`"2026-03-04T12:00:00"`, at("2026-03-04T12:00:00Z")},
		{`"2026-03-04 11:00:00.5"`, at("2026-03-04T11:00:00.5Z")},
		{`"2026-03-04T10:00"`, at("2026-03-04T10:00:00Z")},
		{`"2026-03-04 10:00"`, at("2026-03-04T10:00:00Z")},
		{`"2026-03-04 12:00:00+01:00"`, at("2026-03-04T11:00:00Z")},
		{`"2026-03-04"`, at("2026-03-04T00:00:00Z")},
		{`"Wed, 04 Mar 2026 11:00:00 GMT"`, at("2026-03-04T11:00:00Z")},
		{`"Wed, 4 Mar 2026 12:00:00 +0100"`, at("2026-03-04T11:00:00Z")},
		{`"2026-03-04T10:00:00+0000"`, at("2026-03-04T10:00:00Z")},
		{`"2026-03-04T10:00:00+00"`, at("2026-03-04T10:00:00Z")},
		{`"2026-03-04 10:00:00 UTC"`, at("2026-03-04T10:00:00Z")},
		{`"2026-03-04 10:00:00 +0000"`, at("2026-03-04T10:00:00Z")},
		{`"2026-03-04t10:00:00z"`, at("2026-03-04T10:00:00Z")},
		{`"20260304T100000Z"`, at("2026-03-04T10:00:00Z")},
		{`"20260304T120000+0200"`, at("2026-03-04T10:00:00Z")},
		{`"soon"`, noon},
		{`[]`, noon},
		{`1e300`, noon},
	} {
		w := world{window: -1}
		got := event(t, &w, "x", `,"timestamp":`+c.sent).Time
		if !got.Equal(c.want) || got.Location() != time.UTC {
			t.Errorf("%s is %v, want %v", c.sent, got, c.want)
		}
	}
}

func TestTextsAndShapes(t *testing.T) {
	for _, c := range []struct {
		why, extra string
		field      func(store.Event) string
		want       string
	}{
		{"an id is stored as text", `,"eventId":"  evt/1 "`, func(e store.Event) string { return e.ID }, "evt/1"},
		{"a number for an id", `,"eventId":42`, func(e store.Event) string { return e.ID }, "42"},
		{"control characters are removed", `,"title":"a\u0000\n\u007fb"`, func(e store.Event) string { return e.Title },
			"ab"},
		{"half an emoji becomes a mark", `,"title":"a\ud83d!"`, func(e store.Event) string { return e.Title },
			"a\uFFFD!"},
		{"umlauts, quotes, percent", `,"title":"Ä '\" 100% _ \\ <b>"`, func(e store.Event) string { return e.Title },
			`Ä '" 100% _ \ <b>`},
		{"a session id", `,"sessionId":"sess_A-1"`, func(e store.Event) string { return e.SessionID }, "sess_A-1"},
		{"a long session id is cut", `,"sessionId":"` + strings.Repeat("s", 129) + `"`,
			func(e store.Event) string { return e.SessionID }, strings.Repeat("s", 128)},
		{"a tiny screen", `,"screen_resolution":"100x100"`, func(e store.Event) string { return e.Screen }, ""},
		{"a screen in capitals", `,"screen_resolution":"1920X1080"`, func(e store.Event) string { return e.Screen },
			"1920x1080"},
		{"no screen", `,"screen_resolution":"big"`, func(e store.Event) string { return e.Screen }, ""},
		{"no viewport", `,"viewport_size":"800x600x3"`, func(e store.Event) string { return e.Viewport }, ""},
		{"no language", `,"language":"<de>"`, func(e store.Event) string { return e.Language }, ""},
		{"direct", `,"referrer":"direct"`, func(e store.Event) string { return e.Referrer + "|" + e.ReferrerDomain },
			"|"},
		{"the website itself", `,"referrer":"https://www.shop.com/x"`,
			func(e store.Event) string { return e.ReferrerDomain }, ""},
		{"a look-alike", `,"referrer":"https://myshop.com/x"`, func(e store.Event) string { return e.ReferrerDomain },
			"myshop.com"},
		{"a short link of a network", `,"referrer":"https://t.co/x"`,
			func(e store.Event) string { return e.ReferrerDomain }, "x.com"},
		{"no properties", `,"properties":{}`, func(e store.Event) string { return e.Properties }, ""},
		{"properties as text", `,"properties":"{\"a\": [1, null]}"`, func(e store.Event) string { return e.Properties },
			`{"a":[1,null]}`},
		{"properties keep their texts", `,"properties":{"b":"<&>\n","a":{"c":"x\u0000y"}}`,
			func(e store.Event) string { return e.Properties }, `{"a":{"c":"xy"},"b":"<&>\n"}`},
		{"a path of the query is cut", `,"path":"https://shop.com/ä/?` + strings.Repeat("q", 5000) + `"`,
			func(e store.Event) string { return e.Path }, "/ä"},
	} {
		var w world
		if got := c.field(event(t, &w, "x", c.extra)); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestPropertiesAreLeftOut sends properties that cannot be stored. The event is stored with the other
// properties.
func TestPropertiesAreLeftOut(t *testing.T) {
	var many []string
	for i := range 51 {
		many = append(many, fmt.Sprintf(`"k%d":1`, i))
	}
	long := strings.Repeat("k", 129)
	for _, c := range []struct{ why, properties, want, dropped string }{
		{"51 keys", "{" + strings.Join(many, ",") + "}", "", "properties"},
		{"a long key", `{"` + long + `":1,"a":2}`, `{"a":2}`, "properties." + long[:117]},
		{"more than 32 KB", `{"a":"` + strings.Repeat("x", 32<<10) + `"}`, "", "properties"},
		{"a number beyond floats", `{"a":1e999,"b":1}`, `{"b":1}`, "properties.a"},
		{"a number of many digits", `{"a":` + strings.Repeat("9", 400) + `}`, "", "properties.a"},
		{"deep nesting", `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,"b":1}`, `{"b":1}`,
			"properties.a"},
		{"a text", `"hello"`, "", "properties"},
		{"a list", `[1]`, "", "properties"},
	} {
		var w world
		a := w.post(t, "/track?website_id=w1", `{"name":"x","properties":`+c.properties+`}`)
		if a.code != 200 || a.dropped() != c.dropped || w.rows().Events[0].Properties != c.want {
			t.Errorf("%s: %d %s", c.why, a.code, a.raw)
		}
	}
}

func TestVisitorIDs(t *testing.T) {
	us := map[string]Location{"203.0.113.7": {Country: "US"}}
	for _, c := range []struct {
		why, extra, want string
		geo              map[string]Location
	}{
		{"salted by default", ``, hashed("anon_1"), nil},
		{"salted when asked to", `,"anonymizeVisitorIds":true`, hashed("anon_1"), nil},
		{"raw when asked to", `,"anonymizeVisitorIds":false`, "anon_1", nil},
		{"auto somewhere", `,"anonymizeVisitorIds":"auto"`, hashed("anon_1"), nil},
		{"auto in the United States", `,"anonymizeVisitorIds":"auto"`, "anon_1", us},
		{"the default in the United States", ``, hashed("anon_1"), us},
		{"the day of arrival counts", `,"timestamp":"2026-03-01"`, hashed("anon_1"), nil},
	} {
		w := world{geo: c.geo}
		e := event(t, &w, "x", `,"anonymousId":"anon_1","profileId":"me"`+c.extra)
		if e.AnonymousID != c.want || e.ProfileID != "me" {
			t.Errorf("%s: %q %q", c.why, e.AnonymousID, e.ProfileID)
		}
	}
	var w world
	if e := event(t, &w, "x", `,"anonymousId":null`); e.AnonymousID != "" {
		t.Errorf("an absent id became %q", e.AnonymousID)
	}
}

func TestPlaces(t *testing.T) {
	berlin := Location{Country: "DE", Region: "Land Berlin", City: "Berlin"}
	for _, c := range []struct {
		why, header, value string
		geo, want          Location
	}{
		{"nothing known", "", "", Location{}, Location{}},
		{"by address", "", "FR", berlin, berlin},
		{"by the header", "CF-IPCountry", "fr", Location{}, Location{Country: "FR"}},
		{"address and header agree", "CF-IPCountry", "DE", berlin, berlin},
		{"address and header differ", "CF-IPCountry", "FR", berlin, Location{Country: "FR"}},
		{"the header is empty", "CF-IPCountry", "", berlin, berlin},
		{"no country", "CF-IPCountry", "XX", Location{}, Location{}},
		{"the Tor network", "CF-IPCountry", "T1", Location{}, Location{}},
		{"a name is not a code", "CF-IPCountry", "France", Location{}, Location{}},
		{"an alias is not a code", "CF-IPCountry", "UK", Location{}, Location{}},
		{"an unknown code", "", "", Location{Country: "ZZ", City: "Nowhere"}, Location{}},
		{"Kosovo", "CF-IPCountry", "XK", Location{}, Location{Country: "XK"}},
	} {
		w := world{header: c.header, geo: map[string]Location{"203.0.113.7": c.geo}}
		w.post(t, "/?client_id=w1", `{"name":"x","path":"/"}`, "CF-IPCountry", c.value)
		e := w.rows().Events[0]
		if got := (Location{e.Country, e.Region, e.City}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.why, got, c.want)
		}
	}
}
