package httpapi

import (
	"slices"

	"github.com/sightline-analytics/sightline/query"
)

// An ErrorCode is one kind of error: the field code of an error's body, with its status and texts.
type ErrorCode struct {
	Code    string
	Status  int    // of HTTP; 0 when it is only used for single parameters
	Message string // what callers are told, unless the error itself knows better
	When    string // for people
}

// A code is a row of the table below. Nothing else can become the code of an answer, but
// that of a [CodedError].
type code int

const (
	codeValidation code = iota
	codeNoSubject
	codeInvalidJSON
	codeAuthRequired
	codeForbidden
	codeNotFound
	codeMethod
	codeLateBody
	codeConflict
	codePrecondition
	codeTooLarge
	codeMediaType
	codeRateLimited
	codeInternal
	codeUnavailable
	codeFull
	codeTimeout
	codeUnknownType
	codeWrongSubject
	codeBadRange
	codeBadFilter
	codeBadGroup
	codeBadSort
	codeTooManyRows
	codeTooLargeAnswer
)

var codes = [...]ErrorCode{
	codeValidation: {"VALIDATION_ERROR", 400, "The request is not valid", "A field of the request, or of its address, is wrong; details lists all that are."},
	codeNoSubject: {"MISSING_PROJECT_ID", 400, "One of website_id, link_id and schedule_id is required in the address",
		"The address does not say what is asked about."},
	codeInvalidJSON:  {string(query.InvalidJSON), 400, "The body is not valid JSON", "The body is empty, broken, or no object or array of objects."},
	codeAuthRequired: {"AUTH_REQUIRED", 401, "Authentication required", "There is no key, or it is unknown, disabled, revoked or expired; one answer for all."},
	codeForbidden: {"FORBIDDEN", 403, "Insufficient permissions",
		"The key lacks a scope, or does not reach the resource. Unknown ids and ids of other owners get the same answer."},
	codeNotFound:     {"NOT_FOUND", 404, "Not found", "No route has this path, and the message names the nearest one; or the client has no such flag."},
	codeMethod:       {"METHOD_NOT_ALLOWED", 405, "This endpoint does not support the method", "The endpoint has other methods: the message and the header Allow name them."},
	codeLateBody:     {"REQUEST_TIMEOUT", 408, "The body did not arrive in time", "The body took more than ten seconds to arrive; it may be sent again."},
	codeConflict:     {"CONFLICT", 409, "A flag with this key already exists", "The client has a flag of this key in this environment."},
	codePrecondition: {"PRECONDITION_FAILED", 412, "The flag was changed meanwhile", "If-Match names no revision that the flag has now."},
	codeTooLarge:     {"PAYLOAD_TOO_LARGE", 413, "The body is too large", "The body is longer than the service takes; the message says how long it may be."},
	codeMediaType: {"UNSUPPORTED_MEDIA_TYPE", 415, "The body must be plain application/json in UTF-8",
		"The body is compressed or of another type."},
	codeRateLimited: {"RATE_LIMITED", 429, "Rate limit exceeded",
		"A limit is used up: limit, remaining, reset (Unix milliseconds) and retryAfter (seconds) say which and until when."},
	codeInternal: {"INTERNAL_SERVER_ERROR", 500, "Something went wrong on our side", "The log has the cause, by the request's id."},
	codeUnavailable: {"SERVICE_UNAVAILABLE", 503, "The service cannot answer now; try again later",
		"Something that the answer needs is away; Retry-After says when to try again."},
	codeFull:           {"STORAGE_FULL", 503, "The service cannot store changes: its disk is full", "The disk of the service is full. Nothing was changed; Retry-After says when to try again."},
	codeTimeout:        {"TIMEOUT", 504, "The answer took too long", "Ask for less: a shorter range, fewer parameters."},
	codeUnknownType:    {Code: string(query.UnknownType), When: "No query type has this name."},
	codeWrongSubject:   {Code: string(query.WrongSubject), When: "The query type is about another kind of subject: a website, a link or a monitor."},
	codeBadRange:       {Code: string(query.BadRange), When: "The parameter's own range or granularity is wrong."},
	codeBadFilter:      {Code: string(query.BadFilter), When: "The query type does not take one of the filters, or needs one that is not there."},
	codeBadGroup:       {Code: string(query.BadGroup), When: "The query type cannot be grouped by this field."},
	codeBadSort:        {Code: string(query.BadSort), When: "The query type cannot be sorted by this column."},
	codeTooLargeAnswer: {Code: string(query.TooLarge), When: "The answer to the request would be too large with this parameter's; the message says how large it may be."},
	codeTooManyRows:    {Code: string(query.TooManyRows), When: "The answer would have more rows than the engine gives."},
}

// Codes lists every code of this package's answers, in a new slice: those of whole requests first, then
// those of single parameters only. The set is closed; a host's own [CodedError] adds to it.
func Codes() []ErrorCode { return slices.Clone(codes[:]) }

// queryCodes are those mistakes of a query that are not codeValidation when they fail the
// whole request.
var queryCodes = map[query.Code]code{
	query.InvalidJSON: codeInvalidJSON,
	query.Forbidden:   codeForbidden,
	query.TimedOut:    codeTimeout,
	query.Unavailable: codeUnavailable,
	query.Internal:    codeInternal,
}
