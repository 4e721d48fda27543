package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// A Row is a row of a query type. The generated rows implement it, and so do structs that embed one of them.
type Row interface {
	QueryType() Type
}

// An Answer is the answer to one question.
type Answer[R any] struct {
	Rows     []R
	Previous []*R // with Compare: for each row the row of the other period, or nil
	// with Compare: for each row the changes of its metrics in percent; nil: none, or not to be computed
	Changes   []map[Column]*float64
	Totals    *R // with Totals: the metrics over all rows. Other columns are empty
	Meta      Meta
	RequestID string
}

// Meta says what an answer is about.
type Meta struct {
	From         time.Time  `json:"from"`
	To           time.Time  `json:"to"`          // exclusive
	Until        *time.Time `json:"until"`       // where the data ends, in ranges that are not over
	Partial      bool       `json:"partial"`     // the range is not over
	PartialFrom  string     `json:"partialFrom"` // the first bucket that is not over
	PartialFirst bool       `json:"partialFirst"`
	TimeZone     string     `json:"timezone"`
	Granularity  string     `json:"granularity"`
	Limit        *int       `json:"limit"` // nil: a series without a limit
	Rows         int        `json:"rows"`
	HasMore      bool       `json:"hasMore"` // there is another page
	Previous     *Period    `json:"previous"`
	Unequal      []string   `json:"unequal"`  // the dates of weeks and months without changes
	Identity     string     `json:"identity"` // how visitors were recognised
	Notes        []string   `json:"notes"`    // what to know when reading the numbers
}

// A Period is the other one of a comparison.
type Period struct {
	Compare   Comparison `json:"compare"`
	StartDate string     `json:"startDate"`
	EndDate   string     `json:"endDate"`
	From      time.Time  `json:"from"`
	To        time.Time  `json:"to"`
}

// Query asks for the query type of R. It returns an [*Error] if the request or the question fails.
func Query[R Row](ctx context.Context, c *Client, about Subject, q Question) (*Answer[R], error) {
	var row R
	q.Type = row.QueryType()
	return QueryAs[R](ctx, c, about, q)
}

// QueryAs asks for q.Type, or for the metrics that q chooses. R is a struct with the columns that you need, or a
// map[string]any.
func QueryAs[R any](ctx context.Context, c *Client, about Subject, q Question) (*Answer[R], error) {
	all, err := c.Ask(ctx, about, q)
	if err != nil {
		return nil, err
	}
	return Decode[R](all[0])
}

// Rows returns all rows from q.Page on, and asks for one page of q.Limit rows after the other; a Limit of 0 means 1
// 000. An error ends the rows. Pages are computed one by one, so rows can move between pages while events arrive; a
// range in the past is stable.
func Rows[R Row](ctx context.Context, c *Client, about Subject, q Question) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		q.Limit = cmp.Or(q.Limit, 1000)
		for q.Page = max(q.Page, 1); ; q.Page++ {
			page, err := Query[R](ctx, c, about, q)
			if err != nil {
				var none R
				yield(none, err)
				return
			}
			for _, row := range page.Rows {
				if !yield(row, nil) {
					return
				}
			}
			if !page.Meta.HasMore {
				return
			}
		}
	}
}

// A Result is the answer to one question of [Client.Ask], before its rows are decoded.
type Result struct {
	answer rawAnswer
	err    error
	id     string
}

// rawAnswer is an entry of data in a response.
type rawAnswer struct {
	Success  bool                  `json:"success"`
	Error    string                `json:"error"`
	Code     Code                  `json:"code"`
	Data     json.RawMessage       `json:"data"`
	Previous json.RawMessage       `json:"previous"`
	Changes  []map[Column]*float64 `json:"changes"`
	Totals   json.RawMessage       `json:"totals"`
	Meta     Meta                  `json:"meta"`
}

// Err returns the error of the question, an [*Error]; nil if it was answered.
func (r Result) Err() error { return r.err }

// Decode returns the answer with rows of type R, or the error of the question.
func Decode[R any](r Result) (*Answer[R], error) {
	if r.err != nil {
		return nil, r.err
	}
	a := &Answer[R]{Changes: r.answer.Changes, Meta: r.answer.Meta, RequestID: r.id}
	err := json.Unmarshal(r.answer.Data, &a.Rows)
	if r.answer.Previous != nil {
		err = errors.Join(err, json.Unmarshal(r.answer.Previous, &a.Previous))
	}
	if r.answer.Totals != nil {
		err = errors.Join(err, json.Unmarshal(r.answer.Totals, &a.Totals))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAnswer, err)
	}
	return a, nil
}

// Ask asks 1 to 50 questions in one request and returns a result for each, in their order. If one question fails, its
// result has the error and the others are answered. An error of Ask means that no question was answered.
func (c *Client) Ask(ctx context.Context, about Subject, questions ...Question) ([]Result, error) {
	query := struct {
		Parameters []Question `json:"parameters"`
		TimeZone   string     `json:"timeZone,omitempty"`
	}{Parameters: questions}
	for i, q := range questions {
		if i > 0 && q.TimeZone != query.TimeZone {
			return nil, fmt.Errorf("client: the questions of one request must have the same time zone, not %q and %q",
				query.TimeZone, q.TimeZone)
		}
		query.TimeZone = q.TimeZone
	}
	text, err := json.Marshal(query)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	if about == nil {
		return nil, errors.New("client: the subject of a question is required")
	}
	name, id, err := about.address()
	if err != nil {
		return nil, err
	}
	var body struct{ Data []rawAnswer }
	header, err := c.send(ctx, call{
		method: http.MethodPost, url: c.api + "/v1/query?" + url.Values{name: {id}}.Encode(), body: text, twice: true,
	}, &body)
	if err != nil {
		return nil, err
	}
	if len(body.Data) != len(questions) {
		return nil, fmt.Errorf("%w: it has %d results for %d questions", errAnswer, len(body.Data), len(questions))
	}
	all := make([]Result, len(questions))
	for i, a := range body.Data {
		all[i] = Result{answer: a, id: header.Get("X-Request-Id")}
		if !a.Success {
			all[i].err = &Error{Status: http.StatusOK, Code: a.Code, Message: a.Error, RequestID: all[i].id}
		}
	}
	return all, nil
}
