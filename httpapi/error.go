package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/requestid"
	"github.com/sightline-analytics/sightline/query"
)

// retryUnavailable is the Retry-After of 503.
const retryUnavailable = 5 * time.Second

// errorBody is the body of every error.
type errorBody struct {
	Success          bool                 `json:"success"`
	Error            string               `json:"error"`
	Code             string               `json:"code"`
	RequestID        string               `json:"requestId"`
	Details          []mistake.FieldError `json:"details,omitempty"`
	*auth.RateStatus                      // for 429
}

// WriteError answers r with err in the format of this package, so that a host's middleware and routes send errors in
// the same format. It knows a host's CodedError, the errors of auth, query and store, http.MaxBytesError and the
// errors of contexts. Any other error is 500 INTERNAL_SERVER_ERROR, without its text. WriteError logs nothing. The
// request id is the one that is already set on w, else the valid one in r, else a new one.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	id := w.Header().Get(requestid.Header)
	if id == "" {
		id = requestid.Of(r, front.NewRequestID)
		w.Header().Set(requestid.Header, id)
	}
	p := problemOf(err)
	p.hint(r, err)
	p.refusal(r, id).Answer(r, err).Write(w, r)
}

// refuse implements front.Config.Refuse.
func refuse(r *front.Request, err error) front.Refusal {
	p := problemOf(err)
	p.hint(r.Request, err)
	rf := p.refusal(r.Request, r.ID)
	if rf.Type == "" && r.Route != nil && strings.HasPrefix(r.Route.Path, ofrepPrefix) {
		rf.Body = asOFREP(r, err, p.body(r.ID))
	}
	return rf
}

func (p problem) body(id string) errorBody {
	return errorBody{Error: p.Message, Code: p.Code, RequestID: id, Details: p.details, RateStatus: p.rate}
}

// refusal returns p as the response to r, whose id is id.
func (p problem) refusal(r *http.Request, id string) front.Refusal {
	rf := front.Refusal{Status: p.Status, Code: p.Code, Scope: p.scope, Body: p.body(id)}
	if front.WantsProblem(r.Header) {
		rf.Type, rf.Body = front.ProblemType, p.problem(p.body(id))
	}
	switch {
	case p.rate != nil:
		rf.Retry = time.Duration(p.rate.RetryAfter) * time.Second
	case p.Status == http.StatusServiceUnavailable:
		rf.Retry = retryUnavailable
	}
	return rf
}

// Mistakes that only this package can find.
var (
	errNoSubject = errors.New("httpapi: no subject")
	errMalformed = mistake.List{{Field: "query", Message: "the query string is malformed"}}
)

// errorTable maps errors to codes. The first matching row is used. Other errors are internal errors, whose cause is
// only in the log. The declaration of an error gives its kind, see package failure.
var errorTable = []struct {
	match func(error) bool
	code  code
	fill  func(error, *problem) // adds details of the error; may be nil
}{
	{as[CodedError], codeInternal, fillCoded},
	{of(failure.Unauthenticated), codeAuthRequired, nil},
	{of(failure.Denied), codeForbidden, fillDenied},
	{as[*front.LimitedError], codeRateLimited, fillLimited},
	{as[*front.CostError], codeValidation, fillCost},
	{is(errNoSubject), codeNoSubject, fillNoSubject},
	{as[query.Errors], codeValidation, fillQuery},
	{as[*query.Error], codeValidation, fillQuery},
	{as[mistake.Listed], codeValidation, fillMistakes},
	{as[*http.MaxBytesError], codeTooLarge, fillSize},
	{as[*mediaTypeError], codeMediaType, fillMediaType},
	{as[*formError], codeNotAcceptable, fillForm},
	{of(failure.Late), codeLateBody, nil},
	{as[*front.BodyError], codeInvalidJSON, fillBody},
	{of(failure.NoRoute), codeNotFound, fillText},
	{of(failure.NoMethod), codeMethod, fillText},
	{of(failure.Invalid), codeValidation, fillText},
	{of(failure.NotFound), codeNotFound, fillText},
	{of(failure.Conflict), codeConflict, fillText},
	{of(failure.Changed), codePrecondition, fillText},
	{of(failure.Full), codeFull, fillText},
	{of(failure.Unavailable), codeUnavailable, fillText},
	{of(failure.TimedOut), codeTimeout, fillText},
	{of(failure.Internal), codeInternal, nil},
}

// A CodedError is an error of a host with its own code, status and message. If an Authenticator, a Directory or a
// Limiter returns one, also wrapped, the response has this code.
type CodedError interface {
	error
	// ErrorCode returns the code, the message, and a status from 400 to 599. For any other status the response is 500
	// INTERNAL_SERVER_ERROR. When is not used.
	ErrorCode() ErrorCode
}

// A problem is the description of an error for callers.
type problem struct {
	ErrorCode
	details []mistake.FieldError
	scope   auth.Scope       // set for 403
	rate    *auth.RateStatus // set for 429
}

// about returns the detail with a message about a field.
func about(field, message string) mistake.FieldError {
	return mistake.FieldError{Field: field, Message: message}
}

// problemOf returns the problem for err.
func problemOf(err error) problem {
	at := rowOf(err)
	if at < 0 {
		return problem{ErrorCode: codes[codeInternal]}
	}
	p := problem{ErrorCode: codes[errorTable[at].code]}
	if fill := errorTable[at].fill; fill != nil {
		fill(err, &p)
	}
	return p
}

// rowOf returns the row of errorTable for err, or -1.
func rowOf(err error) int {
	for i, row := range errorTable {
		if row.match(err) {
			return i
		}
	}
	return -1
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func of(kind failure.Kind) func(error) bool {
	return func(err error) bool {
		is, _, ok := failure.Of(err)
		return ok && is == kind
	}
}

func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

func fillCoded(err error, p *problem) {
	if own, ok := errors.AsType[CodedError](err); ok {
		if c := own.ErrorCode(); c.Status >= http.StatusBadRequest && c.Status < 600 {
			p.ErrorCode = c
		}
	}
}

// fillQuery is fillMistakes with the code of the first mistake.
func fillQuery(err error, p *problem) {
	all, _ := errors.AsType[query.Errors](err)
	if one, ok := errors.AsType[*query.Error](err); ok && len(all) == 0 {
		all = query.Errors{one}
	}
	if len(all) == 0 {
		return
	}
	if c, ok := queryCodes[all[0].Code]; ok {
		p.ErrorCode = codes[c]
	}
	p.list(all.Mistakes())
}

func fillMistakes(err error, p *problem) { p.list(mistake.In(err)) }

// list uses the first mistake for the message, and lists all mistakes.
func (p *problem) list(all []mistake.FieldError) {
	if len(all) == 0 {
		return
	}
	p.Message = all[0].Error()
	if len(all) > 1 {
		p.Message = fmt.Sprintf("%s (%d problems, see details)", p.Message, len(all))
	}
	p.details = all
}

func fillMediaType(err error, p *problem) {
	if m, ok := errors.AsType[*mediaTypeError](err); ok {
		p.Message = m.Error()
		p.details = []mistake.FieldError{about(m.header, p.Message)}
	}
}

// fillNoSubject describes a missing subject, or where a misplaced id belongs.
func fillNoSubject(err error, p *problem) {
	missing, ok := errors.AsType[*subjectError](err)
	if !ok {
		return
	}
	p.details = missing.Mistakes()
	more, _ := errors.AsType[query.Errors](missing.others)
	if at := slices.IndexFunc(more, func(e *query.Error) bool { return errors.Is(e, query.ErrMisplaced) }); at >= 0 {
		p.Message = more[at].Error()
		p.details = p.details[1:]
	}
}

// fillText uses the text of an error for callers, if it has one.
func fillText(err error, p *problem) {
	if _, text, _ := failure.Of(err); text != "" {
		p.Message = text
	}
}

func fillSize(err error, p *problem) {
	if size, ok := errors.AsType[*http.MaxBytesError](err); ok {
		p.Message = fmt.Sprintf("The body may have at most %d bytes", size.Limit)
	}
}

func fillDenied(err error, p *problem) {
	if d, ok := errors.AsType[*denied](err); ok {
		p.scope = d.scope
		if d.why != "" {
			p.details = []mistake.FieldError{about(d.field, d.why)}
		}
	}
}

func fillLimited(err error, p *problem) {
	if l, ok := errors.AsType[*front.LimitedError](err); ok {
		p.rate, p.Message = &l.Status, l.Error()
	}
}

func fillBody(err error, p *problem) {
	if b, ok := errors.AsType[*front.BodyError](err); ok {
		p.list(mistake.One("", b.Error()))
	}
}

func fillCost(err error, p *problem) {
	if c, ok := errors.AsType[*front.CostError](err); ok {
		p.Message = fmt.Sprintf("The request costs %d of a limit of %d per minute: split it into smaller requests",
			c.Cost, c.Limit)
	}
}

// shortened quotes text and cuts it to 64 printable characters.
func shortened(text string) string {
	const longest = 64
	short := fmt.Sprintf("%+.*q", longest, text)
	if len([]rune(text)) > longest {
		short += "…"
	}
	return short
}
