package track

import (
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/intake"
)

// The values of the field status.
const (
	success = "success"
	partial = "partial"
	failed  = "error"
	ignored = "ignored"
)

// An item is an element of the body, and its result.
type item struct {
	taken // after a failure, kind and id are set if they are known
	err   *problem
}

// An outcome holds the results of a request's items.
type outcome struct {
	kind  string   // kind of all items; empty if each has its own
	kinds []string // kinds that are always counted
	many  bool     // the body is an array
	items []item
}

// A result describes an item in a response.
type result struct {
	Status    string       `json:"status"`
	Type      string       `json:"type,omitempty"`
	EventID   string       `json:"eventId,omitempty"`
	Message   string       `json:"message,omitempty"`
	Code      string       `json:"code,omitempty"`
	Errors    []fieldError `json:"errors,omitempty"`
	EventType string       `json:"eventType,omitempty"`
	Reason    string       `json:"reason,omitempty"`  // why the item was ignored
	Dropped   []string     `json:"dropped,omitempty"` // fields that were cut or left out
}

func (i item) result() result {
	switch {
	case i.err != nil:
		return result{Status: failed, Message: i.err.Message, Code: i.err.Code, Errors: i.err.fields, EventType: i.kind,
			EventID: i.id}
	case i.ignored != "":
		return result{Status: ignored, Type: i.kind, EventID: i.id, Reason: i.ignored, Dropped: i.dropped}
	}
	return result{Status: success, Type: i.kind, EventID: i.id, Dropped: i.dropped}
}

// An answer is the body of a successful response for one item.
type answer struct {
	Status  string   `json:"status"`
	Type    string   `json:"type,omitempty"`
	Count   *int     `json:"count,omitempty"`
	EventID string   `json:"eventId,omitempty"`
	Reason  string   `json:"reason,omitempty"`  // why the request was ignored
	Dropped []string `json:"dropped,omitempty"` // fields that were cut or left out
}

// A listAnswer is the body for several items of one kind.
type listAnswer struct {
	Status    string   `json:"status"`
	Type      string   `json:"type"`
	Count     int      `json:"count"` // accepted items
	Processed int      `json:"processed"`
	Message   string   `json:"message,omitempty"`
	Results   []result `json:"results"`
}

// A batchAnswer is the body for items of several kinds.
type batchAnswer struct {
	Status    string         `json:"status"`
	Batch     bool           `json:"batch"`
	Processed int            `json:"processed"`
	Batched   map[string]int `json:"batched"` // accepted items by kind
	Results   []result       `json:"results"`
}

// An envelope is the body of a failed request.
type envelope struct {
	Success bool   `json:"success"`
	Status  string `json:"status"`
	reason
}

// A reason says why a request failed.
type reason struct {
	Error      string       `json:"error"`
	Message    string       `json:"message"`
	Code       string       `json:"code"`
	Retryable  bool         `json:"retryable"`
	RequestID  string       `json:"requestId"`
	RetryAfter int          `json:"retryAfter,omitempty"` // seconds
	Errors     []fieldError `json:"errors,omitempty"`
	Results    []result     `json:"results,omitempty"`

	*auth.RateStatus // for 429: limit, remaining and reset. RetryAfter above takes precedence
}

// single returns the response for one item.
func (o *outcome) single() (*front.Answer, error) {
	i := o.items[0]
	if i.err != nil {
		return nil, i.err
	}
	return front.JSON(answer{Status: success, Type: i.kind, EventID: i.id, Dropped: i.dropped})
}

// counted returns the response for one or several items of one kind. If none was accepted, it is the error of the
// first item.
func (o *outcome) counted() (*front.Answer, error) {
	status, results, ok := o.summary()
	switch {
	case status == failed && !o.many:
		return nil, o.items[0].err
	case status == failed:
		all := *o.items[0].err
		all.results = results
		return nil, &all
	case !o.many:
		return front.JSON(answer{Status: status, Type: o.kind, Count: &ok, EventID: o.items[0].id,
			Dropped: o.items[0].dropped})
	}
	a := listAnswer{Status: status, Type: o.kind, Count: ok, Processed: len(o.items), Results: results}
	if status == partial {
		a.Message = "Some items were not accepted"
	}
	return front.JSON(a)
}

// batched returns the response for items of several kinds. It succeeds even if all items failed, since each
// item has its own status.
func (o *outcome) batched() (*front.Answer, error) {
	status, results, _ := o.summary()
	a := batchAnswer{Status: status, Batch: true, Processed: len(o.items), Batched: map[string]int{}, Results: results}
	for _, k := range o.kinds {
		a.Batched[k] = 0
	}
	for _, i := range o.items {
		if i.err == nil && i.ignored == "" {
			a.Batched[i.kind]++
		}
	}
	return front.JSON(a)
}

// summary returns the status for all items, their results, and the number of accepted items.
func (o *outcome) summary() (status string, results []result, ok int) {
	results = make([]result, 0, len(o.items))
	bad := 0
	for _, i := range o.items {
		results = append(results, i.result())
		switch {
		case i.err != nil:
			bad++
		case i.ignored == "":
			ok++
		}
	}
	switch {
	case bad == 0:
		return success, results, ok
	case bad == len(o.items):
		return failed, results, ok
	}
	return partial, results, ok
}

// maxBotName is the maximum length of a bot's name in statistics.
const maxBotName = 40

// botName returns the name under which a bot is counted.
func botName(name string) string {
	return intake.Cut(address.Clean(strings.ToValidUTF8(name, "")), maxBotName)
}

// refuse implements front.Config.Refuse.
func refuse(r *front.Request, err error) front.Refusal {
	p := asProblem(err)
	scope := auth.TrackEvents
	if r.Principal == nil {
		scope = ""
	}
	why := reason{
		Error: p.Message, Message: p.Message, Code: p.Code, Retryable: p.retryable(), RequestID: r.ID,
		RetryAfter: int((p.Retry + time.Second - 1) / time.Second), Errors: p.fields, Results: p.results,
		RateStatus: p.rate,
	}
	rf := front.Refusal{Status: p.Status, Coding: "gzip, identity", Code: p.Code, Scope: scope, Retry: p.Retry,
		Body: envelope{Status: failed, reason: why}}
	if front.WantsProblem(r.Header) {
		title := p.Message
		if i := slices.IndexFunc(codes[:], func(c ErrorCode) bool { return c.Code == p.Code }); i >= 0 {
			title = codes[i].Message
		}
		rf.Type, rf.Body = front.ProblemType,
			problemBody{front.NewProblem(p.Code, title, p.Message, p.Status), false, why}
	}
	return rf
}

// A problemBody is the body of a failed request in the form of RFC 9457. Its status is the number of that form.
type problemBody struct {
	front.Problem

	Success bool `json:"success"`
	reason
}
