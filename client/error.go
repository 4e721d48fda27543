package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An Error is the service's answer to a request or a parameter that failed.
type Error struct {
	Status int // of the HTTP response; 200 if one parameter failed in a response with others
	// one of the constants Code…; empty if the response does not come from Sightline, such as a proxy's
	Code       Code
	Message    string        // for people; it may change between versions
	Details    []Detail      // the mistakes of the request, if it has any
	RequestID  string        // of the response; it is also in the log of the service
	RetryAfter time.Duration // how long the service asks to wait; 0: it does not say

	results []itemResult // of tracking: what became of each item
}

// A Detail is one mistake in a request.
type Detail struct {
	Field      string `json:"field"`      // its place, such as parameters[0].filters[1].op
	Message    string `json:"message"`    // what is wrong
	Suggestion string `json:"suggestion"` // a value that would be valid; empty: none is near
	Code       string `json:"code"`       // the kind of mistake in an event; empty in queries
}

// Error returns the message with its code, its mistakes and the id of the request.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sightline: %s: %s", cmp.Or(string(e.Code), "status "+http.StatusText(e.Status)),
		cmp.Or(e.Message, "no message"))
	for _, d := range e.Details {
		if !strings.Contains(e.Message, d.Message) {
			b.WriteString("; " + d.Field + " " + d.Message)
		}
	}
	if e.RequestID != "" {
		b.WriteString(" (request " + e.RequestID + ")")
	}
	return b.String()
}

// Is reports whether target is a Code and e has this code, so that errors.Is(err, client.CodeRateLimited) works.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

// Error implements error, so that [errors.Is] can look for a code.
func (c Code) Error() string { return "sightline: " + string(c) }

// refused reports whether the service refused the request before it did anything, so that any request may be sent
// again.
func (e *Error) refused() bool { return e.Status == http.StatusTooManyRequests }

// passing reports whether the failure may pass, so that a request that may run twice is worth sending again.
func (e *Error) passing() bool {
	return slices.Contains([]int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout, http.StatusRequestTimeout}, e.Status)
}

// A failure is the body of a response to a request that failed, of the API and of the tracking host.
type failure struct {
	Error      string       `json:"error"`
	Message    string       `json:"message"`
	Code       Code         `json:"code"`
	RequestID  string       `json:"requestId"`
	Details    []Detail     `json:"details"`
	Errors     []Detail     `json:"errors"`
	RetryAfter int          `json:"retryAfter"`
	Results    []itemResult `json:"results"`
}

// errorOf returns the error of a response.
func errorOf(resp *http.Response, body []byte) *Error {
	e := &Error{Status: resp.StatusCode, RequestID: resp.Header.Get("X-Request-Id"),
		RetryAfter: retryAfter(resp.Header)}
	var f failure
	if json.Unmarshal(body, &f) != nil || f.Code == "" {
		e.Message = "the response does not come from Sightline"
		return e
	}
	e.Code, e.Message, e.Details, e.results = f.Code, cmp.Or(f.Error, f.Message), slices.Concat(f.Details, f.Errors),
		f.Results
	e.RequestID = cmp.Or(e.RequestID, f.RequestID)
	e.RetryAfter = cmp.Or(e.RetryAfter, time.Duration(f.RetryAfter)*time.Second)
	return e
}
