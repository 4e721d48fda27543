package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query"
)

// queryRoutes returns the routes that answer queries.
func (a *api) queryRoutes() []*route {
	type steps = front.Steps[question]
	withoutSubjects := func(cfg *Config) bool { return cfg.Subjects == nil }
	list := func(path, about, kind string, off func(*Config) bool,
		show func(context.Context, *front.Request, *question) (*front.Answer, error), id string,
		answer func(*describer) *openapi.Schema) *route {
		return &route{Route: front.Route{Method: http.MethodGet, Path: path, Class: auth.ClassOther,
			May:   auth.ToList(kind),
			Steps: steps{Allow: allowRoute[question], Read: a.readListPage, Answer: show}},
			about: about, off: off,
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: id, Tag: tagQueries, NotModified: true,
					Answer: answer(d), About: allOnAPage, Params: pagesOf(listing.MaxLimit, listing.MaxLimit)}}
			}}
	}
	return []*route{
		{Route: front.Route{Method: http.MethodPost, Path: "/v1/query", Class: auth.ClassQuery,
			May:   auth.ToRead(),
			Steps: steps{Allow: a.allowSubject, Read: a.readBody, Cost: a.cost, Answer: a.answerQueries}},
			about: "Run a query or a batch", of: anySubject, body: true, stores: nothing, forms: true,
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "runQuery", Tag: tagQueries,
					Params: append(subjectParams(), severalParam(), bomQuery()),
					About:  "A batch answers with one entry per query. If a parameter fails, its entry of `data` has `success: false`, `error` and `code`, and the others still answer.",
					Body: openapi.Any("", openapi.Ref("Query"),
						openapi.List("", openapi.Ref("Query"), 1, query.DefaultBatch)),
					Answer: openapi.Any("", openapi.Ref("QueryAnswer"), openapi.Ref("BatchAnswer")), Forms: rowForms()},
					errors: []code{codeNoSubject, codeNotAcceptable}}
			}},
		{Route: front.Route{Method: http.MethodGet, Path: "/v1/query", Class: auth.ClassQuery,
			May:   auth.ToRead(),
			Steps: steps{Allow: a.allowAddress, Read: a.readAddress, Cost: a.cost, Answer: a.answerAddress}},
			about: "Run a query given in the URL", of: anySubject, forms: true,
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "getQuery", Tag: tagQueries,
					Params: slices.Concat(subjectParams(), []openapi.Param{severalParam()}, d.queryParams(),
						[]openapi.Param{bomQuery()}), NotModified: true,
					About: "The fields of a query are parameters of the address: `parameters` and `groupBy` as names joined by commas, `filters` as JSON.", Answer: openapi.Ref("QueryAnswer"), Forms: rowForms()},
					errors: []code{codeNoSubject, codeNotAcceptable}}
			}},
		{Route: front.Route{Method: http.MethodPost, Path: "/v1/query/compile", Class: auth.ClassOther,
			May:   auth.ToExplain(),
			Steps: steps{Allow: a.allowCompile, Read: a.readBody, Cost: a.cost, Answer: a.explainQueries}},
			about: "Show the SQL of a query", of: anySubject, body: true, stores: nothing,
			off: func(cfg *Config) bool { return cfg.NoCompile },
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "explainQuery", Tag: tagQueries,
					Params: append(subjectParams(), severalParam()),
					About:  "The query is not run. The answer has the SQL of each parameter, and the `source` that would answer now: `remembered`, `merged` or `statement`, in this order. `why` says why the source before it would not answer.",
					Body: openapi.Any("", openapi.Ref("Query"),
						openapi.List("", openapi.Ref("Query"), 1, query.DefaultBatch)),
					Answer: openapi.Any("", openapi.Of[explainedBody](d.reflect), openapi.Ref("BatchExplanation"))},
					errors: []code{codeNoSubject}}
			}},
		{Route: front.Route{Method: http.MethodGet, Path: "/v1/query/types", Class: auth.ClassPublic,
			Steps: steps{Answer: a.listTypes}},
			about: "List query types with their filters and columns", access: Public,
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "listQueryTypes", Tag: tagQueries, NotModified: true,
					Answer: openapi.Of[typesBody](d.reflect),
					Params: []openapi.Param{openapi.Query("include_meta",
						openapi.Truth("Also return descriptions, columns and hints for charts; default `false`"))}}}
			}},
		list("/v1/query/websites", "List websites that the key can read", auth.KindWebsite, nil, a.listWebsites,
			"listWebsites", func(d *describer) *openapi.Schema { return openapi.Of[websitesBody](d.reflect) }),
		list("/v1/query/links", "List short links that the key can read", auth.KindLink, withoutSubjects, a.listLinks,
			"listLinks", func(d *describer) *openapi.Schema { return openapi.Of[linksBody](d.reflect) }),
		list("/v1/query/monitors", "List uptime monitors that the key can read", auth.KindSchedule, withoutSubjects,
			a.listMonitors, "listMonitors",
			func(d *describer) *openapi.Schema { return openapi.Of[monitorsBody](d.reflect) }),
		{Route: front.Route{Method: http.MethodGet, Path: "/v1/websites/{website_id}/analytics", Class: auth.ClassQuery,
			May: auth.ToRead(),
			Steps: steps{Allow: allowPath[question](a, ""), Read: a.readOverview, Cost: a.cost,
				Answer: a.answerOverview}},
			about: "Show a website at a glance", of: oneWebsite,
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "getOverview", Tag: tagQueries,
					NotModified: true, Answer: openapi.Of[overviewBody](d.reflect),
					About: "Totals, a series, and the first ten pages, sources, countries and devices.",
					Params: append([]openapi.Param{openapi.Path("website_id", openapi.Text("The website"))},
						d.overviewParams()...)}}
			}},
	}
}

// parallel is the number of concurrent queries of one batch.
const parallel = 4

// answerQueries answers the query or the batch in a body.
func (a *api) answerQueries(ctx context.Context, r *front.Request, q *question) (*front.Answer, error) {
	as, err := formOf(r.Header, q)
	if err != nil {
		return nil, err
	}
	if q.batch {
		budget := a.budget(r)
		return a.batch(ctx, r, q, func(req query.Request) (any, error) { return a.ask(ctx, r, q, req, budget) })
	}
	p, err := a.cfg.Engine.Prepare(ctx, access(r, q), q.queries[0].Request)
	if err != nil {
		return nil, err
	}
	s, key := p.Snapshot(), ""
	if a.responses.known != nil {
		key = a.dataKey(ctx, r, s)
	}
	return a.whole(ctx, r, s, key, "", as)
}

// answerAddress answers the query in a URL, or with 304 if the data has not changed.
func (a *api) answerAddress(ctx context.Context, r *front.Request, q *question) (*front.Answer, error) {
	as, err := formOf(r.Header, q)
	if err != nil {
		return nil, err
	}
	p, err := a.cfg.Engine.Prepare(ctx, access(r, q), q.queries[0].Request)
	if err != nil {
		return nil, err
	}
	s := p.Snapshot()
	key := a.dataKey(ctx, r, s)
	tag := a.dataTag(r, key, as.tagged())
	if tag != "" && front.Matches(r.Request, tag) {
		return &front.Answer{Status: http.StatusNotModified, ETag: tag}, nil
	}
	return a.whole(ctx, r, s, key, tag, as)
}

// batchBody is the response for a batch.
type batchBody struct {
	Success bool  `json:"success"`
	Batch   bool  `json:"batch"`
	Results []any `json:"results"` // *query.Response, explainedBody or failedBody
}

// failedBody is the result of a query that failed in a batch.
type failedBody struct {
	Success bool                 `json:"success"`
	QueryID string               `json:"queryId,omitempty"`
	Error   string               `json:"error"`
	Code    string               `json:"code"`
	Details []mistake.FieldError `json:"details,omitempty"`
	Data    []struct{}           `json:"data"`
	Meta    query.Meta           `json:"meta"`
}

// budget returns the bytes that the answer to r may take.
func (a *api) budget(r *front.Request) *query.Budget {
	return query.NewBudget(a.cfg.Engine.MaxAnswer()).Claiming(r.Claim)
}

// ask runs req with the engine.
func (a *api) ask(ctx context.Context, r *front.Request, q *question, req query.Request, budget *query.Budget) (
	*query.Response, error) {
	p, err := a.cfg.Engine.Prepare(ctx, access(r, q), req)
	if err != nil {
		return nil, err
	}
	return a.run(ctx, r, p.Snapshot(), budget)
}

// run runs s, and logs why parameters failed.
func (a *api) run(ctx context.Context, r *front.Request, s *query.Snapshot, budget *query.Budget) (*query.Response,
	error) {
	resp, err := s.Run(ctx, budget)
	if err != nil {
		return nil, err
	}
	a.logFailures(ctx, r, resp.Data)
	return resp, nil
}

// logFailures logs why parameters failed.
func (a *api) logFailures(ctx context.Context, r *front.Request, results []query.Result) {
	for i := range results {
		if result := &results[i]; result.Cause != nil {
			a.cfg.Logger.LogAttrs(ctx, front.LevelOf(ctx, result.Cause), "parameter failed",
				slog.String("requestId", r.ID),
				slog.String("parameter", result.Parameter), slog.String("code", string(result.Code)),
				slog.Any("error", result.Cause))
		}
	}
}

// batch runs every query of q separately. It only fails if ctx ends, or if no query succeeded and not all failures were
// the caller's mistakes.
func (a *api) batch(ctx context.Context, r *front.Request, q *question,
	run func(query.Request) (any, error)) (*front.Answer, error) {
	results, errs := make([]any, len(q.queries)), make([]error, len(q.queries))
	var workers sync.WaitGroup
	free := make(chan struct{}, parallel)
	for i, one := range q.queries {
		free <- struct{}{}
		workers.Go(func() {
			defer func() { <-free }()
			defer failure.Recovered(&errs[i])
			if len(one.Errors) > 0 {
				errs[i] = one.Errors
				return
			}
			results[i], errs[i] = run(one.Request)
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
			results[i] = a.failure(ctx, r, q, q.queries[i].Request, err)
		}
	}
	return encode(batchBody{Success: true, Batch: true, Results: results})
}

// lost returns the error with which the whole batch fails: [http.ErrAbortHandler] of a part of the host, or the first
// error that is not a caller's mistake if no query succeeded. Repeating the request may help then.
func lost(errs []error) error {
	aborted := func(err error) bool { return errors.Is(err, http.ErrAbortHandler) }
	if slices.ContainsFunc(errs, aborted) {
		return http.ErrAbortHandler
	}
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

// failure returns the result of a failed query in a batch.
func (a *api) failure(ctx context.Context, r *front.Request, q *question, req query.Request, err error) failedBody {
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError {
		a.cfg.Logger.LogAttrs(ctx, front.LevelOf(ctx, err), "query of a batch failed", slog.String("requestId", r.ID),
			slog.String("queryId", req.ID), slog.Any("error", err))
	}
	failed := failedBody{QueryID: req.ID, Error: p.Message, Code: p.Code, Details: p.details, Data: []struct{}{},
		Meta: asked(req)}
	for _, w := range q.websites {
		failed.Meta.WebsiteIDs = append(failed.Meta.WebsiteIDs, w.ID)
	}
	return failed
}

// asked returns the meta of a query that was not resolved: its own values and the defaults.
func asked(req query.Request) query.Meta {
	m := query.Meta{
		Parameters:      make([]string, 0, len(req.Parameters)),
		TotalParameters: len(req.Parameters),
		Page:            max(req.Page, 1),
		Limit:           query.DefaultLimit,
		FiltersApplied:  req.CountFilters(),
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
