package storetest

import "github.com/sightline-analytics/sightline/query"

const days = `"startDate":"2026-03-10","endDate":"2026-03-11"`

// cases returns questions about the fixture. Their answers were computed by hand.
func cases() []testCase {
	var all []testCase
	for _, group := range [][]testCase{overviewCases(), pageCases(), sourceCases(), campaignCases(), goalCases(),
		listCases(), funnelCases(), otherCases()} {
		all = append(all, group...)
	}
	return all
}

func overviewCases() []testCase {
	return []testCase{
		{name: "summary by day", of: ofSite, request: `{"parameters":["summary"],` + days + `}`,
			rule: "Pageviews count at their own time, sessions at their start; names with $ do not count as activity; ratios without a divisor are null.",
			want: `{"date":"2026-03-10","pageviews":5,"visitors":2,"sessions":3,"bounce_rate":33.33,"median_session_duration":60,"pages_per_session":1.67,"total_events":7}
			       {"date":"2026-03-11","pageviews":1,"visitors":1,"sessions":0,"bounce_rate":null,"median_session_duration":null,"pages_per_session":null,"total_events":1}`},
		{name: "summary in another zone", of: ofSite,
			request: `{"parameters":["summary"],"startDate":"2026-03-11","endDate":"2026-03-11","timeZone":"Asia/Kathmandu"}`,
			rule:    "A day is a local day: midnight in Kathmandu is 18:15 in UTC, and the session of 23:59 belongs to the next day.",
			want:    `{"date":"2026-03-11","pageviews":2,"visitors":2,"sessions":1,"bounce_rate":0,"median_session_duration":120,"pages_per_session":2,"total_events":2}`},
		{name: "summary filtered by path", of: ofSite, request: `{"parameters":["summary_metrics"],` + days +
			`,"filters":[{"field":"path","op":"eq","value":"https://example.com/100%/?q=1"}]}`,
			rule: "A path may be given as an address; a session with such a pageview counts with all its pageviews, so it is not a bounce.",
			want: `{"pageviews":1,"visitors":1,"unique_visitors":1,"sessions":1,"bounce_rate":0,"median_session_duration":60,"pages_per_session":1,"total_events":1}`},
		{name: "summary filtered by a prefix with a wildcard character", of: ofSite,
			request: `{"parameters":["summary_metrics"],` + days +
				`,"filters":[{"field":"path","op":"starts_with","value":"/100%"}]}`,
			rule: "% and _ are not wildcards: /100x does not start with /100%.",
			want: `{"pageviews":1,"visitors":1,"unique_visitors":1,"sessions":1,"bounce_rate":0,"median_session_duration":60,"pages_per_session":1,"total_events":1}`},
		{name: "summary by device", of: ofSite, request: `{"parameters":["summary_metrics"],` + days +
			`,"groupBy":"device_type"}`,
			rule: "Rows of a session get the fields of its first page event; rows without a session use their own fields; a combination needs a pageview.",
			want: `{"device_type":"","pageviews":1,"visitors":0,"unique_visitors":0,"sessions":0,"bounce_rate":null,"median_session_duration":null,"pages_per_session":null,"total_events":1}
			       {"device_type":"desktop","pageviews":1,"visitors":1,"unique_visitors":1,"sessions":1,"bounce_rate":100,"median_session_duration":0,"pages_per_session":1,"total_events":1}
			       {"device_type":"mobile","pageviews":4,"visitors":2,"unique_visitors":2,"sessions":2,"bounce_rate":0,"median_session_duration":90,"pages_per_session":2,"total_events":6}`},
		{name: "summary for a key of one country", of: ofSite, request: `{"parameters":["summary_metrics"],` + days +
			`}`,
			filters: []query.Filter{{Field: "country", Op: query.Eq, Values: []string{"france"}}},
			rule:    "A key's filter on a session field removes whole sessions, and rows without a session by their own value.",
			want:    `{"pageviews":1,"visitors":1,"unique_visitors":1,"sessions":1,"bounce_rate":100,"median_session_duration":0,"pages_per_session":1,"total_events":1}`},
		{name: "summary for a key of one page", of: ofSite, request: `{"parameters":["summary_metrics"],` + days + `}`,
			filters: []query.Filter{{Field: "path", Op: query.NotIn, Values: []string{"/", "/b"}}},
			rule:    "A key's filter on a field of rows removes rows before sessions are built: s1 begins later, s3 becomes a bounce.",
			want:    `{"pageviews":3,"visitors":1,"unique_visitors":1,"sessions":2,"bounce_rate":50,"median_session_duration":15,"pages_per_session":1.5,"total_events":4}`},
	}
}

func pageCases() []testCase {
	return []testCase{
		{name: "pages", of: ofSite, request: `{"parameters":["pages"],` + days + `}`,
			rule: "Ordered by visitors, ties by path; shares are of all rows; averages use the pageviews that have the value.",
			want: `{"path":"/","name":"/","pageviews":2,"visitors":2,"percentage":40,"median_time_on_page":30,"avg_load_time":150}
			       {"path":"/100%","name":"/100%","pageviews":1,"visitors":1,"percentage":20,"median_time_on_page":null,"avg_load_time":201}
			       {"path":"/a","name":"/a","pageviews":1,"visitors":1,"percentage":20,"median_time_on_page":null,"avg_load_time":50}
			       {"path":"/b","name":"/b","pageviews":1,"visitors":1,"percentage":20,"median_time_on_page":null,"avg_load_time":50}
			       {"path":"/100x","name":"/100x","pageviews":1,"visitors":0,"percentage":0,"median_time_on_page":null,"avg_load_time":0}`},
		{name: "pages, second page of two", of: ofSite, request: `{"parameters":["pages"],` + days +
			`,"limit":2,"page":2}`,
			rule: "Pages do not overlap, and a limit does not change shares.",
			want: `{"path":"/a","name":"/a","pageviews":1,"visitors":1,"percentage":20,"median_time_on_page":null,"avg_load_time":50}
			       {"path":"/b","name":"/b","pageviews":1,"visitors":1,"percentage":20,"median_time_on_page":null,"avg_load_time":50}`},
		{name: "pages by time on page", of: ofSite, request: `{"parameters":["pages"],` + days +
			`,"sortBy":"median_time_on_page","sortOrder":"asc","limit":2}`,
			rule: "Nulls are last in both directions.",
			want: `{"path":"/","name":"/","pageviews":2,"visitors":2,"percentage":40,"median_time_on_page":30,"avg_load_time":150}
			       {"path":"/100%","name":"/100%","pageviews":1,"visitors":1,"percentage":20,"median_time_on_page":null,"avg_load_time":201}`},
		{name: "entry pages", of: ofSite,
			request: `{"parameters":["entry_pages"],"startDate":"2026-03-10","endDate":"2026-03-10"}`,
			rule:    "An entry page is the first pageview of a session that began in the range.",
			want: `{"path":"/","name":"/","sessions":2,"pageviews":2,"visitors":2,"percentage":66.67}
			       {"path":"/a","name":"/a","sessions":1,"pageviews":1,"visitors":1,"percentage":33.33}`},
		{name: "performance", of: ofSite, request: `{"parameters":["performance"],` + days +
			`,"limit":2,"sortBy":"samples"}`,
			rule: "A page is listed if it has pageviews or samples; CLS has four decimals.",
			want: `{"path":"/","name":"/","pageviews":2,"samples":3,"p75_lcp":1750,"p75_fcp":null,"p75_cls":0.1234,"p75_inp":null,"p75_ttfb":null,"avg_load_time":150,"avg_dom_ready_time":null,"avg_ttfb":null}
			       {"path":"/only-vitals","name":"/only-vitals","pageviews":0,"samples":1,"p75_lcp":null,"p75_fcp":null,"p75_cls":null,"p75_inp":40,"p75_ttfb":null,"avg_load_time":null,"avg_dom_ready_time":null,"avg_ttfb":null}`},
	}
}

func sourceCases() []testCase {
	return []testCase{
		{name: "traffic", of: ofSite, request: `{"parameters":["traffic"],` + days + `}`,
			rule: "The second pageview of a session has the session's referrer.",
			want: `{"name":"Direct","pageviews":4,"visitors":3,"percentage":75,"referrer":"direct","source":"direct","domain":"","referrer_type":"direct"}
			       {"name":"Google","pageviews":2,"visitors":1,"percentage":25,"referrer":"https://google.com","source":"google.com","domain":"google.com","referrer_type":"search"}`},
		{name: "traffic filtered by its own column", of: ofSite, request: `{"parameters":["traffic"],` + days +
			`,"filters":[{"field":"referrer","op":"eq","value":"www.google.de"}]}`,
			rule: "A filter uses the stored referrer, not the answer's column of the same name.",
			want: `{"name":"Google","pageviews":2,"visitors":1,"percentage":100,"referrer":"https://google.com","source":"google.com","domain":"google.com","referrer_type":"search"}`},
		{name: "countries", of: ofSite, request: `{"parameters":["countries"],` + days + `}`,
			rule: "Rows without a country are excluded, also from shares.",
			want: `{"name":"Germany","pageviews":4,"visitors":2,"percentage":66.67,"country_code":"DE","country_name":"Germany"}
			       {"name":"France","pageviews":1,"visitors":1,"percentage":33.33,"country_code":"FR","country_name":"France"}`},
		{name: "all browsers except one", of: ofSite, request: `{"parameters":["browser_name"],` + days +
			`,"filters":[{"field":"browser_name","op":"ne","value":"SAFARI"}]}`,
			rule: "Browser names match in any case.",
			want: `{"name":"Chrome","pageviews":1,"visitors":1,"percentage":100}`},
		{name: "devices", of: ofSite, request: `{"parameters":["device_types"],` + days + `}`,
			rule: "Devices are shown by name and keyed by id.",
			want: `{"name":"Mobile","pageviews":4,"visitors":2,"percentage":66.67,"device_type":"mobile"}
			       {"name":"Desktop","pageviews":1,"visitors":1,"percentage":33.33,"device_type":"desktop"}`},
	}
}

func listCases() []testCase {
	return []testCase{
		{name: "sessions", of: ofSite, request: `{"parameters":["sessions"],` + days + `,"limit":1,"page":2}`,
			rule: "The latest session first; its events have no $ names.",
			want: `{"session_id":"s2","first_visit":"2026-03-10T12:00:00.000Z","last_visit":"2026-03-10T12:00:00.000Z","duration":0,"page_views":1,"total_events":1,"bounced":true,` +
				`"entry_page":"/","exit_page":"/","visitor_id":"v2","profile_id":"","country":"France","country_code":"FR","country_name":"France","region":"Île-de-France","city":"Paris",` +
				`"referrer":"direct","source":"direct","referrer_type":"direct","referrer_name":"Direct","device_type":"desktop","browser_name":"Chrome","os_name":"Windows","language":""}`},
		{name: "custom events", of: ofSite, request: `{"parameters":["custom_events"],` + days + `}`,
			rule: "Names with $ are listed here; {} has no property.",
			want: `{"name":"$flag","total_events":1,"unique_users":1,"unique_sessions":1,"first_occurrence":"2026-03-10T12:00:05.000Z","last_occurrence":"2026-03-10T12:00:05.000Z","events_with_properties":0,"percentage":50}
			       {"name":"signup","total_events":1,"unique_users":1,"unique_sessions":1,"first_occurrence":"2026-03-10T10:01:00.000Z","last_occurrence":"2026-03-10T10:01:00.000Z","events_with_properties":1,"percentage":50}`},
		{name: "errors of phones", of: ofSite, request: `{"parameters":["errors"],` + days +
			`,"filters":[{"field":"device_type","op":"eq","value":"Mobile"}]}`,
			rule: "An error takes the fields of the session that follows within a day; the path is the latest one's.",
			want: `{"message":"it's broken","error_type":"Error","path":"/100%","count":2,"users":1,"sessions":1,"first_seen":"2026-03-10T09:00:00.000Z","last_seen":"2026-03-10T10:00:10.000Z","percentage":100}`},
	}
}

func otherCases() []testCase {
	return []testCase{
		{name: "clicks", of: ofLink, request: `{"parameters":["link_total_clicks"],` + days + `}`,
			rule: "A visit that is sent twice is one click.",
			want: `{"total":2}`},
		{name: "clicks by hour", of: ofLink,
			request: `{"parameters":["link_clicks_by_day"],"startDate":"2026-03-09","endDate":"2026-03-09","timeZone":"America/New_York","granularity":"hourly","sortBy":"clicks","limit":2}`,
			rule:    "Hours are local and labelled with the local time; the day ends where the next begins.",
			want: `{"date":"2026-03-09 20:00:00","clicks":1}
			       {"date":"2026-03-09 00:00:00","clicks":0}`},
		{name: "uptime", of: ofMonitor, request: `{"parameters":["uptime_overview"],` + days + `}`,
			rule: "Pending checks do not count; response times come from checks that are up; the certificate comes from the latest check with certificate data.",
			want: `{"uptime_percentage":66.67,"total_checks":3,"successful_checks":2,"avg_response_time":150.5,"p50_response_time":150.5,"p75_response_time":175.75,"p95_response_time":195.95,"p99_response_time":199.99,` +
				`"min_response_time":100,"max_response_time":201,"avg_ttfb":40,"ssl_expiry":"2026-03-20T00:00:00.000Z","ssl_valid":true}`},
		{name: "uptime by day", of: ofMonitor,
			request: `{"parameters":["uptime_time_series"],"startDate":"2026-03-10","endDate":"2026-03-12"}`,
			rule:    "Down lasts to the next check of any status, over midnight and from checks before the range; the certificate does not matter.",
			want: `{"date":"2026-03-10","uptime_percentage":66.67,"total_checks":3,"successful_checks":2,"downtime_seconds":43200,"avg_response_time":150.5,"p50_response_time":150.5,"p95_response_time":195.95,"max_response_time":201,"avg_ttfb":40,"p50_ttfb":40,"p95_ttfb":40}
			       {"date":"2026-03-11","uptime_percentage":null,"total_checks":0,"successful_checks":0,"downtime_seconds":21600,"avg_response_time":null,"p50_response_time":null,"p95_response_time":null,"max_response_time":null,"avg_ttfb":null,"p50_ttfb":null,"p95_ttfb":null}
			       {"date":"2026-03-12","uptime_percentage":null,"total_checks":0,"successful_checks":0,"downtime_seconds":0,"avg_response_time":null,"p50_response_time":null,"p95_response_time":null,"max_response_time":null,"avg_ttfb":null,"p50_ttfb":null,"p95_ttfb":null}`},
		{name: "uptime of one region", of: ofMonitor,
			request: `{"parameters":["uptime_time_series"],"startDate":"2026-03-11","endDate":"2026-03-12","filters":[{"field":"probe_region","op":"in","value":["us"]}]}`,
			rule:    "Checks of other regions are ignored: the last selected check is up.",
			want: `{"date":"2026-03-11","uptime_percentage":null,"total_checks":0,"successful_checks":0,"downtime_seconds":0,"avg_response_time":null,"p50_response_time":null,"p95_response_time":null,"max_response_time":null,"avg_ttfb":null,"p50_ttfb":null,"p95_ttfb":null}
			       {"date":"2026-03-12","uptime_percentage":null,"total_checks":0,"successful_checks":0,"downtime_seconds":0,"avg_response_time":null,"p50_response_time":null,"p95_response_time":null,"max_response_time":null,"avg_ttfb":null,"p50_ttfb":null,"p95_ttfb":null}`},
	}
}
