package track

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/store"
)

// A problem is an error of a request or an item, as reported to the sender.
type problem struct {
	ErrorCode
	fields  []fieldError
	results []result         // results of all items if none was accepted
	cause   error            // only for the log
	rate    *auth.RateStatus // set for refusals by the limiter
}

// A fieldError is one mistake in an item, with its kind for programs. Field is its path with dots.
type fieldError struct {
	Code    string `json:"code"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// mistakeOf returns the mistake of a field.
func mistakeOf(kind, field, message string) fieldError {
	return fieldError{kind, field, message}
}

// Error implements error.
func (p *problem) Error() string {
	if p.cause != nil {
		return "track: " + p.Message + ": " + p.cause.Error()
	}
	return "track: " + p.Message
}

// Unwrap returns the cause.
func (p *problem) Unwrap() error { return p.cause }

// problem returns a new problem with this code.
func (c code) problem() *problem { return &problem{ErrorCode: codes[c]} }

// withCause returns a new problem with this code and a cause for the log.
func (c code) withCause(err error) *problem { return &problem{ErrorCode: codes[c], cause: err} }

// mistake returns a new problem with this code and one mistake.
func (c code) mistake(kind, field, message string) *problem {
	return &problem{ErrorCode: codes[c], fields: []fieldError{mistakeOf(kind, field, message)}}
}

// wrongType returns a new problem with this code and the message about a value of the wrong type. field is empty for
// the whole item or body.
func (c code) wrongType(field, message string) *problem {
	return c.mistake("invalid_type", field, message)
}

// asProblem returns err as a problem. Unexpected errors become internal errors.
func asProblem(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	if l, ok := errors.AsType[*front.LimitedError](err); ok {
		p := codeRateLimited.withCause(err)
		if l.Concurrent {
			p.Message = l.Error()
		}
		p.rate, p.Retry = &l.Status, time.Duration(l.Status.RetryAfter)*time.Second
		return p
	}
	if costly, ok := errors.AsType[*front.CostError](err); ok {
		p := codeTooMany.withCause(err)
		p.Message = fmt.Sprintf("The request costs %d, and the limit is %d per minute: send fewer items in one request",
			costly.Cost, costly.Limit)
		return p
	}
	kind, text, _ := failure.Of(err)
	c := kindCodes[kind]
	for special, code := range specialCodes {
		if errors.Is(err, special) {
			c, text = code, ""
		}
	}
	p := c.withCause(err)
	if text != "" && c != codeInternal {
		p.Message = text
	}
	return p
}

// kindCodes has the codes of errors by their kinds. Most errors of a part are given another code where it is called, so
// that some kinds are faults of the installation, of the host or of this package here.
var kindCodes = map[failure.Kind]code{
	failure.Internal:        codeInternal,
	failure.Unauthenticated: codeAuthRequired,
	failure.Denied:          codeForbidden,
	failure.NoRoute:         codeNotFound,
	failure.NoMethod:        codeMethod,
	failure.Late:            codeLateBody,
	failure.Invalid:         codeInternal,
	failure.NotFound:        codeInternal,
	failure.Conflict:        codeInternal,
	failure.Changed:         codeInternal,
	failure.Full:            codeFull,
	failure.Unavailable:     codeUnavailable,
	failure.TimedOut:        codeUnavailable,
}

// specialCodes has the codes of errors with a code of their own.
var specialCodes = map[error]code{store.ErrManyProfiles: codeManyProfiles, store.ErrManyTraits: codeBadEvent}

// retryable reports whether the same request may succeed later.
func (p *problem) retryable() bool {
	switch p.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return p.Status >= http.StatusInternalServerError
}
