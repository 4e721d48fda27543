package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// overviewRows is how many rows the lists of an overview have.
const overviewRows = 10

// sections are the parts of an overview and the types that fill them.
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

// totalsType is the type of totals and of previous.
const totalsType = "summary_metrics"

// overviewBody is one website at a glance.
type overviewBody struct {
	Success   bool            `json:"success"`
	Website   websiteRecord   `json:"website"`
	Range     overviewRange   `json:"range"`
	Totals    json.RawMessage `json:"totals"`             // null when they failed
	Previous  json.RawMessage `json:"previous,omitempty"` // of the period of equal length just before
	Series    query.Table     `json:"series"`
	Pages     query.Table     `json:"pages"`
	Traffic   query.Table     `json:"traffic"`
	Countries query.Table     `json:"countries"`
	Devices   query.Table     `json:"devices"`
	Errors    []sectionError  `json:"errors,omitempty"` // of the parts that failed
	Meta      query.Meta      `json:"meta"`
}

// overviewRange says which days were asked about.
type overviewRange struct {
	StartDate   string     `json:"startDate"`
	EndDate     string     `json:"endDate"`
	From        *time.Time `json:"from,omitempty"`
	To          *time.Time `json:"to,omitempty"` // exclusive
	Timezone    string     `json:"timezone"`
	Granularity string     `json:"granularity"`
	Previous    *period    `json:"previous,omitempty"`
}

type period struct {
	StartDate string `json:"startDate"`
	EndDate   string `json:"endDate"`
}

type sectionError struct {
	Section string     `json:"section"`
	Error   string     `json:"error"`
	Code    query.Code `json:"code"`
}

// readOverview takes an overview's request from the address.
func (a *api) readOverview(_ context.Context, r *front.Request, q *question) error {
	asked, ok := r.Query()
	if !ok {
		return errMalformed
	}
	known := []string{"preset", "startDate", "endDate", "timezone", "granularity", "filters", "compare"}
	bad := unknown(asked, known...)
	compare, mistakes := single(asked, "compare")
	if compare != "" && compare != "previous_period" {
		mistakes = query.Errors{{Code: query.Invalid, Field: "compare", Message: "must be previous_period"}}
	}
	q.compare = compare != ""
	values := maps.Clone(asked)
	values.Del("compare")
	if asked.Get("preset") == "" && asked.Get("startDate") == "" && asked.Get("endDate") == "" {
		values.Set("preset", "last_30d")
	}
	for _, e := range bad {
		values.Del(e.Field)
	}
	values.Set("parameters", totalsType)
	req, wrong := query.ParseValues(values)
	q.queries = []query.Decoded{{Request: req}}
	if bad = append(append(bad, mistakes...), wrong...); len(bad) > 0 {
		return bad
	}
	return nil
}

// answerOverview answers an overview by one run of the engine.
func (a *api) answerOverview(ctx context.Context, r *front.Request, q *question) (*front.Answer, error) {
	site, err := a.cfg.Directory.Website(ctx, r.Resource.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, &denied{auth.ReadData} // it went away just now
	}
	if err != nil {
		return nil, err
	}
	body := overviewBody{Success: true, Website: recordOf(site)}
	p, err := a.cfg.Engine.Prepare(access(r), q.overview())
	if err != nil {
		return nil, err
	}
	if q.compare {
		before := p.Range().Previous()
		body.Range.Previous = &period{before.StartDate.String(), before.EndDate.String()}
	}
	tag := a.dataTag(ctx, r, p, body.Website)
	if tag != "" && front.Matches(r.Request, tag) {
		return &front.Answer{Status: http.StatusNotModified, ETag: tag}, nil
	}
	resp, err := a.run(ctx, r, p, query.NewBudget(a.cfg.Engine.MaxAnswer()))
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

// overview makes the engine's request: totals, the sections, and the totals of the
// period before.
func (q *question) overview() query.Request {
	req := q.queries[0].Request
	req.Parameters = []query.Parameter{{Name: totalsType, ID: "totals"}}
	for _, s := range sections {
		p := query.Parameter{Name: s.kind, ID: s.name}
		if s.list {
			p.Limit = new(overviewRows)
		}
		req.Parameters = append(req.Parameters, p)
	}
	if q.compare {
		req.Parameters = append(req.Parameters, query.Parameter{Name: totalsType, ID: "previous", Previous: true})
	}
	return req
}

// fill takes the parts from resp. A part that failed is empty and told in Errors; when
// all failed, so does the whole.
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
		} else if err := b.take(i, r); err != nil {
			return err
		}
	}
	if len(all) == len(resp.Data) {
		return all
	}
	return nil
}

// take puts the result of parameter i where it belongs.
func (b *overviewBody) take(i int, r *query.Result) (err error) {
	switch {
	case i == 0:
		b.Totals, err = firstRow(r.Data)
	case i <= len(sections):
		*sections[i-1].part(b) = r.Data
	default:
		b.Previous, err = firstRow(r.Data)
	}
	if i <= len(sections) && r.Meta != nil {
		b.Range.From, b.Range.To = &r.Meta.From, &r.Meta.To
	}
	return err
}

// firstRow is the row of a table of totals in JSON.
func firstRow(t query.Table) (json.RawMessage, error) {
	var rows []json.RawMessage
	if err := json.Unmarshal(t.AppendJSON(nil), &rows); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return rows[0], nil
}
