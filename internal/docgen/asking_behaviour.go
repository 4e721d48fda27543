package docgen

// filterExamples are the sections about filters.
func filterExamples() []askingExample {
	return []askingExample{
		{
			title: "Combine filters",
			about: "A filter is a condition, or a group: `{\"or\": […]}`, `{\"and\": […]}` or `{\"not\": …}`, nested at most five deep. All filters of a list must hold. " +
				"`matches` takes a regular expression in the syntax of Go (RE2), found anywhere in the text; `(?i)` ignores case. A field `property:KEY` is a property of the event:",
			parameter: `{"name": "top_pages", "limit": 3, "filters": [
  {"or": [{"field": "path", "op": "matches", "value": "^/(docs|blog)/"}, {"field": "path", "op": "eq", "value": "/pricing"}]},
  {"not": {"field": "country", "op": "in", "value": ["DE", "AT", "CH"]}}]}`,
			more: "Properties also have `gt`, `gte`, `lt` and `lte`, which compare numbers and are false for an event without a number, and `exists` and `not_exists`, which take no `value`. " +
				"Keys and panel tokens take groups, too. A group of a key may not mix fields of sessions, such as `country`, with fields of rows, such as `path`.",
		},
		{
			title: "Filter by what else people did",
			about: "`did` holds for the rows of sessions that have a certain event: an `event`, a `page` or a `click`, with `filters` on the event itself. " +
				"With `\"in\": \"range\"` it holds for the rows of visitors that have one anywhere in the range. `{\"not\": {\"did\": …}}` asks for the others:",
			parameter: `{"name": "summary_metrics", "filters": [{"did": {"page": "/pricing"}}, {"not": {"did": {"event": "signup_completed", "in": "range"}}}]}`,
		},
	}
}

// behaviourExamples are the sections about funnels, retention and paths.
func behaviourExamples() []askingExample {
	return []askingExample{
		{
			title:     "Follow people through a funnel",
			about:     "A funnel has 2 to 10 `steps`, each like a goal. A visitor reaches a step when they did it after all steps before it, with anything in between:",
			parameter: `{"name": "funnel", "steps": [{"page": "/"}, {"page": "/pricing"}, {"name": "Sign-up page", "page": "/signup"}], "window": "7d"}`,
			more: "`window` (`1m` to `90d`) bounds the time from the first step to the last. With `\"within\": \"session\"` all steps must be in one session, and the rows count " +
				"sessions. `conversion_rate` is the share of the first step, and `step_rate` the share of the step before. `groupBy` a field of sessions gives a funnel for each value; " +
				"`limit` counts values.\n\n" +
				"`\"exclude\": [{\"event\": \"cancelled\", \"after\": 1, \"before\": 2}]` leaves out chains with such an event between these two steps; a funnel may have five. " +
				"With `\"order\": \"any\"` the steps may be done in any order: row 2 of 3, called `2 of 3`, counts who did two different steps within the window.",
		},
		{
			title: "See who comes back",
			about: "`retention` puts each visitor into the cohort of their first `start` event in the range, and tells how many have a `return` event in the same `granularity` " +
				"(weekly by default) and in each one after it. Both mean any pageview or custom event unless they are given:",
			parameter: `{"name": "retention", "start_date": "2026-02-23", "end_date": "2026-03-15", "weekStart": "monday"}`,
			more: "Ids of visitors change each day, unless events carry a `profileId` or the website opted out of daily ids. Without that, nobody seems to return. " +
				"`meta.identity` is `daily` when most ids of the range change each day.\n\n" +
				"With `\"rolling\": true` a visitor counts in a period if they return in it or in any later one of the range. So the numbers of a cohort never grow, and " +
				"the latest periods have low numbers because few periods follow.",
		},
		{
			title: "Follow the paths through a website",
			about: "`paths` counts steps from one page to the next within sessions. An empty `from_path` is an entry, an empty `to_path` an exit. " +
				"`from` and `to` keep the steps from or to one path:",
			parameter: `{"name": "paths", "from": "/pricing", "limit": 4}`,
			more:      "`percentage` is the share of all steps from the same path.",
		},
	}
}
