package reference

import "testing"

// shop is a small dataset. anna (S1) from Germany and Google reads two pages and signs up. ben (S2, S3) from
// France comes twice, the second time over midnight. p6 has neither session nor visitor. S4 and S5 have no
// pageview.
const shop = `
01T09:00:00 view   p1 s=S1 a=anna path=/ country=DE browser=Chrome device=desktop from=google.com load=1000
01T09:00:10 custom c0 s=S1 a=anna path=/ name=$flag
01T09:00:30 exit   x1 s=S1 a=anna path=/ time=30000
01T09:00:30 view   p2 s=S1 a=anna path=/docs browser=Firefox load=501
01T09:01:00 custom c1 s=S1 a=anna p=Anna path=/docs name=signup props={"a":1}
01T10:00:00 view   p3 s=S2 a=ben path=/docs country=FR browser=Safari device=mobile
01T12:00:00 view   p6 path=/
01T13:00:00 click  k1 s=S4 a=carl path=/docs
01T23:59:55 view   p4 s=S3 a=ben path=/ country=FR browser=Safari device=mobile
02T00:00:05 view   p5 s=S3 a=ben path=/pricing
02T00:00:06 exit   x2 s=S3 a=ben path=/pricing time=1000
02T08:00:00 page   g1 s=S5 a=dora path=/ name=signup props={}
01T09:00:00 view   p1 s=S1 a=anna path=/ country=DE on=other
`

func where(field, op string, values ...string) func(*Question) {
	return func(q *Question) { q.Filters = append(q.Filters, leaf(field, op, values...)) }
}

func leaf(field, op string, values ...string) Filter {
	return Filter{Field: field, Op: op, Values: values}
}

func keyed(filters ...Filter) func(*Question) {
	return func(q *Question) { q.Mandatory = filters }
}

func grouped(fields ...string) func(*Question) {
	return func(q *Question) { q.GroupBy = fields }
}

func TestSummary(t *testing.T) {
	d := NewData(read(t, shop))
	for _, w := range []wanted{
		{why: "by day", name: "summary", rows: `
			{"date":"2024-05-01","pageviews":5,"visitors":2,"sessions":3,"bounce_rate":33.33,"median_session_duration":11,"pages_per_session":1.67,"total_events":8}
			{"date":"2024-05-02","pageviews":1,"visitors":1,"sessions":0,"bounce_rate":null,"median_session_duration":null,"pages_per_session":null,"total_events":3}`},
		{why: "all in one", name: "summary_metrics", rows: `
			{"pageviews":6,"visitors":2,"unique_visitors":2,"sessions":3,"bounce_rate":33.33,"median_session_duration":11,"pages_per_session":2,"total_events":11}`},
		{why: "rows of a path, whole sessions with that path", name: "summary_metrics",
			ask: where("path", "eq", "https://shop.example/docs/"), rows: `
			{"pageviews":2,"visitors":2,"unique_visitors":2,"sessions":2,"bounce_rate":50,"median_session_duration":30,"pages_per_session":1,"total_events":4}`},
		{why: "a country is the session's", name: "summary_metrics", ask: where("country", "eq", "germany"), rows: `
			{"pageviews":2,"visitors":1,"unique_visitors":1,"sessions":1,"bounce_rate":0,"median_session_duration":60,"pages_per_session":2,"total_events":4}`},
		{why: "two per-row filters on one row", name: "summary_metrics", ask: func(q *Question) {
			where("path", "ne", "/")(q)
			where("path", "ne", "/docs")(q)
		}, rows: `
			{"pageviews":1,"visitors":1,"unique_visitors":1,"sessions":1,"bounce_rate":0,"median_session_duration":11,"pages_per_session":1,"total_events":2}`},
		{why: "by country", name: "summary_metrics", ask: grouped("country"), rows: `
			{"country":"","pageviews":1,"visitors":0,"unique_visitors":0,"sessions":0,"bounce_rate":null,"median_session_duration":null,"pages_per_session":null,"total_events":3}
			{"country":"DE","pageviews":2,"visitors":1,"unique_visitors":1,"sessions":1,"bounce_rate":0,"median_session_duration":60,"pages_per_session":2,"total_events":4}
			{"country":"FR","pageviews":3,"visitors":1,"unique_visitors":1,"sessions":2,"bounce_rate":50,"median_session_duration":5.5,"pages_per_session":1.5,"total_events":4}`},
		{why: "a combination needs a pageview in the range", name: "summary_metrics", ask: func(q *Question) {
			grouped("referrer", "country")(q)
			q.StartDate = "2024-05-02"
		}, rows: `
			{"referrer":"direct","country":"FR","pageviews":1,"visitors":1,"unique_visitors":1,"sessions":0,"bounce_rate":null,"median_session_duration":null,"pages_per_session":null,"total_events":2}`},
		{why: "each combination is filled", name: "summary", ask: func(q *Question) {
			grouped("device_type")(q)
			where("device_type", "ne", "")(q)
		}, rows: `
			{"device_type":"desktop","date":"2024-05-01","pageviews":2,"visitors":1,"sessions":1,"bounce_rate":0,"median_session_duration":60,"pages_per_session":2,"total_events":4}
			{"device_type":"mobile","date":"2024-05-01","pageviews":2,"visitors":1,"sessions":2,"bounce_rate":50,"median_session_duration":5.5,"pages_per_session":1,"total_events":2}
			{"device_type":"desktop","date":"2024-05-02","pageviews":0,"visitors":0,"sessions":0,"bounce_rate":null,"median_session_duration":null,"pages_per_session":null,"total_events":0}
			{"device_type":"mobile","date":"2024-05-02","pageviews":1,"visitors":1,"sessions":0,"bounce_rate":null,"median_session_duration":null,"pages_per_session":null,"total_events":2}`},
		{why: "local hours: 23:00 to 01:00 UTC is 2 May, hours 01 and 02 in Berlin", name: "summary",
			ask: func(q *Question) {
				q.Zone, q.Grain, q.StartDate, q.Limit, q.Page = "Europe/Berlin", "hourly", "2024-05-02", 2, 2
				q.SortBy, q.SortOrder = "date", "asc"
			}, rows: `
			{"date":"2024-05-02 02:00:00","pageviews":1,"visitors":1,"sessions":0,"bounce_rate":null,"median_session_duration":null,"pages_per_session":null,"total_events":2}
			{"date":"2024-05-02 03:00:00","pageviews":0,"visitors":0,"sessions":0,"bounce_rate":null,"median_session_duration":null,"pages_per_session":null,"total_events":0}`},
		{why: "no rows, but a total", name: "summary_metrics", ask: where("path", "eq", "/nowhere"), rows: `
			{"pageviews":0,"visitors":0,"unique_visitors":0,"sessions":0,"bounce_rate":null,"median_session_duration":null,"pages_per_session":null,"total_events":0}`},
		{why: "no rows, so no combination", name: "summary_metrics", ask: func(q *Question) {
			where("path", "eq", "/nowhere")(q)
			grouped("country")(q)
		}},
	} {
		w.check(t, d)
	}
}

func TestMandatoryFilters(t *testing.T) {
	d := NewData(read(t, shop))
	path, de := leaf("path", "eq", "/docs"), leaf("country", "eq", "DE")
	for _, w := range []wanted{
		{why: "sessions are built from the remaining rows", name: "summary_metrics", ask: keyed(path), rows: `
			{"pageviews":2,"visitors":2,"unique_visitors":2,"sessions":2,"bounce_rate":50,"median_session_duration":15,"pages_per_session":1,"total_events":4}`},
		{why: "sessions take their fields from the remaining rows", name: "countries", ask: keyed(path), rows: `
			{"name":"France","pageviews":1,"visitors":1,"percentage":100,"country_code":"FR","country_name":"France"}`},
		{why: "whole sessions are removed", name: "summary_metrics", ask: keyed(leaf("country", "in", "FR", "IT")),
			rows: `
			{"pageviews":3,"visitors":1,"unique_visitors":1,"sessions":2,"bounce_rate":50,"median_session_duration":5.5,"pages_per_session":1.5,"total_events":4}`},
		{why: "the country comes from the whole session, the rows from the path", name: "summary_metrics",
			ask: keyed(path, de), rows: `
			{"pageviews":1,"visitors":1,"unique_visitors":1,"sessions":1,"bounce_rate":0,"median_session_duration":30,"pages_per_session":1,"total_events":2}`},
		{why: "the caller's filters apply afterwards", name: "summary_metrics", ask: func(q *Question) {
			keyed(path)(q)
			where("browser_name", "eq", "Firefox")(q)
		}, rows: `
			{"pageviews":1,"visitors":1,"unique_visitors":1,"sessions":1,"bounce_rate":0,"median_session_duration":30,"pages_per_session":1,"total_events":2}`},
	} {
		w.check(t, d)
	}
	odd := NewData(read(t, `
		01T00:00:00 view p1 s=a a=anna country=DE
		01T20:00:00 view p2 s=a a=anna country=DE
		02T10:00:00 view p3 s=a a=anna country=FR`))
	wanted{why: "a row outside sessions starts a session if the earlier one is removed", name: "summary_metrics",
		ask: keyed(leaf("country", "ne", "DE")), rows: `
		{"pageviews":1,"visitors":1,"unique_visitors":1,"sessions":1,"bounce_rate":100,"median_session_duration":0,"pages_per_session":1,"total_events":1}`}.check(t, odd)
}

func TestBreakdowns(t *testing.T) {
	d := NewData(read(t, shop))
	for _, w := range []wanted{
		{why: "an exit of 1 s does not count", name: "pages", rows: `
			{"path":"/","name":"/","pageviews":3,"visitors":2,"percentage":40,"median_time_on_page":30,"avg_load_time":1000}
			{"path":"/docs","name":"/docs","pageviews":2,"visitors":2,"percentage":40,"median_time_on_page":null,"avg_load_time":501}
			{"path":"/pricing","name":"/pricing","pageviews":1,"visitors":1,"percentage":20,"median_time_on_page":null,"avg_load_time":null}`},
		{why: "null is also last in ascending order", name: "pages", ask: func(q *Question) {
			q.SortBy, q.SortOrder, q.Limit, q.Page = "avg_load_time", "asc", 1, 3
		}, rows: `
			{"path":"/pricing","name":"/pricing","pageviews":1,"visitors":1,"percentage":20,"median_time_on_page":null,"avg_load_time":null}`},
		{why: "shares use all rows, not only the page", name: "pages", ask: func(q *Question) {
			q.SortBy, q.Limit = "path", 1
		}, rows: `
			{"path":"/","name":"/","pageviews":3,"visitors":2,"percentage":40,"median_time_on_page":30,"avg_load_time":1000}`},
		{why: "no known visitors: no share", name: "pages", ask: where("session_id", "eq", ""), rows: `
			{"path":"/","name":"/","pageviews":1,"visitors":0,"percentage":null,"median_time_on_page":null,"avg_load_time":null}`},
		{why: "sessions by their first page", name: "entry_pages", rows: `
			{"path":"/","name":"/","sessions":2,"pageviews":2,"visitors":2,"percentage":66.67}
			{"path":"/docs","name":"/docs","sessions":1,"pageviews":1,"visitors":1,"percentage":33.33}`},
		{why: "a filter on the path matches any pageview of the session", name: "entry_pages",
			ask: where("path", "eq", "/pricing"), rows: `
			{"path":"/","name":"/","sessions":1,"pageviews":1,"visitors":1,"percentage":100}`},
		{why: "direct has a name, ties are ordered by name", name: "traffic", rows: `
			{"name":"Direct","pageviews":4,"visitors":1,"percentage":50,"referrer":"direct","source":"direct","domain":"","referrer_type":"direct"}
			{"name":"Google","pageviews":2,"visitors":1,"percentage":50,"referrer":"https://google.com","source":"google.com","domain":"google.com","referrer_type":"search"}`},
		{why: "rows without a country are excluded", name: "countries", rows: `
			{"name":"Germany","pageviews":2,"visitors":1,"percentage":50,"country_code":"DE","country_name":"Germany"}
			{"name":"France","pageviews":3,"visitors":1,"percentage":50,"country_code":"FR","country_name":"France"}`},
		{why: "the browser of the session", name: "browser_name", rows: `
			{"name":"Chrome","pageviews":2,"visitors":1,"percentage":50}
			{"name":"Safari","pageviews":3,"visitors":1,"percentage":50}`},
		{why: "by path", name: "device_types", ask: grouped("path"), rows: `
			{"path":"/","name":"Desktop","pageviews":1,"visitors":1,"percentage":20,"device_type":"desktop"}
			{"path":"/","name":"Mobile","pageviews":1,"visitors":1,"percentage":20,"device_type":"mobile"}
			{"path":"/docs","name":"Desktop","pageviews":1,"visitors":1,"percentage":20,"device_type":"desktop"}
			{"path":"/docs","name":"Mobile","pageviews":1,"visitors":1,"percentage":20,"device_type":"mobile"}
			{"path":"/pricing","name":"Mobile","pageviews":1,"visitors":1,"percentage":20,"device_type":"mobile"}`},
	} {
		w.check(t, d)
	}
}

func TestLists(t *testing.T) {
	d := NewData(read(t, shop))
	for _, w := range []wanted{
		{why: "latest first", name: "sessions", ask: where("country", "eq", "FR"), rows: `
			{"session_id":"S3","first_visit":"2024-05-01T23:59:55.000Z","last_visit":"2024-05-02T00:00:06.000Z","duration":11,"page_views":2,"total_events":3,"bounced":false,"entry_page":"/","exit_page":"/pricing","visitor_id":"ben","profile_id":"","country":"France","country_code":"FR","country_name":"France","region":"","city":"","referrer":"direct","source":"direct","referrer_type":"direct","referrer_name":"Direct","device_type":"mobile","browser_name":"Safari","os_name":"","language":""}
			{"session_id":"S2","first_visit":"2024-05-01T10:00:00.000Z","last_visit":"2024-05-01T10:00:00.000Z","duration":0,"page_views":1,"total_events":1,"bounced":true,"entry_page":"/docs","exit_page":"/docs","visitor_id":"ben","profile_id":"","country":"France","country_code":"FR","country_name":"France","region":"","city":"","referrer":"direct","source":"direct","referrer_type":"direct","referrer_name":"Direct","device_type":"mobile","browser_name":"Safari","os_name":"","language":""}`},
		{why: "a session that began the day before is not listed", name: "sessions",
			ask: func(q *Question) { q.StartDate = "2024-05-02" }},
		{why: "$ names are listed; {} has no property", name: "custom_events", rows: `
			{"name":"signup","total_events":2,"unique_users":2,"unique_sessions":2,"first_occurrence":"2024-05-01T09:01:00.000Z","last_occurrence":"2024-05-02T08:00:00.000Z","events_with_properties":1,"percentage":66.67}
			{"name":"$flag","total_events":1,"unique_users":1,"unique_sessions":1,"first_occurrence":"2024-05-01T09:00:10.000Z","last_occurrence":"2024-05-01T09:00:10.000Z","events_with_properties":0,"percentage":33.33}`},
		{why: "with the browser of their session", name: "custom_events", ask: func(q *Question) {
			grouped("browser_name")(q)
			where("event_name", "starts_with", "sign")(q)
		}, rows: `
			{"browser_name":"","name":"signup","total_events":1,"unique_users":1,"unique_sessions":1,"first_occurrence":"2024-05-02T08:00:00.000Z","last_occurrence":"2024-05-02T08:00:00.000Z","events_with_properties":0,"percentage":50}
			{"browser_name":"Chrome","name":"signup","total_events":1,"unique_users":1,"unique_sessions":1,"first_occurrence":"2024-05-01T09:01:00.000Z","last_occurrence":"2024-05-01T09:01:00.000Z","events_with_properties":1,"percentage":50}`},
	} {
		w.check(t, d)
	}
}
