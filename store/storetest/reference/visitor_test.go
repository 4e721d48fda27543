package reference

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSessionTotals(t *testing.T) {
	d := NewData(read(t, shop))
	for _, w := range []wanted{
		// S1 has 60 s, S2 0 s, S3 11 s.
		{why: "of all sessions", name: "session_metrics", rows: `
			{"total_sessions":3,"avg_session_duration":23.67,"median_session_duration":11,"bounce_rate":33.33,"pages_per_session":2,"total_events":11}`},
		{why: "by device", name: "session_metrics", ask: func(q *Question) {
			grouped("device_type")(q)
			where("country", "ne", "")(q)
		}, rows: `
			{"device_type":"desktop","total_sessions":1,"avg_session_duration":60,"median_session_duration":60,"bounce_rate":0,"pages_per_session":2,"total_events":4}
			{"device_type":"mobile","total_sessions":2,"avg_session_duration":5.5,"median_session_duration":5.5,"bounce_rate":50,"pages_per_session":1.5,"total_events":4}`},
		{why: "visitors come from pageviews", name: "sessions_time_series", rows: `
			{"date":"2024-05-01","sessions":3,"visitors":2,"avg_session_duration":23.67,"bounce_rate":33.33}
			{"date":"2024-05-02","sessions":0,"visitors":1,"avg_session_duration":null,"bounce_rate":null}`},
	} {
		w.check(t, d)
	}
}

func TestDurations(t *testing.T) {
	d := NewData(read(t, `
		01T09:00:00 view p1 s=a a=anna path=/ country=DE
		01T09:00:29.999 view p2 s=a path=/
		01T09:00:00 view p3 s=b a=anna path=/ country=DE
		01T09:00:30 view p4 s=b path=/
		01T09:00:00 view p5 s=c a=ben path=/ country=DE
		01T09:00:01 exit x5 s=c a=ben path=/ time=60000
		01T09:00:00 view p6 s=d path=/ country=FR
		01T10:00:00 view p7 s=d path=/`))
	for _, w := range []wanted{
		{why: "lower bounds included, all six in their order", name: "session_duration_distribution", rows: `
			{"duration_range":"0-30s","sessions":1,"visitors":1,"percentage":25}
			{"duration_range":"30s-1m","sessions":1,"visitors":1,"percentage":25}
			{"duration_range":"1m-5m","sessions":1,"visitors":1,"percentage":25}
			{"duration_range":"5m-15m","sessions":0,"visitors":0,"percentage":0}
			{"duration_range":"15m-1h","sessions":0,"visitors":0,"percentage":0}
			{"duration_range":"1h+","sessions":1,"visitors":0,"percentage":25}`},
		{why: "bands first, then countries", name: "session_duration_distribution", ask: func(q *Question) {
			grouped("country")(q)
			q.Limit = 3
		}, rows: `
			{"country":"DE","duration_range":"0-30s","sessions":1,"visitors":1,"percentage":25}
			{"country":"FR","duration_range":"0-30s","sessions":0,"visitors":0,"percentage":0}
			{"country":"DE","duration_range":"30s-1m","sessions":1,"visitors":1,"percentage":25}`},
		{why: "ties of a chosen order are ordered by code point", name: "session_duration_distribution",
			ask: func(q *Question) {
				q.SortBy, q.SortOrder, q.Limit = "sessions", "asc", 3
			}, rows: `
			{"duration_range":"15m-1h","sessions":0,"visitors":0,"percentage":0}
			{"duration_range":"5m-15m","sessions":0,"visitors":0,"percentage":0}
			{"duration_range":"0-30s","sessions":1,"visitors":1,"percentage":25}`},
	} {
		w.check(t, d)
	}
}

// diary: session S spans midnight of 2 May, with $ names, a click and an exit at the same instant. S is used
// again three days later. T is another session.
const diary = `
01T23:59:00 view   b s=S a=anna path=/ country=DE
01T23:59:00 custom a s=S a=anna path=/ name=go props={"x":[1,2]}
02T00:00:00 exit   c s=S a=anna path=/
02T00:00:00 click  d s=S a=anna path=/ href=https://x.example/
02T00:00:00 view   e s=S a=anna path=/docs
02T00:00:00 custom d s=S a=anna path=/ name=$flag
02T00:00:00 page   d s=S a=anna path=/ name=go
01T23:58:00 custom f s=S a=anna path=/ name=$early
05T00:00:00 view   g s=S a=anna path=/
02T00:00:00 view   h s=T a=ben path=/
`

func TestSessionEvents(t *testing.T) {
	d := NewData(read(t, diary))
	second := func(q *Question) {
		q.StartDate = "2024-05-02"
		where("session_id", "eq", "S")(q)
	}
	for _, w := range []wanted{
		{why: "the whole session; time, pageviews, exits, others, id, kind", name: "session_events", ask: second,
			rows: `
			{"event_id":"b","timestamp":"2024-05-01T23:59:00.000Z","kind":"pageview","name":"","path":"/","properties":{}}
			{"event_id":"a","timestamp":"2024-05-01T23:59:00.000Z","kind":"event","name":"go","path":"/","properties":{"x":[1,2]}}
			{"event_id":"e","timestamp":"2024-05-02T00:00:00.000Z","kind":"pageview","name":"","path":"/docs","properties":{}}
			{"event_id":"c","timestamp":"2024-05-02T00:00:00.000Z","kind":"exit","name":"","path":"/","properties":{}}
			{"event_id":"d","timestamp":"2024-05-02T00:00:00.000Z","kind":"event","name":"go","path":"/","properties":{}}
			{"event_id":"d","timestamp":"2024-05-02T00:00:00.000Z","kind":"event","name":"$flag","path":"/","properties":{}}
			{"event_id":"d","timestamp":"2024-05-02T00:00:00.000Z","kind":"click","name":"https://x.example/","path":"/","properties":{}}`},
		{why: "before the session, but in the range", name: "session_events", ask: func(q *Question) {
			where("session_id", "eq", "S")(q)
			where("event_name", "starts_with", "$")(q)
		}, rows: `
			{"event_id":"f","timestamp":"2024-05-01T23:58:00.000Z","kind":"event","name":"$early","path":"/","properties":{}}
			{"event_id":"d","timestamp":"2024-05-02T00:00:00.000Z","kind":"event","name":"$flag","path":"/","properties":{}}`},
		{why: "latest first, otherwise the same order", name: "session_events", ask: func(q *Question) {
			second(q)
			q.SortBy, q.Limit = "timestamp", 2
		}, rows: `
			{"event_id":"e","timestamp":"2024-05-02T00:00:00.000Z","kind":"pageview","name":"","path":"/docs","properties":{}}
			{"event_id":"c","timestamp":"2024-05-02T00:00:00.000Z","kind":"exit","name":"","path":"/","properties":{}}`},
		{why: "nothing in the range", name: "session_events", ask: func(q *Question) {
			second(q)
			q.StartDate, q.EndDate = "2024-05-03", "2024-05-04"
		}},
		{why: "with its events, without $", name: "session_list", ask: where("path", "eq", "/docs"), rows: `
			{"session_id":"S","first_visit":"2024-05-01T23:59:00.000Z","last_visit":"2024-05-02T00:00:00.000Z","duration":60,"page_views":2,"total_events":6,"bounced":false,"entry_page":"/","exit_page":"/docs","visitor_id":"anna","profile_id":"","country":"Germany","country_code":"DE","country_name":"Germany","region":"","city":"","referrer":"direct","source":"direct","referrer_type":"direct","referrer_name":"Direct","device_type":"","browser_name":"","os_name":"","language":"","events":[{"event_id":"b","timestamp":"2024-05-01T23:59:00.000Z","kind":"pageview","name":"","path":"/","properties":{}}
			{"event_id":"a","timestamp":"2024-05-01T23:59:00.000Z","kind":"event","name":"go","path":"/","properties":{"x":[1,2]}}
			{"event_id":"e","timestamp":"2024-05-02T00:00:00.000Z","kind":"pageview","name":"","path":"/docs","properties":{}}
			{"event_id":"c","timestamp":"2024-05-02T00:00:00.000Z","kind":"exit","name":"","path":"/","properties":{}}
			{"event_id":"d","timestamp":"2024-05-02T00:00:00.000Z","kind":"event","name":"go","path":"/","properties":{}}
			{"event_id":"d","timestamp":"2024-05-02T00:00:00.000Z","kind":"click","name":"https://x.example/","path":"/","properties":{}}]}`},
	} {
		w.check(t, d)
	}
	for _, tt := range []struct {
		why  string
		name string
		ask  func(*Question)
		want error
	}{
		{"no session id", "session_events", nil, ErrNeedsSession},
		{"an invalid filter", "session_events", where("session_id", "in", "S"), ErrFilter},
		{"a mandatory filter instead of the caller's filter", "session_events", keyed(leaf("session_id", "eq", "S")),
			ErrNeedsSession},
		{"by an object", "session_events", func(q *Question) {
			second(q)
			q.SortBy = "properties"
		}, ErrSort},
		{"by a list", "session_list", func(q *Question) { q.SortBy = "events" }, ErrSort},
	} {
		if _, err := d.Answer(ask("website", tt.name, tt.ask)); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.why, err, tt.want)
		}
	}
}

func TestProfiles(t *testing.T) {
	d := NewData(read(t, diary+`
		02T10:00:00 click  k s=U a=carl path=/
		02T11:00:00 custom l s=U a=carl path=/ name=$flag
		02T12:00:00 custom m s=T a=dora p=Dora path=/ name=go country=FR
		02T13:00:00 view   n path=/`))
	for _, w := range []wanted{
		// carl only clicked. anna's session began the day before. Dora is in ben's session. $ names count only
		// as custom events.
		{why: "latest first", name: "profiles", ask: func(q *Question) { q.StartDate = "2024-05-02" }, rows: `
			{"visitor_id":"Dora","profile_id":"Dora","display_name":"","first_visit":"2024-05-02T12:00:00.000Z","last_visit":"2024-05-02T12:00:00.000Z","session_count":1,"total_events":1,"pageviews":0,"unique_pages":0,"custom_event_count":1,"country":"","country_code":"","country_name":"","region":"","device_type":"","browser_name":"","os_name":"","referrer":"direct"}
			{"visitor_id":"anna","profile_id":"","display_name":"","first_visit":"2024-05-02T00:00:00.000Z","last_visit":"2024-05-02T00:00:00.000Z","session_count":0,"total_events":4,"pageviews":1,"unique_pages":1,"custom_event_count":2,"country":"Germany","country_code":"DE","country_name":"Germany","region":"","device_type":"","browser_name":"","os_name":"","referrer":"direct"}
			{"visitor_id":"ben","profile_id":"","display_name":"","first_visit":"2024-05-02T00:00:00.000Z","last_visit":"2024-05-02T00:00:00.000Z","session_count":1,"total_events":1,"pageviews":1,"unique_pages":1,"custom_event_count":0,"country":"","country_code":"","country_name":"","region":"","device_type":"","browser_name":"","os_name":"","referrer":"direct"}`},
		{why: "a session counts by a pageview that passes, and ben's is not dora's", name: "profiles",
			ask: where("anonymous_id", "eq", "dora"), rows: `
			{"visitor_id":"Dora","profile_id":"Dora","display_name":"","first_visit":"2024-05-02T12:00:00.000Z","last_visit":"2024-05-02T12:00:00.000Z","session_count":0,"total_events":1,"pageviews":0,"unique_pages":0,"custom_event_count":1,"country":"","country_code":"","country_name":"","region":"","device_type":"","browser_name":"","os_name":"","referrer":"direct"}`},
		{why: "two sessions, one page of them twice", name: "profile_list", ask: func(q *Question) {
			q.EndDate = "2024-05-05"
			where("anonymous_id", "eq", "anna")(q)
		}, rows: `
			{"visitor_id":"anna","profile_id":"","display_name":"","first_visit":"2024-05-01T23:59:00.000Z","last_visit":"2024-05-05T00:00:00.000Z","session_count":2,"total_events":7,"pageviews":3,"unique_pages":2,"custom_event_count":4,"country":"","country_code":"","country_name":"","region":"","device_type":"","browser_name":"","os_name":"","referrer":"direct"}`},
	} {
		w.check(t, d)
	}
}

func TestEventProperties(t *testing.T) {
	d := NewData(read(t, `
		01T09:00:00 custom c1 name=go props={"plan":"pro","n":1,"deep":{"ü":[1,null]}}
		01T09:00:00 custom c2 name=go props={"plan":"1","n":"1"}
		01T09:00:00 page   c3 name=go props={"n":null,"it's":true}
		01T09:00:00 custom c4 name=$flag props={"q\"q":1.5}
		01T09:00:00 custom c5 name=go props={}
		01T09:00:00 view   p1 path=/ props={"n":1}`))
	wanted{why: "a text and a number with the same characters are one value", name: "custom_event_properties", rows: `
		{"name":"go","property_key":"n","property_value":"1","count":2}
		{"name":"$flag","property_key":"q\"q","property_value":"1.5","count":1}
		{"name":"go","property_key":"deep","property_value":"{\"ü\":[1,null]}","count":1}
		{"name":"go","property_key":"it's","property_value":"true","count":1}
		{"name":"go","property_key":"n","property_value":"null","count":1}
		{"name":"go","property_key":"plan","property_value":"1","count":1}
		{"name":"go","property_key":"plan","property_value":"pro","count":1}`}.check(t, d)
	for text, want := range map[string][]property{
		`{ "a" : [ 1, "x y" ], "b" : "\u00fc\n" }`: {{"a", `[1,"x y"]`}, {"b", "ü\n"}},
		`{"a":1.50,"a":-0,"b":[1E5,123456789012345678901]}`: {{"a", "1.50"}, {"a", "-0"},
			{"b", "[1E5,123456789012345678901]"}},
		`{"a":{"\u00fc":"\/\u2028\u001f\t","a":[{},[],null]}}`: {{"a", `{"ü":"/` + "\u2028" +
			`\u001F\t","a":[{},[],null]}`}},
		`{"a":1} x`: nil, `[1]`: nil, `"a"`: nil, "": nil, "{}": nil, `{"a":1`: nil,
	} {
		if diff := cmp.Diff(want, propertiesOf(text), cmp.AllowUnexported(property{})); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	for text, want := range map[string]string{"": "{}", "{}": "{}", `{ "a" : "<b> & c" }`: `{"a":"<b> & c"}`} {
		if got := compact(text); got != want {
			t.Errorf("%q: got %s", text, got)
		}
	}
}
