package docgen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sightline-analytics/sightline/internal/jsontext"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// panelRequest asks for everything that a dashboard shows at first.
const panelRequest = `{
  "startDate": "2026-03-12", "endDate": "2026-03-14", "timeZone": "Europe/Berlin",
  "parameters": [
    {"name": "summary_metrics", "id": "totals", "compare": "previous_period"},
    {"name": "summary", "id": "chart", "compare": "previous_period"},
    {"name": "pages", "limit": 3},
    {"name": "traffic", "limit": 3, "compare": "previous_period"},
    {"name": "countries", "limit": 2},
    {"name": "device_types", "limit": 3},
    {"name": "pages", "id": "landed from Google", "limit": 2, "filters": [{"field": "referrer", "op": "eq", "value": "Google"}]}
  ]
}`

const panelIntro = "# A dashboard in one request\n\n" + generatedNote +
	`This request asks for totals with the previous period, a chart, and five lists with different limits, one of them filtered. Each item of
` + "`parameters`" + ` may have these fields, which replace the fields of the request: ` +
	"`preset`, `start_date`, `end_date`, `filters`, `groupBy`, `limit`, `page`, `sortBy`, `sortOrder`, `complete`, `granularity`, `weekStart`, `compare`" + `
and ` + "`id`" + `. To remove the filters of the request, write ` + "`\"filters\": []`" + `.

Send to ` + "`POST /v1/query?website_id=web_demo`" + `:

`

const panelNotes = "\n\n- `previous` has one entry for each row of `data`: the row of the other period with the same keys, or for the same day or hour. It is\n" +
	"  `null` where the other period has no such row. `changes` are in percent of the other period's value, and `null` where it is 0 or `null`.\n" +
	"- `compare` is `previous_period`, `previous_year`, `previous_weeks`, `previous_year_weeks`, two days, or `none` for a parameter that is not\n" +
	"  compared: see [Comparison](definitions.md#comparison). Lists of single\n" +
	"  sessions, events and checks, and types that count up to now, cannot be compared: see `comparable` in `/v1/query/types`.\n" +
	"- The last day of this range is not over: `partial` is `true`, and the answer covers the time before `until`. A comparison cuts the other\n" +
	"  period at the same local time (`meta.previous.to`), so that half a day is compared with half a day. In a chart, days or hours from\n" +
	"  `meta.partialFrom` on are in the future; ignore their zeros.\n" +
	"- A compared parameter counts twice for rate limits, and so does one with totals. If one parameter is invalid, only that parameter fails.\n" +
	"- `GET /v1/websites/web_demo/analytics?compare=previous_period` returns much of this without a body. Its totals have `previous` and\n" +
	"  `changes`; `comparison` has the same for its other parts.\n"

// Panel returns the page with a dashboard's request and its real answer.
func Panel(ctx context.Context, src Source) ([]byte, error) {
	asked, _, err := query.Decode([]byte(panelRequest), 1)
	if err == nil && len(asked[0].Errors) > 0 {
		err = asked[0].Errors
	}
	if err != nil {
		return nil, err
	}
	of := store.Subject{Kind: store.KindWebsite, ID: src.Subjects[store.KindWebsite]}
	resp, err := src.Engine.Run(ctx, query.Access{Subject: of}, asked[0].Request)
	if err != nil {
		return nil, err
	}
	p := &page{src: src}
	p.text(panelIntro + "```json\n" + panelRequest +
		"\n```\n\nThe answer, with generated traffic:\n\n```json\n{\n  \"success\": true,\n  \"data\": [\n")
	for i := range resp.Data {
		if !resp.Data[i].Success {
			return nil, errors.Join(errors.New(resp.Data[i].Error), resp.Data[i].Cause)
		}
		p.result(&resp.Data[i])
		if i < len(resp.Data)-1 {
			p.text(",")
		}
		p.text("\n")
	}
	p.printf("  ],\n  \"meta\": %s\n}\n```", compact(resp.Meta))
	p.text(panelNotes)
	return p.Bytes(), nil
}

// result writes one parameter, with one row a line.
func (p *page) result(r *query.Result) {
	p.printf("    {\n      \"parameter\": %q, ", r.Parameter)
	if r.ID != "" {
		p.printf("\"id\": %q, ", r.ID)
	}
	p.text("\"success\": true,\n")
	p.rows("data", &r.Data)
	if r.Previous != nil {
		p.rows("previous", r.Previous)
		p.rows("changes", r.Changes)
	}
	p.printf("      \"meta\": %s\n    }", compact(r.Meta))
}

func (p *page) rows(name string, t *query.Table) {
	var rows []json.RawMessage
	if err := json.Unmarshal(t.AppendJSON(nil), &rows); err != nil {
		p.faults = append(p.faults, err)
	}
	p.printf("      %q: [\n", name)
	for i, row := range rows {
		comma := ","
		if i == len(rows)-1 {
			comma = ""
		}
		p.printf("        %s%s\n", row, comma)
	}
	p.text("      ],\n")
}

// compact returns v as JSON on one line.
func compact(v any) string {
	js, err := jsontext.Append(nil, v)
	if err != nil {
		return fmt.Sprintf("%q", err.Error())
	}
	return string(js)
}
