package track

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// The words of the field status.
const (
	success = "success"
	partial = "partial"
	failed  = "error"
	ignored = "ignored"
)

// An item is one element of the body and what became of it.
type item struct {
	taken // kind and id also when it failed, as far as they can be told
	err   *problem
}

// A result is an item as answers show it.
type result struct {
	Status    string       `json:"status"`
	Type      string       `json:"type,omitempty"`
	EventID   string       `json:"eventId,omitempty"`
	Message   string       `json:"message,omitempty"`
	Code      string       `json:"code,omitempty"`
	Errors    []fieldError `json:"errors,omitempty"`
	EventType string       `json:"eventType,omitempty"`
}

func (i item) result() result {
	switch {
	case i.err != nil:
		return result{Status: failed, Message: i.err.Message, Code: i.err.Code, Errors: i.err.fields, EventType: i.kind, EventID: i.id}
	case i.ignored:
		return result{Status: ignored, Type: i.kind, EventID: i.id}
	}
	return result{Status: success, Type: i.kind, EventID: i.id}
}

// An answer is the body of success for one item.
type answer struct {
	Status  string `json:"status"`
	Type    string `json:"type,omitempty"`
	Count   *int   `json:"count,omitempty"`
	EventID string `json:"eventId,omitempty"`
}

// A listAnswer is the body for many items of one kind.
type listAnswer struct {
	Status    string   `json:"status"`
	Type      string   `json:"type"`
	Count     int      `json:"count"` // taken
	Processed int      `json:"processed"`
	Message   string   `json:"message,omitempty"`
	Results   []result `json:"results"`
}

// A batchAnswer is the body for many items of any kinds.
type batchAnswer struct {
	Status    string         `json:"status"`
	Batch     bool           `json:"batch"`
	Processed int            `json:"processed"`
	Batched   map[string]int `json:"batched"` // taken, by kind
	Results   []result       `json:"results"`
}

// An envelope is the body of every failure.
type envelope struct {
	Success    bool         `json:"success"`
	Status     string       `json:"status"`
	Error      string       `json:"error"`
	Message    string       `json:"message"`
	Code       string       `json:"code"`
	Retryable  bool         `json:"retryable"`
	RequestID  string       `json:"requestId"`
	RetryAfter int          `json:"retryAfter,omitempty"` // seconds
	Errors     []fieldError `json:"errors,omitempty"`
	Results    []result     `json:"results,omitempty"`

	*auth.RateStatus // of 429: limit, remaining and reset; RetryAfter above comes first
}

// single answers for one item.
func single(c *call) reply {
	i := c.items[0]
	if i.err != nil {
		return c.refuse(i.err)
	}
	return reply{http.StatusOK, answer{Status: success, Type: i.kind, EventID: i.id}}
}

// counted answers for one item or many of one kind. When none was taken, it is a
// failure as the first one's.
func counted(c *call) reply {
	status, results, ok := c.summary()
	if status == failed {
		rep := c.refuse(c.items[0].err)
		if e, is := rep.body.(envelope); is && c.many {
			e.Results = results
			rep.body = e
		}
		return rep
	}
	if !c.many {
		return reply{http.StatusOK, answer{Status: status, Type: c.route.kind, Count: &ok, EventID: c.items[0].id}}
	}
	a := listAnswer{Status: status, Type: c.route.kind, Count: ok, Processed: len(c.items), Results: results}
	if status == partial {
		a.Message = "Some items were not accepted"
	}
	return reply{http.StatusOK, a}
}

// batched answers for many items of any kinds. It is no failure when all failed:
// each item says so itself.
func batched(c *call) reply {
	status, results, _ := c.summary()
	a := batchAnswer{Status: status, Batch: true, Processed: len(c.items), Batched: map[string]int{}, Results: results}
	for _, k := range c.route.kinds {
		a.Batched[k] = 0
	}
	for _, i := range c.items {
		if i.err == nil && !i.ignored {
			a.Batched[i.kind]++
		}
	}
	return reply{http.StatusOK, a}
}

// summary returns the word for all items, their results, and how many were taken.
func (c *call) summary() (status string, results []result, ok int) {
	results = make([]result, 0, len(c.items))
	bad := 0
	for _, i := range c.items {
		results = append(results, i.result())
		switch {
		case i.err != nil:
			bad++
		case !i.ignored:
			ok++
		}
	}
	switch {
	case bad == 0:
		return success, results, ok
	case bad == len(c.items):
		return failed, results, ok
	}
	return partial, results, ok
}

// bot answers a crawler. It has a body, since clients read one.
func bot() reply { return reply{http.StatusOK, answer{Status: ignored}} }

// refuse answers with a failure, and logs what is not the sender's fault.
func (c *call) refuse(err error) reply {
	p := asProblem(err)
	if p.Status >= http.StatusInternalServerError {
		level := slog.LevelError
		if errors.Is(p, context.Canceled) && c.r.Context().Err() != nil { // the sender left
			level = slog.LevelInfo
		}
		c.h.cfg.Logger.Log(c.r.Context(), level, "tracking failed", "requestId", c.id, "path", c.r.URL.Path, "code", p.Code, "error", p.cause)
	}
	e := envelope{Status: failed, Error: p.Message, Message: p.Message, Code: p.Code, Retryable: p.retryable(), RequestID: c.id, Errors: p.fields, RateStatus: p.rate}
	if p.Retry > 0 {
		c.w.Header().Set("Retry-After", seconds(p.Retry))
		e.RetryAfter = int((p.Retry + time.Second - 1) / time.Second)
	}
	switch {
	case p.Status == http.StatusUnauthorized && credentialed(c.r):
		c.w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	case p.Status == http.StatusUnauthorized:
		c.w.Header().Set("WWW-Authenticate", "Bearer")
	case p.Status == http.StatusForbidden && c.key != nil:
		c.w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="track:events"`)
	}
	return reply{p.Status, e}
}
