package storetest

// funnelCases are questions about the chains of events of visitors and sessions.
func funnelCases() []testCase {
	steps := func(list, more string) string {
		return `{"parameters":[{"name":"funnel","steps":[` + list + `]` + more + `}],` + days
	}
	const home, pricing, signup = `{"page":"/"}`, `{"page":{"op":"starts_with","value":"/100%"}}`,
		`{"name":"Signed up","event":"signup"}`
	const all = home + "," + pricing + "," + signup
	return []testCase{
		{name: "funnel", of: ofSite, request: steps(all, "") + "}",
			rule: "A step that is not named has the name of what it matches; rates compare with the first step and with the step before.",
			want: `{"step":1,"name":"/","visitors":2,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			       {"step":2,"name":"starts_with /100%","visitors":1,"conversion_rate":50,"step_rate":50,"dropoff":1,"median_seconds":30}
			       {"step":3,"name":"Signed up","visitors":1,"conversion_rate":50,"step_rate":100,"dropoff":0,"median_seconds":60}`},
		{name: "funnel within a minute", of: ofSite, request: steps(all, `,"window":"1m"`) + "}",
			rule: "The last event may be exactly as long after the first as the window.",
			want: `{"step":1,"name":"/","visitors":2,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			       {"step":2,"name":"starts_with /100%","visitors":1,"conversion_rate":50,"step_rate":50,"dropoff":1,"median_seconds":30}
			       {"step":3,"name":"Signed up","visitors":1,"conversion_rate":50,"step_rate":100,"dropoff":0,"median_seconds":60}`},
		{name: "funnel within sessions", of: ofSite, request: steps(signup+`,{"page":"/a"}`, `,"within":"session"`) +
			"}",
			rule: "The events of a chain lie in one session; the visitor saw /a in a later session.",
			want: `{"step":1,"name":"Signed up","sessions":1,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			       {"step":2,"name":"/a","sessions":0,"conversion_rate":0,"step_rate":0,"dropoff":1,"median_seconds":null}`},
		{name: "funnel of one page twice", of: ofSite, request: steps(home+","+home, "") + "}",
			rule: "An event serves one step of a chain.",
			want: `{"step":1,"name":"/","visitors":2,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			       {"step":2,"name":"/","visitors":0,"conversion_rate":0,"step_rate":0,"dropoff":2,"median_seconds":null}`},
		{name: "funnel that nobody enters", of: ofSite, request: steps(`{"event":"no"},`+home, "") + "}",
			rule: "Without anybody in the first step there are no rates but the step rate of the first step.",
			want: `{"step":1,"name":"no","visitors":0,"conversion_rate":null,"step_rate":100,"dropoff":0,"median_seconds":null}
			       {"step":2,"name":"/","visitors":0,"conversion_rate":null,"step_rate":null,"dropoff":0,"median_seconds":null}`},
		{name: "funnel in any order", of: ofSite, request: steps(signup+","+home+","+pricing, `,"order":"any","window":"1m"`) + "}",
			rule: "A row counts who did as many different steps within the window, whichever came first.",
			want: `{"step":1,"name":"1 of 3","visitors":2,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			       {"step":2,"name":"2 of 3","visitors":1,"conversion_rate":50,"step_rate":50,"dropoff":1,"median_seconds":30}
			       {"step":3,"name":"3 of 3","visitors":1,"conversion_rate":50,"step_rate":100,"dropoff":0,"median_seconds":60}`},
		{name: "funnel with an excluded event", of: ofSite, request: steps(home+","+signup,
			`,"exclude":[{"page":{"op":"starts_with","value":"/100%"},"after":1,"before":2}]`) + "}",
			rule: "A chain with an excluded event between two steps does not count; the rows before do.",
			want: `{"step":1,"name":"/","visitors":2,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			       {"step":2,"name":"Signed up","visitors":0,"conversion_rate":0,"step_rate":0,"dropoff":2,"median_seconds":null}`},
		{name: "funnel by country, the second value", of: ofSite, request: steps(home+","+signup, "") +
			`,"groupBy":"country","limit":1,"page":2,"sortOrder":"asc"}`,
			rule: "A limit counts values, and all steps of a value are shown; at equal numbers of visitors values are ascending.",
			want: `{"country":"FR","step":1,"name":"/","visitors":1,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			       {"country":"FR","step":2,"name":"Signed up","visitors":0,"conversion_rate":0,"step_rate":0,"dropoff":1,"median_seconds":null}`},
	}
}
