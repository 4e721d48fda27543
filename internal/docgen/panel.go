package docgen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// panelRequest is all that a dashboard shows at first.
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

const panelIntro = "# A dashboard in one request\n\n" + generatedNote + `Totals with the period before, a chart, and five lists of their own lengths, one of them filtered. Each item of ` + "`parameters`" + ` may
have ` + "`preset`, `start_date`, `end_date`, `filters`, `groupBy`, `limit`, `page`, `sortBy`, `sortOrder`, `granularity`, `compare`" + ` and ` + "`id`" + ` of
its own, each in place of the request's (` + "`\"filters\": []`" + ` is none). ` + "`POST /v1/query?website_id=web_demo`" + ` with

`

const panelNotes = "\n\n- `previous` has, row by row, what stands beside `data`: the same keys, or the bucket of the same day or hour of the other period.\n" +
	"  It is `null` where the other period has no such row. `changes` are in percent of it, `null` where that is 0 or `null`.\n" +
	"- `compare` is `previous_period` (as many local days just before; for `this_month`, `last_month` and `this_year` the calendar month or\n" +
	"  year before) or `previous_year` (the same dates). Lists of single sessions, events and checks, and types that count up to now,\n" +
	"  are not compared: `comparable` in `/v1/query/types`.\n" +
	"- The last day is not over: `partial` says so, and `until` how far it has come. What is compared is cut there, and the other period\n" +
	"  at the same local time (`meta.previous.to`), so that half a day stands beside half a day. Rows of a chart from `meta.partialFrom`\n" +
	"  on have not begun; their zeros say nothing.\n" +
	"- A compared parameter costs as two. A parameter that is wrong fails alone.\n" +
	"- `GET /v1/websites/web_demo/analytics?compare=previous_period` answers much of this by itself: `previous` and `changes` of its\n" +
	"  totals, and under `comparison` those of its other parts.\n"

// Panel is the page that shows a dashboard's request and its real answer. Its error says why
// there is none.
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
	p.text(panelIntro + "```json\n" + panelRequest + "\n```\n\nis answered, on made-up traffic, with\n\n```json\n{\n  \"success\": true,\n  \"data\": [\n")
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

// result lays out one parameter, a row on a line.
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

// compact is v as JSON on one line.
func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprintf("%q", err.Error())
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
