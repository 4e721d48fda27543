package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"sync"

	"github.com/sightline-analytics/sightline/query"
)

// parallel is how many queries of one batch run at once.
const parallel = 4

// answerQueries answers the query, or the batch, of a body.
func answerQueries(a *api, ctx context.Context, c *call) (*reply, error) {
	if c.batch {
		return a.answerBatch(ctx, c)
	}
	resp, err := a.ask(ctx, c, c.queries[0].Request)
	if err != nil {
		return nil, err
	}
	return encode(resp)
}

// answerAddress answers the query of an address, and not again while its data stands.
func answerAddress(a *api, ctx context.Context, c *call) (*reply, error) {
	p, err := a.cfg.Engine.Prepare(c.access(), c.queries[0].Request)
	if err != nil {
		return nil, err
	}
	tag := a.dataTag(ctx, c, p, nil)
	if tag != "" && matches(c.r, tag) {
		return &reply{status: http.StatusNotModified, etag: tag}, nil
	}
	resp, err := a.run(ctx, c, p)
	if err != nil {
		return nil, err
	}
	rep, err := encode(resp)
	if err == nil && succeeded(resp) {
		rep.etag = tag
	}
	return rep, err
}

// succeeded reports whether no parameter failed: a failure may be over at the next try.
func succeeded(resp *query.Response) bool {
	for i := range resp.Data {
		if !resp.Data[i].Success {
			return false
		}
	}
	return true
}

// batchBody answers a batch.
type batchBody struct {
	Success bool  `json:"success"`
	Batch   bool  `json:"batch"`
	Results []any `json:"results"` // *query.Response, explainedBody or failedBody
}

// failedBody is the result of a query that failed alone.
type failedBody struct {
	Success bool       `json:"success"`
	QueryID string     `json:"queryId,omitempty"`
	Error   string     `json:"error"`
	Code    string     `json:"code"`
	Details []detail   `json:"details,omitempty"`
	Data    []struct{} `json:"data"`
	Meta    query.Meta `json:"meta"`
}

func (a *api) answerBatch(ctx context.Context, c *call) (*reply, error) {
	return a.batch(ctx, c, func(req query.Request) (any, error) { return a.ask(ctx, c, req) })
}

// ask answers req by the engine.
func (a *api) ask(ctx context.Context, c *call, req query.Request) (*query.Response, error) {
	p, err := a.cfg.Engine.Prepare(c.access(), req)
	if err != nil {
		return nil, err
	}
	return a.run(ctx, c, p)
}

// run answers p, and logs why parameters failed.
func (a *api) run(ctx context.Context, c *call, p *query.Prepared) (*query.Response, error) {
	resp, err := p.Run(ctx)
	if err != nil {
		return nil, err
	}
	for i := range resp.Data {
		if r := &resp.Data[i]; r.Cause != nil {
			a.cfg.Logger.LogAttrs(ctx, levelOf(r.Cause), "parameter failed", slog.String("requestId", c.id),
				slog.String("parameter", r.Parameter), slog.String("code", string(r.Code)), slog.Any("error", r.Cause))
		}
	}
	return resp, nil
}

// batch runs every query of c by itself. The whole fails only when ctx ends, or when no
// query succeeded and that was not their caller's mistake alone.
func (a *api) batch(ctx context.Context, c *call, run func(query.Request) (any, error)) (*reply, error) {
	results, errs := make([]any, len(c.queries)), make([]error, len(c.queries))
	var workers sync.WaitGroup
	free := make(chan struct{}, parallel)
	for i, q := range c.queries {
		free <- struct{}{}
		workers.Go(func() {
			defer func() { <-free }()
			defer caught(&errs[i])
			if len(q.Errors) > 0 {
				errs[i] = q.Errors
				return
			}
			results[i], errs[i] = run(q.Request)
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := lost(errs); err != nil {
		return nil, err
	}
	for i, err := range errs {
		if err != nil {
			results[i] = a.failure(ctx, c, c.queries[i].Request, err)
		}
	}
	return encode(batchBody{Success: true, Batch: true, Results: results})
}

// lost is the first error that is not a caller's mistake, when no query succeeded:
// trying again may help, so the whole says so.
func lost(errs []error) error {
	var first error
	for _, err := range errs {
		if err == nil {
			return nil
		}
		if first == nil && problemOf(err).Status >= http.StatusInternalServerError {
			first = err
		}
	}
	return first
}

// failure is the result of one query of a batch.
func (a *api) failure(ctx context.Context, c *call, req query.Request, err error) failedBody {
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError {
		a.cfg.Logger.LogAttrs(ctx, levelOf(err), "query of a batch failed", slog.String("requestId", c.id),
			slog.String("queryId", req.ID), slog.Any("error", err))
	}
	return failedBody{QueryID: req.ID, Error: p.Message, Code: p.Code, Details: p.details, Data: []struct{}{}, Meta: asked(req)}
}

// asked is the meta of a query that was not resolved: what it said, and the defaults.
func asked(req query.Request) query.Meta {
	m := query.Meta{
		Parameters:      make([]string, 0, len(req.Parameters)),
		TotalParameters: len(req.Parameters),
		Page:            max(req.Page, 1),
		Limit:           query.DefaultLimit,
		FiltersApplied:  len(req.Filters),
		StartDate:       req.StartDate,
		EndDate:         req.EndDate,
		Timezone:        req.TimeZone,
		Granularity:     req.Granularity,
	}
	for _, p := range req.Parameters {
		m.Parameters = append(m.Parameters, p.Name)
	}
	if req.Limit != nil {
		m.Limit = *req.Limit
	}
	if m.Timezone == "" {
		m.Timezone = "UTC"
	}
	if m.Granularity == "" {
		m.Granularity = "daily"
	}
	return m
}
