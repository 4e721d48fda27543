package storetest

import "github.com/sightline-analytics/sightline/query"

func goalCases() []testCase {
	const signup, home = `{"name":"Signup","event":"signup","value":"plan"}`, `{"name":"Home","page":"/"}`
	return []testCase{
		{name: "goals", of: ofSite, request: `{"parameters":[{"name":"goals","goals":[` + signup + `,` + home +
			`,{"name":"Hidden","event":{"op":"starts_with","value":"$"}}]}],` + days + `}`,
			rule: "All visitors are those of page events, custom events and clicks; a text that is no number adds nothing; events whose names begin with $ are never meant.",
			want: `{"name":"Signup","visitors":1,"conversions":1,"conversion_rate":33.33,"value":0,"avg_value":null}
			       {"name":"Home","visitors":2,"conversions":2,"conversion_rate":66.67,"value":null,"avg_value":null}
			       {"name":"Hidden","visitors":0,"conversions":0,"conversion_rate":0,"value":null,"avg_value":null}`},
		{name: "goals of a key that sees one page", of: ofSite,
			filters: []query.Filter{{Field: "path", Op: query.Eq, Values: []string{"/"}}},
			request: `{"parameters":[{"name":"goals","goals":[` + signup + `,` + home + `]}],` + days + `}`,
			rule:    "A key's filter on a field of rows removes events, from the goals and from all visitors.",
			want: `{"name":"Signup","visitors":0,"conversions":0,"conversion_rate":0,"value":0,"avg_value":null}
			       {"name":"Home","visitors":2,"conversions":2,"conversion_rate":100,"value":null,"avg_value":null}`},
		{name: "goals by the names of events", of: ofSite,
			request: `{"parameters":[{"name":"goals","groupBy":["event_name"],"goals":[` + signup +
				`,{"name":"Pages","page":{"op":"starts_with","value":"/"}}]}],` + days + `}`,
			rule: "A row is a goal with a combination that has a conversion; with fields of rows it is compared with all visitors.",
			want: `{"event_name":"signup","name":"Signup","visitors":1,"conversions":1,"conversion_rate":33.33,"value":0,"avg_value":null}
			       {"event_name":"screen_view","name":"Pages","visitors":3,"conversions":6,"conversion_rate":100,"value":null,"avg_value":null}`},
		{name: "goals by country", of: ofSite,
			request: `{"parameters":[{"name":"goals","groupBy":["country"],"goals":[` + home + `]}],` + days + `}`,
			rule:    "A combination of fields of sessions is compared with its own visitors.",
			want: `{"country":"DE","name":"Home","visitors":1,"conversions":1,"conversion_rate":50,"value":null,"avg_value":null}
			       {"country":"FR","name":"Home","visitors":1,"conversions":1,"conversion_rate":100,"value":null,"avg_value":null}`},
		{name: "goals by day", of: ofSite, request: `{"parameters":[{"name":"goals_trends","goals":[` + signup + `,` +
			home + `]}],` + days + `}`,
			rule: "Rows are ordered by date, then as the goals; the value of a goal that has one is 0 where it was not reached.",
			want: `{"date":"2026-03-10","name":"Signup","visitors":1,"conversions":1,"value":0}
			       {"date":"2026-03-10","name":"Home","visitors":2,"conversions":2,"value":null}
			       {"date":"2026-03-11","name":"Signup","visitors":0,"conversions":0,"value":0}
			       {"date":"2026-03-11","name":"Home","visitors":0,"conversions":0,"value":null}`},
	}
}
