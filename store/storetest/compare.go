// Package storetest proves stores: that they keep what they are given, and that the
// engine's answers from them are those of the reference evaluator.
package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// A Comparison counts how the engine did against the reference evaluator.
type Comparison struct {
	Asked    int
	Refused  int            // by both, for the same reason
	Answers  map[string]int // by type
	NonEmpty map[string]int // answers with a row that says something
	Differ   []string       // a text for each question answered differently
}

// Compare asks the engine over s and the reference over data each of questions, and
// counts where their JSON differs by a byte. With untilOne it stops at the first difference.
func Compare(ctx context.Context, s store.Store, data *reference.Data, questions []reference.Question, untilOne bool) (*Comparison, error) {
	types, err := query.NewRegistry(query.Builtin()...)
	if err != nil {
		return nil, err
	}
	found := &Comparison{Answers: map[string]int{}, NonEmpty: map[string]int{}}
	for _, q := range questions {
		if untilOne && len(found.Differ) > 0 {
			break
		}
		engine, err := query.New(query.Config{Store: s, Types: types, Now: func() time.Time { return q.Now }})
		if err != nil {
			return nil, err
		}
		want, refusal := data.Answer(q)
		result, err := ask(ctx, engine, q)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		found.Asked++
		if err != nil {
			found.differ(q, want, []byte(err.Error()))
			continue
		}
		found.count(q, want, refusal, result)
	}
	return found, nil
}

// ask puts q to the engine the way a caller does: as JSON.
func ask(ctx context.Context, engine *query.Engine, q reference.Question) (*query.Result, error) {
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
	resp, err := engine.Run(ctx, access, requests[0].Request)
	if err != nil {
		return nil, err
	}
	return &resp.Data[0], nil
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

func (c *Comparison) count(q reference.Question, want []byte, refusal error, got *query.Result) {
	switch {
	case refusal != nil && !got.Success && got.Code == refusals(refusal):
		c.Refused++
		return
	case refusal != nil:
		c.differ(q, []byte(refusal.Error()), fmt.Appendf(nil, "success=%t %s %s", got.Success, got.Code, got.Error))
		return
	case !got.Success:
		c.differ(q, want, fmt.Appendf(nil, "%s: %s: %v", got.Code, got.Error, got.Cause))
		return
	}
	answer, err := got.Data.MarshalJSON()
	if err != nil {
		answer = []byte(err.Error())
	}
	c.Answers[q.Type]++
	if says(want) {
		c.NonEmpty[q.Type]++
	}
	if !bytes.Equal(bytes.TrimSpace(want), bytes.TrimSpace(answer)) {
		c.differ(q, want, answer)
	}
}

func refusals(err error) query.Code {
	for _, known := range []struct {
		err  error
		code query.Code
	}{
		{reference.ErrTooLong, query.TooManyRows},
		{reference.ErrFilter, query.BadFilter},
		{reference.ErrGroupBy, query.BadGroup},
		{reference.ErrSort, query.BadSort},
	} {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	return ""
}

// says reports whether an answer has a row with a number that is not 0, or with none.
func says(answer []byte) bool {
	var rows []map[string]any
	if json.Unmarshal(answer, &rows) != nil {
		return false
	}
	for _, row := range rows {
		numbers := 0
		for _, v := range row {
			if n, ok := v.(float64); ok {
				numbers++
				if n != 0 {
					return true
				}
			}
		}
		if numbers == 0 {
			return true
		}
	}
	return false
}

func (c *Comparison) differ(q reference.Question, want, got []byte) {
	c.Differ = append(c.Differ, fmt.Sprintf("%v\n%s", q, firstDifference(want, got)))
}

// firstDifference shows the first row in which two answers differ.
func firstDifference(want, got []byte) string {
	split := func(b []byte) []string { return strings.SplitAfter(string(b), "},") }
	w, g := split(want), split(got)
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("row %d of %d and %d\nwant %s\ngot  %s", i, len(w), len(g), a, b)
		}
	}
	return "no difference"
}
