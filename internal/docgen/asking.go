package docgen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// An askingExample is a section of the page about questions: what can be asked, a parameter that asks it, and its real
// answer.
type askingExample struct {
	title string
	about string // Markdown
	// parameter is JSON, in lines as the page shows it.
	parameter string
	more      string // Markdown, after the answer
}

// askingExamples returns the sections in the order of the page.
func askingExamples() []askingExample {
	return slices.Concat(choiceExamples(), timeExamples(), filterExamples(), goalExamples(), behaviourExamples(),
		[]askingExample{whyExample()})
}

func timeExamples() []askingExample {
	return []askingExample{
		{
			title: "Ask to the minute",
			about: "`start_date` and `end_date` (`startDate` and `endDate` of a request) take a day or a time to the minute: `2026-03-12T10:00` in the time zone of the request, or " +
				"an instant with its offset, `2026-03-12T10:00+01:00`. A time as end is exclusive. The `granularity` `minute` is for ranges of at most 6 hours. The `date` of a " +
				"minute is the local time with its offset, which is also a valid start:",
			parameter: `{"name": "summary", "granularity": "minute", "start_date": "2026-03-12T10:00", "end_date": "2026-03-12T10:03"}`,
			more: "The presets `last_30m` and `last_60m` are minutes, and `last_24h` is hours, up to now. `\"complete\": true` lets `last_7d`, `last_14d`, `last_28d`, `last_30d`, " +
				"`last_90d`, `last_180d` and `last_365d` end yesterday, with as many whole days.",
		},
		{
			title: "See what grew and what vanished",
			about: "With `compare`, `\"sortBy\": \"difference\"` orders the rows of both periods by how much more the first metric is than in the other period, or less with " +
				"`\"sortOrder\": \"asc\"`. So rows that vanished are in the answer: their counts are 0, and `previous` has what they were:",
			parameter: `{"name": "top_pages", "compare": "previous_period", "sortBy": "difference", "sortOrder": "asc", "limit": 3}`,
			more: "The metric of a query type is the count or sum that its rows are ordered by. For a choice it is the first metric. " +
				"[query-types.md](query-types.md) says which types can be ordered so.",
		},
	}
}

// whyExample is the section about the query type why.
func whyExample() askingExample {
	return askingExample{
		title: "Why a number changed",
		about: "`why` compares a metric between two periods, and names the values that changed most surely. `metric` is `visitors`, `sessions`, `pageviews`, or the visitors " +
			"of a goal, `{\"goal\": {\"event\": \"signup\"}}`. `compare` is required. `by` are up to 10 dimensions; without it `why` looks at the usual ones:",
		parameter: `{"name": "why", "metric": "visitors", "compare": {"startDate": "2026-03-01", "endDate": "2026-03-07"}, "minWeight": 1, "limit": 4}`,
		more: "- `expected` is what `current` would be if the share of the value had not changed. `weight` says how surely the share changed: chance alone passes 2, with either " +
			"sign, in one value of 20, and 3 in one of 370. Many values are tested at once, so read from 3 on.\n" +
			"- `minWeight` (default 2) leaves out rows with a smaller weight. So an empty answer says that everything moved together. `perDimension` (default 5) is the most rows of " +
			"one dimension, and `limit` (default 20, at most 100) of all.\n" +
			"- One cause shows in several dimensions, so differences are never added. The weight is certainty, and `difference` is size. Pageviews come in bursts, so ask for " +
			"visitors or sessions.\n" +
			"- `totals` has the metric of both periods. A question counts as one for each dimension, twice, in the limits of a key. A dimension with more than 100 000 values in a " +
			"period fails the parameter.",
	}
}

func choiceExamples() []askingExample {
	return []askingExample{
		{
			title: "Choose your own metrics",
			about: "A parameter with `metrics` needs no query type. Name a `dataset`, which says what is counted, and 1 to 10 of its metrics. " +
				"Without `dataset` it is `pageviews`. The answer has one row:",
			parameter: `{"dataset": "pageviews", "metrics": ["visitors", "pageviews", "bounce_rate"]}`,
			more: "`data[].parameter` is the dataset. [Datasets](#datasets) lists all of them; programs read them from `GET /v1/query/types`. " +
				"A query type and the same choice give the same numbers.",
		},
		{
			title: "Group by dimensions",
			about: "Add up to 4 `dimensions`: fields that `groupBy` takes, properties of events as `property:KEY`, and `date`. They are the first columns. " +
				"Rows are in the order of the first metric, the largest first, unless `sortBy` names another column. Rows with an empty dimension stay. " +
				"`percentage` is the share of the first metric, which must be a count or a sum:",
			parameter: `{"dataset": "pageviews", "metrics": ["visitors", "sessions", "percentage"], "dimensions": ["country", "device_type"], "limit": 3}`,
			more: "Metrics of sessions, such as `bounce_rate`, count a session for each value that one of its pageviews has. So `bounce_rate` by `path` is the bounce rate of the " +
				"sessions with a pageview of the path. The datasets `entries` and `exits` count each session once, for its first and its last page.",
		},
		{
			title: "Draw a chart of them",
			about: "With the dimension `date` the answer has a row for each bucket of `granularity`, also where nothing counted. With further dimensions, each of their " +
				"combinations has all buckets. Rows are in the order of the dates, then of the first metric:",
			parameter: `{"dataset": "events", "metrics": ["total_events", "unique_users"], "dimensions": ["date", "event_name"],
 "filters": [{"field": "event_name", "op": "in", "value": ["note_created", "search_performed"]}], "start_date": "2026-03-13", "end_date": "2026-03-14"}`,
		},
		{
			title: "Add up the numbers in properties",
			about: "In the datasets `pageviews`, `events` and `clicks`, a metric may be made of a property of the event: `sum`, `avg`, `min`, `max`, `median`, `p75`, `p90`, `p95` " +
				"and `p99` of its numbers, `count` of the rows that have a number, and `distinct` values. `as` names the column; by default it is named like `sum_amount`:",
			parameter: `{"dataset": "events", "dimensions": ["property:plan"],
 "metrics": [{"metric": "sum", "property": "amount", "as": "revenue"}, {"metric": "median", "property": "amount"}, "unique_users", "percentage"],
 "filters": [{"field": "event_name", "op": "eq", "value": "invoice_paid"}, {"field": "property:currency", "op": "eq", "value": "EUR"}]}`,
			more: "A number is a JSON number, or a text such as `\"12.50\"` with at most 9 digits before the point. It is rounded to 4 decimals. Other values, and those beyond " +
				"±999 999 999, do not count. Sums are exact. A parameter whose sum is beyond 9·10^14 fails.\n\n" +
				"Nobody declares properties, so a wrong key is not an error. `meta.notes` of the answer says when no row has the property.",
		},
		{
			title: "Totals",
			about: "`\"totals\": true` adds an object with the metrics over all rows that the filters leave, not only the rows of the page. Visitors are distinct over all rows, " +
				"so they are fewer than the sum of the rows if people visited several pages. Query types have totals, too, except for lists and types with a row for each visitor:",
			parameter: `{"name": "top_pages", "totals": true, "limit": 2}`,
			more:      "Rows without a name, which a type leaves out, are part of the totals.",
		},
	}
}

// AskingPage returns the page about what can be asked. Each section has a question and its real answer. The error names
// each example that fails or has no rows.
func AskingPage(ctx context.Context, src Source) ([]byte, error) {
	p := &page{src: src}
	p.text("# Asking\n\n" + generatedNote +
		"This page shows what you can ask beyond the name of a query type. Each section has a parameter and its real answer, with generated traffic. " +
		"Send parameters as in `{\"parameters\": […], \"preset\": \"" + src.Preset + "\", \"timeZone\": \"" +
		src.TimeZone + "\"}` to `POST /v1/query?website_id=…`; see [api.md](api.md). " +
		"[query-types.md](query-types.md) lists the query types.\n")
	for _, example := range askingExamples() {
		p.example(ctx, example)
	}
	p.text(severalWebsites)
	p.text(savedByName)
	p.datasets()
	return p.Bytes(), errors.Join(p.faults...)
}

// severalWebsites is a section without an answer: the demo has one website.
const severalWebsites = `
## Several websites

` + "`?website_ids=web_shop,web_blog`" + ` in place of ` + "`website_id`" + ` asks about 1 to 100 websites in one question, and ` +
	"`?website_ids=*`" + ` about every website that
the key may read. The answer counts all of their rows together, as [definitions.md](definitions.md#several-websites) says. ` +
	"`website`" + ` is a dimension and a field of filters:

` + "```json" + `
{"dataset": "pageviews", "metrics": ["visitors", "bounce_rate"], "dimensions": ["website", "country"]}
{"name": "goals", "groupBy": ["website"], "goals": [{"name": "Signup", "event": "signup_completed"}]}
{"name": "top_pages", "filters": [{"field": "website", "op": "not_in", "value": ["web_blog"]}]}
` + "```" + `

Behind each ` + "`website`" + ` stands its ` + "`website_name`" + `. ` + "`meta.website_ids`" + ` has the ids. A website that the key may not read fails the whole request. What is [saved by
name](#saved-by-name) belongs to one website, so such questions cannot use it. A request counts once for each ten websites in the limit of its key.
`

// savedByName is a section without an answer: the definitions that it names are not part of the demo.
const savedByName = `
## Saved by name

Goals, funnels and segments can be saved for a website with ` + "`POST /v1/websites/{website_id}/definitions`" +
	`, see [api.md](api.md#definition):

` + "```json" + `
{"kind": "segment", "name": "Phones", "body": {"filters": [{"field": "device_type", "op": "eq", "value": "mobile"}]}}
` + "```" + `

Or on the command line of the server, with the body in a file:

` + "```sh" + `
sightline definitions save segment Phones --website web_shop --body @phones.json
sightline definitions list --website web_shop
` + "```" + `

A query then uses them by name. A segment stands wherever a filter may stand, also in goals and steps:

` + "```json" + `
{"name": "pages", "filters": [{"segment": "Phones"}]}
{"name": "goals", "saved": true}
{"name": "goals_trends", "saved": ["Signup", "Order"]}
{"name": "funnel", "saved": "Checkout"}
` + "```" + `

` + "`true`" + ` stands for all saved goals. The answer is the same as if the request had the definition itself. A website's definitions are known for that website
only. Mandatory filters of keys and tokens cannot name segments. A query type with a required filter, such as ` +
	"`session_events`" + `, needs that filter in the
request itself.

Annotations are saved in the same way. Queries do not use them. The [panel](panel.md#annotations) shows their texts on its chart.
` + "`at`" + ` is a day in the time zone of the reader, or an instant. The name only identifies the annotation, so several may have the same text:

` + "```json" + `
{"kind": "annotation", "name": "release 2.1", "body": {"at": "2026-11-27T14:05:00Z", "text": "Version 2.1"}}
` + "```" + `
`

func (p *page) example(ctx context.Context, example askingExample) {
	shown, err := p.answer(ctx, example.parameter)
	if err != nil {
		p.faults = append(p.faults, fmt.Errorf("%s: %w", example.title, err))
	}
	p.printf("\n## %s\n\n%s\n\n```json\n%s\n```\n\n```json\n%s\n```\n", example.title, example.about, example.parameter,
		shown)
	if example.more != "" {
		p.printf("\n%s\n", example.more)
	}
}

// answer returns the answer to a parameter without its meta, a row in each line.
func (p *page) answer(ctx context.Context, parameter string) ([]byte, error) {
	body := fmt.Sprintf(`{"parameters": [%s], "preset": %q, "timeZone": %q}`, parameter, p.src.Preset, p.src.TimeZone)
	requests, _, err := query.Decode([]byte(body), 1)
	if err != nil {
		return nil, err
	}
	if len(requests[0].Errors) > 0 {
		return nil, requests[0].Errors
	}
	access := query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: p.src.Subjects[store.KindWebsite]}}
	resp, err := p.src.Engine.Run(ctx, access, requests[0].Request)
	if err != nil {
		return nil, err
	}
	r := resp.Data[0]
	if !r.Success || r.Data.Len() == 0 {
		return nil, errors.Join(fmt.Errorf("no rows: %s", r.Error), r.Cause)
	}
	b, err := appendRows(fmt.Appendf(nil, "{\"parameter\": %q, \"success\": true, \"data\": ", r.Parameter), r.Data)
	if err == nil && r.Previous != nil {
		b, err = appendRows(append(b, ",\n \"previous\": "...), *r.Previous)
	}
	if err != nil {
		return nil, err
	}
	if r.Totals != nil {
		b = append(append(b, ",\n \"totals\": "...), spaced(r.Totals.AppendJSON(nil))...)
	}
	return append(b, '}'), nil
}

// appendRows appends a table, a row in each line.
func appendRows(b []byte, table query.Table) ([]byte, error) {
	var rows []json.RawMessage
	if err := json.Unmarshal(table.AppendJSON(nil), &rows); err != nil {
		return nil, err
	}
	b = append(b, "[\n"...)
	for i, row := range rows {
		b = append(append(b, "  "...), spaced(row)...)
		if i < len(rows)-1 {
			b = append(b, ',')
		}
		b = append(b, '\n')
	}
	return append(b, ']'), nil
}

// datasets adds the list of all datasets.
func (p *page) datasets() {
	p.text("\n## Datasets\n\nFields of filters are the dimensions without `date`, and for websites `session_id`, `anonymous_id` and `profile_id`.\n")
	for _, d := range p.src.Engine.Datasets() {
		p.printf("\n### %s\n\n%s. Subject: `%s_id`.\n\n| metric | unit | |\n|---|---|---|\n", d.Name, d.Description,
			d.Subject)
		for _, m := range d.Metrics {
			p.printf("| `%s` | %s | %s: %s |\n", m.Name, m.Unit, m.Label, m.Description)
		}
		var names []string
		for _, f := range d.Dimensions {
			names = append(names, f.Name)
		}
		p.printf("\n- Dimensions: `%s`", strings.Join(names, "` `"))
		if d.Properties {
			p.text(" `property:KEY`")
		}
		p.text(".\n")
		if len(d.PropertyMetrics) > 0 {
			p.printf("- Metrics of properties: `%s`.\n", strings.Join(d.PropertyMetrics, "` `"))
		}
	}
}
