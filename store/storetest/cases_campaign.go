package storetest

// campaignCases returns questions about the sources of sessions that began with a campaign.
func campaignCases() []testCase {
	where := func(op, value string) string {
		return days + `,"filters":[{"field":"referrer","op":"` + op + `","value":"` + value + `"}]`
	}
	session := func(id, minute, referrer, source, kind, name string) string {
		seen := `"2026-03-10T10:0` + minute + `:00.000Z"`
		return `{"session_id":"s-` + id + `","first_visit":` + seen + `,"last_visit":` + seen +
			`,"duration":0,"page_views":1,"total_events":1,"bounced":true,` +
			`"entry_page":"/","exit_page":"/","visitor_id":"v-` + id +
			`","profile_id":"","country":"","country_code":"","country_name":"","region":"","city":"",` +
			`"referrer":"` + referrer + `","source":"` + source + `","referrer_type":"` + kind + `","referrer_name":"` +
			name + `","device_type":"","browser_name":"","os_name":"","language":""}`
	}
	return []testCase{
		{name: "traffic of campaigns", of: ofBlog, request: `{"parameters":["traffic"],` + days + `}`,
			rule: "A campaign source is a source; a text with two kinds has two rows; a referral from a listed source has its own row.",
			want: `{"name":"newsletter","pageviews":2,"visitors":2,"percentage":25,"referrer":"newsletter","source":"newsletter","domain":"","referrer_type":"email"}
			       {"name":"ChatGPT","pageviews":1,"visitors":1,"percentage":12.5,"referrer":"https://chatgpt.com","source":"ChatGPT","domain":"chatgpt.com","referrer_type":"ai"}
			       {"name":"ChatGPT","pageviews":1,"visitors":1,"percentage":12.5,"referrer":"https://chatgpt.com","source":"chatgpt.com","domain":"chatgpt.com","referrer_type":"ai"}
			       {"name":"Direct","pageviews":1,"visitors":1,"percentage":12.5,"referrer":"direct","source":"direct","domain":"","referrer_type":"direct"}
			       {"name":"Google","pageviews":1,"visitors":1,"percentage":12.5,"referrer":"https://google.com","source":"Google","domain":"google.com","referrer_type":"paid"}
			       {"name":"Product Hunt","pageviews":1,"visitors":1,"percentage":12.5,"referrer":"https://producthunt.com","source":"Product Hunt","domain":"producthunt.com","referrer_type":"social"}
			       {"name":"newsletter","pageviews":1,"visitors":1,"percentage":12.5,"referrer":"newsletter","source":"newsletter","domain":"","referrer_type":"other"}`},
		{name: "referrers without campaigns", of: ofBlog, request: `{"parameters":["top_referrers"],` + days + `}`,
			rule: "Referrers and their shares exclude campaign sources.",
			want: `{"name":"ChatGPT","pageviews":1,"visitors":1,"percentage":100,"referrer":"https://chatgpt.com","source":"chatgpt.com","domain":"chatgpt.com","referrer_type":"ai"}`},
		{name: "UTM sources with campaigns", of: ofBlog, request: `{"parameters":["utm_sources"],` + days + `}`,
			rule: "The UTM types show what was sent, and only that.",
			want: `{"name":"newsletter","pageviews":2,"visitors":2,"percentage":50}
			       {"name":"chatgpt.com","pageviews":1,"visitors":1,"percentage":25}
			       {"name":"google","pageviews":1,"visitors":1,"percentage":25}`},
		{name: "direct traffic without campaigns", of: ofBlog, request: `{"parameters":["traffic"],` +
			where("eq", "direct") + `}`,
			rule: "Direct means neither a referrer nor a campaign source.",
			want: `{"name":"Direct","pageviews":1,"visitors":1,"percentage":100,"referrer":"direct","source":"direct","domain":"","referrer_type":"direct"}`},
		{name: "campaigns by the name of a source", of: ofBlog, request: `{"parameters":["sessions"],` +
			where("eq", "ChatGPT") + `}`,
			rule: "A name finds campaigns and referrals of a source; sessions show their sources as traffic does.",
			want: session("b", "1", "https://chatgpt.com", "chatgpt.com", "ai", "ChatGPT") + "\n" +
				session("a", "0", "https://chatgpt.com", "ChatGPT", "ai", "ChatGPT")},
		{name: "campaigns by their text", of: ofBlog, request: `{"parameters":["sessions"],` +
			where("eq", "Newsletter") + `,"limit":1}`,
			rule: "A campaign is found by its text, in upper or lower case.",
			want: session("f", "5", "newsletter", "newsletter", "other", "newsletter")},
		{name: "profiles of campaigns", of: ofBlog, request: `{"parameters":["profiles"],` + where("contains", "GOOG") +
			`}`,
			rule: "Profiles show the source of a session as traffic does.",
			want: `{"visitor_id":"v-g","profile_id":"","display_name":"","first_visit":"2026-03-10T10:06:00.000Z","last_visit":"2026-03-10T10:06:00.000Z","session_count":1,"total_events":1,"pageviews":1,"unique_pages":1,"custom_event_count":0,` +
				`"country":"","country_code":"","country_name":"","region":"","device_type":"","browser_name":"","os_name":"","referrer":"https://google.com"}`},
		{name: "durations by source", of: ofBlog, request: `{"parameters":["session_duration_distribution"],` + days +
			`,"filters":[{"field":"referrer","op":"in","value":["chatgpt.com","newsletter"]}]` +
			`,"groupBy":"referrer","limit":1}`,
			rule: "Groups are domains or texts, regardless of their kind.",
			want: `{"referrer":"chatgpt.com","duration_range":"0-30s","sessions":2,"visitors":2,"percentage":40}`},
	}
}
