package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// overviewRows is the number of rows in the lists of an overview.
const overviewRows = 10

// sections are the parts of an overview with their query types.
var sections = []struct {
	name string
	kind string
	list bool // cut to overviewRows
	part func(*overviewBody) *query.Table
}{
	{"series", "summary", false, func(b *overviewBody) *query.Table { return &b.Series }},
	{"pages", "pages", true, func(b *overviewBody) *query.Table { return &b.Pages }},
	{"traffic", "traffic", true, func(b *overviewBody) *query.Table { return &b.Traffic }},
	{"countries", "countries", true, func(b *overviewBody) *query.Table { return &b.Countries }},
	{"devices", "device_types", true, func(b *overviewBody) *query.Table { return &b.Devices }},
}

// totalsType is the query type of totals.
const totalsType = "summary_metrics"

// overviewBody is the response with the overview of a website.
type overviewBody struct {
	Success   bool            `json:"success"`
	Website   websiteRecord   `json:"website"`
	Range     overviewRange   `json:"range"`
	Totals    json.RawMessage `json:"totals"`             // null if they failed
	Previous  json.RawMessage `json:"previous,omitempty"` // totals of the compared period
	Changes   json.RawMessage `json:"changes,omitempty"`  // of totals, in percent of previous
	Series    query.Table     `json:"series"`
	Pages     query.Table     `json:"pages"`
	Traffic   query.Table     `json:"traffic"`
	Countries query.Table     `json:"countries"`
	Devices   query.Table     `json:"devices"`
	// Comparison has the compared rows of each part, by name.
	Comparison map[string]besideRows `json:"comparison,omitempty"`
	Errors     []sectionError        `json:"errors,omitempty"` // for parts that failed
	Meta       query.Meta            `json:"meta"`
}

// overviewRange describes the days of the overview.
type overviewRange struct {
	StartDate   string         `json:"startDate"`
	EndDate     string         `json:"endDate"`
	From        *query.Instant `json:"from,omitempty"`
	To          *query.Instant `json:"to,omitempty"`    // exclusive
	Until       *query.Instant `json:"until,omitempty"` // end of the data if the range is not over
	Partial     bool           `json:"partial,omitempty"`
	PartialFrom string         `json:"partialFrom,omitempty"` // date of the first row of series in the future
	// the first bucket of the series began before the range
	PartialFirst bool `json:"partialFirst,omitempty"`
	// ExpiredBefore is the end of the last day of the overview whose rows were removed because of their age; nil if
	// none were.
	ExpiredBefore *query.Instant `json:"expiredBefore,omitempty"`
	Timezone      string         `json:"timezone"`
	Granularity   string         `json:"granularity"`
	Previous      *query.Period  `json:"previous,omitempty"`
}

// besideRows contains the same rows for the compared period, and the changes in percent.
type besideRows struct {
	Previous *query.Table `json:"previous"`
	Changes  *query.Table `json:"changes"`
}

type sectionError struct {
	Section string     `json:"section"`
	Error   string     `json:"error"`
	Code    query.Code `json:"code"`
}

// readOverview reads an overview's request from the URL.
func (a *api) readOverview(ctx context.Context, r *front.Request, q *question) error {
	asked, ok := r.Query()
	if !ok {
		return errMalformed
	}
	known := []string{"preset", "startDate", "endDate", "complete", "timezone", "timeZone", "granularity", "weekStart",
		"filters", "compare"}
	bad := unknown(asked, known...)
	values := maps.Clone(asked)
	if asked.Get("preset") == "" && asked.Get("startDate") == "" && asked.Get("endDate") == "" {
		values.Set("preset", "last_30d")
	}
	for _, e := range bad {
		values.Del(e.Field)
	}
	values.Set("parameters", totalsType)
	req, wrong := a.cfg.Engine.ParseValues(values)
	q.queries = []query.Decoded{{Request: overview(req)}}
	if bad = append(bad, wrong.Mistakes()...); len(bad) > 0 {
		return bad
	}
	names, err := a.resolveSaved(ctx, r, q)
	if err == nil && names != nil && names[0] != nil {
		err = names[0]
	}
	return err
}

// answerOverview answers with an overview, in one run of the engine.
func (a *api) answerOverview(ctx context.Context, r *front.Request, q *question) (*front.Answer, error) {
	site, err := a.cfg.Directory.Website(ctx, r.Resource.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, &denied{scope: auth.ReadData} // removed just now
	}
	if err != nil {
		return nil, err
	}
	body := overviewBody{Success: true, Website: recordOf(site)}
	p, err := a.cfg.Engine.Prepare(ctx, access(r, q), q.queries[0].Request)
	if err != nil {
		return nil, err
	}
	s := p.Snapshot()
	tag := a.dataTag(r, a.dataKey(ctx, r, s), body.Website)
	if tag != "" && front.Matches(r.Request, tag) {
		return &front.Answer{Status: http.StatusNotModified, ETag: tag}, nil
	}
	resp, err := a.run(ctx, r, s, a.budget(r))
	if err != nil {
		return nil, err
	}
	if err := body.fill(resp); err != nil {
		return nil, err
	}
	rep, err := front.JSON(body)
	if err == nil && succeeded(resp) {
		rep.ETag = tag
	}
	return rep, err
}

// overview returns the engine's request for req: totals and the sections.
func overview(req query.Request) query.Request {
	req.Parameters = []query.Parameter{{Name: totalsType, ID: "totals"}}
	for _, s := range sections {
		p := query.Parameter{Name: s.kind, ID: s.name}
		if s.list {
			p.Limit = new(overviewRows)
		}
		req.Parameters = append(req.Parameters, p)
	}
	return req
}

// fill takes the parts from resp. Failed parts are empty and listed in Errors. If all parts failed, fill returns an
// error.
func (b *overviewBody) fill(resp *query.Response) error {
	b.Meta = resp.Meta
	b.Range.StartDate, b.Range.EndDate = resp.Meta.StartDate, resp.Meta.EndDate
	b.Range.Timezone, b.Range.Granularity = resp.Meta.Timezone, resp.Meta.Granularity
	var all query.Errors
	for i := range resp.Data {
		r := &resp.Data[i]
		if !r.Success {
			b.Errors = append(b.Errors, sectionError{r.ID, r.Error, r.Code})
			all = append(all, &query.Error{Code: r.Code, Field: r.ID, Message: r.Error, Err: r.Cause})
		} else {
			b.take(i, r)
		}
	}
	if len(all) == len(resp.Data) {
		return all
	}
	return nil
}

// take stores the result of parameter i in its part: first totals, then the sections.
func (b *overviewBody) take(i int, r *query.Result) {
	m, span := r.Meta, &b.Range
	span.From, span.To, span.Until, span.Partial, span.Previous = &m.From, &m.To, m.Until, m.Partial, m.Previous
	if lost := m.ExpiredBefore; lost != nil && (span.ExpiredBefore == nil || lost.After(span.ExpiredBefore.Time)) {
		span.ExpiredBefore = lost
	}
	if i == 0 {
		b.Totals = firstRow(&r.Data)
		if r.Previous != nil {
			b.Previous, b.Changes = firstRow(r.Previous), firstRow(r.Changes)
		}
		return
	}
	*sections[i-1].part(b) = r.Data
	if m.PartialFrom != "" {
		span.PartialFrom = m.PartialFrom
	}
	span.PartialFirst = span.PartialFirst || m.PartialFirst
	if r.Previous != nil {
		if b.Comparison == nil {
			b.Comparison = map[string]besideRows{}
		}
		b.Comparison[r.ID] = besideRows{r.Previous, r.Changes}
	}
}

// firstRow returns the row of a table of totals as JSON; nil for an empty table.
func firstRow(t *query.Table) json.RawMessage {
	if t.Len() == 0 {
		return nil
	}
	b := t.AppendJSON(nil) // an array with one row
	return b[1 : len(b)-1]
}

// succeeded reports whether no parameter failed. A failure may be temporary.
func succeeded(resp *query.Response) bool {
	for i := range resp.Data {
		if !resp.Data[i].Success {
			return false
		}
	}
	return true
}
