package track

import (
	"errors"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// A problem is what is wrong with a request or with one item, as the sender is told.
type problem struct {
	ErrorCode
	fields []fieldError
	cause  error            // for the log alone
	rate   *auth.RateStatus // of a refusal by the limiter
}

// A fieldError is one mistake in an item. Field is its dotted path.
type fieldError struct {
	Code    string `json:"code"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error makes a problem an error.
func (p *problem) Error() string { return "track: " + p.Message }

// Unwrap returns the cause.
func (p *problem) Unwrap() error { return p.cause }

// problem is a new problem of this code.
func (c code) problem() *problem { return &problem{ErrorCode: codes[c]} }

// withCause is a new problem of this code with what the log is told.
func (c code) withCause(err error) *problem { return &problem{ErrorCode: codes[c], cause: err} }

// wrongType is a new problem of this code with one field that is of another type than it
// should be.
func (c code) wrongType(field, message string) *problem {
	return &problem{ErrorCode: codes[c], fields: []fieldError{{Code: "invalid_type", Field: field, Message: message}}}
}

// limited is a new problem of a request that a limiter refused.
func limited(d auth.Decision, now time.Time) *problem {
	p, s := codeRateLimited.problem(), d.RateStatus(now)
	if d.Concurrent {
		p.Message = "Too many requests of the key at the same time"
	}
	p.rate, p.Retry = &s, time.Duration(s.RetryAfter)*time.Second
	return p
}

// asProblem is err as a problem; what nobody foresaw is an internal error.
func asProblem(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	return codeInternal.withCause(err)
}

// retryable reports whether the same request may succeed later.
func (p *problem) retryable() bool {
	switch p.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return p.Status >= http.StatusInternalServerError
}
