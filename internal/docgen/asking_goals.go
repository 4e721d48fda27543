package docgen

// goalExamples are the sections about goals.
func goalExamples() []askingExample {
	return []askingExample{
		{
			title: "Count who reached goals",
			about: "A goal is an `event` (the name of a custom event), a `page` (the path of a pageview) or a `click` (the address of a link). Each is a text, or " +
				"`{\"op\": …, \"value\": …}` with an operator for texts. `filters` of a goal are on fields of the event itself, such as `path` and `property:KEY`. " +
				"`value` names a property whose numbers are added up:",
			parameter: `{"name": "goals", "goals": [
  {"name": "Signup", "event": "signup_completed"},
  {"name": "Docs", "page": {"op": "starts_with", "value": "/docs"}},
  {"name": "Paid", "event": "order_paid", "value": "total"},
  {"name": "Paid pro", "event": "order_paid", "filters": [{"field": "property:plan", "op": "eq", "value": "pro"}], "value": "total"}]}`,
			more: "`conversions` are the events in the range that a goal means, and `visitors` their distinct visitors. `conversion_rate` compares them with all visitors of the range. " +
				"A parameter has 1 to 20 goals with different names, and counts as five parameters in the limit of its key. " +
				"`filters` of the parameter are on fields of sessions, such as `country`, or on what else people did. They restrict the conversions and all visitors. " +
				"The server rejects other fields there, and advises to put them into the goal.",
		},
		{
			title: "Compare goals by source, country or property",
			about: "With `groupBy` there is a row for each goal and each combination with a conversion. A combination of fields of sessions has its own rate. " +
				"With `event_name` or `property:KEY`, the rate compares with all visitors:",
			parameter: `{"name": "goals", "goals": [{"name": "Signup", "event": "signup_completed"}], "groupBy": ["country"], "limit": 3}`,
		},
		{
			title: "Draw a chart of goals",
			about: "`goals_trends` has a row for each bucket and each goal, also where nobody reached it:",
			parameter: `{"name": "goals_trends", "goals": [{"name": "Signup", "event": "signup_completed"}, {"name": "Paid", "event": "order_paid", "value": "total"}],
 "start_date": "2026-03-12", "end_date": "2026-03-13"}`,
		},
	}
}
