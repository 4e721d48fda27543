package httpapi

import (
	"context"

	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
)

// explainedBody is the response for one query.
type explainedBody struct {
	Success bool             `json:"success"`
	QueryID string           `json:"queryId,omitempty"`
	Data    []explainedEntry `json:"data"`
}

// explainedEntry describes one parameter: which source would answer it, its plan for people, and its SQL statement with
// arguments.
type explainedEntry struct {
	Parameter string       `json:"parameter"`
	ID        string       `json:"id,omitempty"`
	Success   bool         `json:"success"`
	Source    query.Source `json:"source,omitempty"`
	Why       query.Reason `json:"why,omitempty"` // why the source before it would not answer
	Plan      string       `json:"plan,omitempty"`
	SQL       string       `json:"sql,omitempty"`
	Args      []explainArg `json:"args"`
	Error     string       `json:"error,omitempty"`
	Code      query.Code   `json:"code,omitempty"`
	// Previous describes the statement for the compared period, for the rows of the current period.
	Previous *explainedEntry `json:"previous,omitempty"`
	// Totals describes the statement for the numbers over all rows.
	Totals *explainedEntry `json:"totals,omitempty"`
}

type explainArg struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// explainQueries returns the plans and statements of the queries in a body without running them.
func (a *api) explainQueries(ctx context.Context, r *front.Request, q *question) (*front.Answer, error) {
	budget := a.budget(r) // shared by all queries of a batch
	explain := func(req query.Request) (any, error) { return a.explain(ctx, r, q, req, budget) }
	if q.batch {
		return a.batch(ctx, r, q, explain)
	}
	body, err := explain(q.queries[0].Request)
	if err != nil {
		return nil, err
	}
	return front.JSON(body)
}

func (a *api) explain(ctx context.Context, r *front.Request, q *question, req query.Request, budget *query.Budget) (
	*explainedBody, error) {
	all, err := a.cfg.Engine.Explain(ctx, access(r, q), req)
	if err != nil {
		return nil, err
	}
	body := &explainedBody{Success: true, QueryID: req.ID, Data: make([]explainedEntry, 0, len(all))}
	for i := range all {
		if err := budget.Take(entrySize(&all[i])); err != nil {
			return nil, err
		}
		body.Data = append(body.Data, entryOf(&all[i]))
	}
	return body, nil
}

// entrySize returns the approximate size of the entry of x in JSON, in bytes.
func entrySize(x *query.Explained) int64 {
	const perEntry, perArg = 128, 32
	size := perEntry + len(x.Plan) + len(x.SQL)
	for _, arg := range x.Args {
		text, _ := arg.Value.(string)
		size += perArg + len(text)
	}
	all := int64(size)
	for _, beside := range []*query.Explained{x.Other, x.Totals} {
		if beside != nil {
			all += entrySize(beside)
		}
	}
	return all
}

func entryOf(x *query.Explained) explainedEntry {
	e := explainedEntry{Parameter: x.Parameter, ID: x.ID, Success: x.Err == nil,
		Args: make([]explainArg, 0, len(x.Args))}
	if x.Err != nil {
		e.Error, e.Code = x.Err.Message, x.Err.Code
	} else {
		e.Source, e.Why, e.Plan, e.SQL = x.Source, x.Why, x.Plan, x.SQL
	}
	for _, arg := range x.Args {
		e.Args = append(e.Args, explainArg{arg.Name, arg.Value})
	}
	if x.Other != nil {
		other := entryOf(x.Other)
		e.Previous = &other
	}
	if x.Totals != nil {
		totals := entryOf(x.Totals)
		e.Totals = &totals
	}
	return e
}
