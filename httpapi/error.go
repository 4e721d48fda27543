package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// The mistakes that only this package can see.
var (
	errNoSubject = errors.New("httpapi: no subject")
	errNoRoute   = errors.New("httpapi: no such route")
	errMethod    = errors.New("httpapi: method not allowed")
	errMediaType = errors.New("httpapi: unsupported media type")
	errMalformed = query.Errors{{Code: query.Invalid, Field: "query", Message: "the query string is malformed"}}
)

// problems says what each error is to a caller. The first row that matches counts; what
// no row matches is an internal error, whose cause nobody but the log sees.
var problems = []struct {
	match   func(error) bool
	status  int
	code    string
	message string
	tell    func(error, *problem) // fills in what the error itself knows; may be nil
}{
	{is(auth.ErrRequired), http.StatusUnauthorized, "AUTH_REQUIRED", "Authentication required", nil},
	{is(auth.ErrForbidden), http.StatusForbidden, "FORBIDDEN", "Insufficient permissions", tellDenied},
	{as[*limited], http.StatusTooManyRequests, "RATE_LIMITED", "", tellLimited},
	{is(errNoSubject), http.StatusBadRequest, "MISSING_PROJECT_ID", "One of website_id, link_id and schedule_id is required", nil},
	{as[query.Errors], http.StatusBadRequest, string(query.Invalid), "", tellMistakes},
	{as[*query.Error], http.StatusBadRequest, string(query.Invalid), "", tellMistake},
	{as[*http.MaxBytesError], http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE", "", tellSize},
	{is(errMediaType), http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "The body must be plain application/json in UTF-8", nil},
	{is(errNoRoute), http.StatusNotFound, "NOT_FOUND", "There is nothing at this address", nil},
	{is(store.ErrNotFound), http.StatusNotFound, "NOT_FOUND", "There is nothing at this address", nil},
	{is(errMethod), http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "This address does not answer to that method", nil},
	{is(store.ErrUnavailable), http.StatusServiceUnavailable, codeUnavailable, messageUnavailable, nil},
	{as[*unavailable], http.StatusServiceUnavailable, codeUnavailable, messageUnavailable, nil},
	{is(context.DeadlineExceeded), http.StatusGatewayTimeout, "TIMEOUT", "The answer took too long", nil},
	{is(context.Canceled), http.StatusServiceUnavailable, codeUnavailable, messageUnavailable, nil},
}

const (
	codeUnavailable    = "SERVICE_UNAVAILABLE"
	messageUnavailable = "The service cannot answer now; try again later"
)

// A problem is an error as a caller sees it.
type problem struct {
	status  int
	code    string
	message string
	details []detail
	scope   auth.Scope // of 403
	limited *limited   // of 429
}

// A detail is one mistake of a request.
type detail struct {
	Field      string `json:"field"`
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitempty"`
}

// problemOf looks err up.
func problemOf(err error) problem {
	for _, row := range problems {
		if !row.match(err) {
			continue
		}
		p := problem{status: row.status, code: row.code, message: row.message}
		if row.tell != nil {
			row.tell(err, &p)
		}
		return p
	}
	return problem{status: http.StatusInternalServerError, code: "INTERNAL_SERVER_ERROR", message: "Something went wrong on our side"}
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// statuses are those of the codes that concern a query alone and are no mistake of its caller.
var statuses = map[query.Code]struct {
	status int
	code   string
}{
	query.InvalidJSON: {http.StatusBadRequest, string(query.InvalidJSON)},
	query.Forbidden:   {http.StatusForbidden, "FORBIDDEN"},
	query.TimedOut:    {http.StatusGatewayTimeout, "TIMEOUT"},
	query.Unavailable: {http.StatusServiceUnavailable, codeUnavailable},
	query.Internal:    {http.StatusInternalServerError, "INTERNAL_SERVER_ERROR"},
}

func tellMistakes(err error, p *problem) {
	if all, ok := errors.AsType[query.Errors](err); ok {
		p.tellAll(all)
	}
}

func tellMistake(err error, p *problem) {
	if one, ok := errors.AsType[*query.Error](err); ok {
		p.tellAll(query.Errors{one})
	}
}

// tellAll says what the first mistake is and lists all; the first decides the code.
func (p *problem) tellAll(all query.Errors) {
	if len(all) == 0 {
		p.message = "The request is not valid"
		return
	}
	if s, ok := statuses[all[0].Code]; ok {
		p.status, p.code = s.status, s.code
	}
	p.message = all[0].Error()
	if more := len(all) - 1; more > 0 {
		p.message = fmt.Sprintf("%s (and %d more)", strings.TrimRight(p.message, "."), more)
	}
	for _, e := range all {
		p.details = append(p.details, detail{e.Field, e.Message, e.Suggestion})
	}
}

func tellSize(err error, p *problem) {
	if size, ok := errors.AsType[*http.MaxBytesError](err); ok {
		p.message = fmt.Sprintf("The body may have at most %d bytes", size.Limit)
	}
}

func tellDenied(err error, p *problem) {
	if d, ok := errors.AsType[*denied](err); ok {
		p.scope = d.scope
	}
}

func tellLimited(err error, p *problem) {
	if errors.As(err, &p.limited) {
		p.message = p.limited.message
	}
}

// denied is the auth.ErrForbidden that knows which scope would have helped.
type denied struct{ scope auth.Scope }

func (d *denied) Error() string { return auth.ErrForbidden.Error() + ": " + string(d.scope) }
func (d *denied) Unwrap() error { return auth.ErrForbidden }

// unavailable says that a part which no call can do without gave no answer.
type unavailable struct {
	part  string
	cause error
}

func (u *unavailable) Error() string { return u.part + ": " + u.cause.Error() }
