package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// A respondent is the engine over a store, asked the way a caller asks: in JSON.
type respondent struct {
	store store.Store
	types *query.Registry
	part  func(*query.Response) ([]byte, error) // what of a response is compared
}

func newRespondent(s store.Store, part func(*query.Response) ([]byte, error)) (*respondent, error) {
	types, err := query.NewRegistry(query.Builtin()...)
	return &respondent{s, types, part}, err
}

func (r *respondent) outcome(ctx context.Context, q reference.Question) outcome {
	resp, err := r.ask(ctx, q)
	if err != nil {
		return outcome{text: err.Error()}
	}
	result := resp.Data[0]
	if !result.Success {
		return outcome{refused: result.Code, text: withCause(result)}
	}
	answer, err := r.part(resp)
	if err != nil {
		return outcome{text: err.Error()}
	}
	return outcome{json: answer, speaks: says(result.Data.AppendJSON(nil))}
}

// rows are those of a response to one parameter.
func rows(r *query.Response) ([]byte, error) { return r.Data[0].Data.MarshalJSON() }

// whole is all of a response. Making it fails where a row is no JSON.
func whole(r *query.Response) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(r)
	return b.Bytes(), err
}

func withCause(r query.Result) string {
	if r.Cause == nil {
		return r.Error
	}
	return fmt.Sprintf("%s: %v", r.Error, r.Cause)
}

func (r *respondent) ask(ctx context.Context, q reference.Question) (*query.Response, error) {
	engine, err := query.New(query.Config{Store: r.store, Types: r.types, Now: func() time.Time { return q.Now }})
	if err != nil {
		return nil, err
	}
	body, err := requestBody(q)
	if err != nil {
		return nil, err
	}
	requests, _, err := query.Decode(body, 1)
	if err != nil {
		return nil, err
	}
	if len(requests[0].Errors) > 0 {
		return nil, requests[0].Errors
	}
	access := query.Access{Subject: q.Subject}
	for _, f := range q.Mandatory {
		access.Filters = append(access.Filters, query.Filter{Field: f.Field, Op: query.Op(f.Op), Values: f.Values})
	}
	return engine.Run(ctx, access, requests[0].Request)
}

func requestBody(q reference.Question) ([]byte, error) {
	body := map[string]any{
		"parameters": []string{q.Type}, "startDate": q.StartDate, "endDate": q.EndDate, "timeZone": q.Zone,
		"granularity": map[bool]string{true: "hourly", false: "daily"}[q.Hourly],
	}
	var filters []map[string]any
	for _, f := range q.Filters {
		var value any = f.Values
		if f.Op != "in" && f.Op != "not_in" {
			value = f.Values[0]
		}
		filters = append(filters, map[string]any{"field": f.Field, "op": f.Op, "value": value})
	}
	body["filters"] = filters
	if len(q.GroupBy) > 0 {
		body["groupBy"] = q.GroupBy
	}
	if q.SortBy != "" {
		body["sortBy"] = q.SortBy
	}
	if q.SortOrder != "" {
		body["sortOrder"] = q.SortOrder
	}
	if q.Limit > 0 {
		body["limit"] = q.Limit
	}
	if q.Page > 0 {
		body["page"] = q.Page
	}
	return json.Marshal(body)
}
