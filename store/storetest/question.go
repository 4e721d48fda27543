package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// A question is one request of one type.
type question struct {
	of  store.Subject
	now time.Time
	req query.Request
}

func (q question) String() string {
	body, err := json.Marshal(q.req)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %q at %s: %s", q.of.Kind, q.of.ID, q.now.Format(time.RFC3339), body)
}

// with returns q with a change. q itself does not change.
func (q question) with(change func(*query.Request)) question {
	q.req.Filters = slices.Clone(q.req.Filters)
	change(&q.req)
	return q
}

func (q question) where(filters ...query.Filter) question {
	return q.with(func(r *query.Request) { r.Filters = append(r.Filters, filters...) })
}

// An answer has the rows of one parameter, or the error.
type answer struct {
	json  []byte
	rows  []map[string]any
	texts []string // the same rows as JSON, followed by the answer's other data
	meta  query.Meta
	more  bool

	totals map[string]any // nil: none were asked for
	fault  string
	code   query.Code
}

func (a *answer) cutLast(when bool) {
	if when {
		a.rows, a.texts = a.rows[:len(a.rows)-1], a.texts[:len(a.texts)-1]
	}
}

// answerOf returns the engine's answer to a request with one parameter.
func answerOf(ctx context.Context, engine *query.Engine, a query.Access, req query.Request) answer {
	resp, err := engine.Run(ctx, a, req)
	if err != nil {
		return answer{fault: err.Error()}
	}
	r := resp.Data[0]
	if !r.Success {
		return answer{fault: fmt.Sprintf("%s: %s", r.Code, withCause(r)), code: r.Code}
	}
	text, err := r.Data.MarshalJSON()
	if err != nil {
		return answer{fault: err.Error()}
	}
	found := readAnswer(text, resp.Meta, r.Meta.HasMore)
	for _, beside := range []*query.Table{r.Previous, r.Changes} {
		if beside != nil {
			found.texts = append(found.texts, string(beside.AppendJSON(nil)))
		}
	}
	if r.Totals != nil {
		text := r.Totals.AppendJSON(nil)
		if err := json.Unmarshal(text, &found.totals); err != nil {
			return answer{fault: err.Error()}
		}
		found.texts = append(found.texts, string(text))
	}
	return found
}

func readAnswer(text []byte, meta query.Meta, more bool) answer {
	a := answer{json: text, meta: meta, more: more}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return answer{fault: err.Error()}
	}
	if err := json.Unmarshal(text, &a.rows); err != nil {
		return answer{fault: err.Error()}
	}
	for _, r := range raw {
		a.texts = append(a.texts, string(r))
	}
	return a
}

// shortest returns the shortest granularity that a type takes for ranges of days. Types without dates take all.
func shortest(info query.Info) string {
	ofDays := slices.DeleteFunc(slices.Clone(info.Granularity), func(name string) bool { return name == "minute" })
	if len(ofDays) == 0 {
		return "hourly"
	}
	return ofDays[0]
}
