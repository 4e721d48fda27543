package httpapi

import (
	"slices"

	"github.com/sightline-analytics/sightline/query"
)

// An ErrorCode is a kind of error, with its status and texts. Its Code is in the body of an error.
type ErrorCode struct {
	Code    string
	Status  int    // HTTP status; 0 if only used for single parameters
	Message string // sent to callers, unless the error has its own message
	When    string // an explanation for people
}

// A code is an index into the table below. So the only other codes in responses are those of a
// [CodedError].
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
	codeValidation: {"VALIDATION_ERROR", 400, "The request is not valid", "A field of the request or of its URL is invalid; details lists all of them."},
	codeNoSubject: {"MISSING_PROJECT_ID", 400, "One of website_id, link_id and schedule_id is required in the address",
		"The URL does not name a website, link or monitor."},
	codeInvalidJSON:  {string(query.InvalidJSON), 400, "The body is not valid JSON", "The body is empty or malformed, or not an object or array of objects."},
	codeAuthRequired: {"AUTH_REQUIRED", 401, "Authentication required", "The key is missing, unknown, disabled, revoked or expired; the response does not say which."},
	codeForbidden: {"FORBIDDEN", 403, "Insufficient permissions",
		"The key lacks a scope, or does not reach the resource. Unknown ids and ids of other owners get the same answer."},
	codeNotFound:     {"NOT_FOUND", 404, "Not found", "No route has this path, and the message suggests the nearest one; or the client does not have the flag."},
	codeMethod:       {"METHOD_NOT_ALLOWED", 405, "This endpoint does not support the method", "The endpoint does not support the method; the message and the header Allow name the supported methods."},
	codeLateBody:     {"REQUEST_TIMEOUT", 408, "The body did not arrive in time", "The body took more than ten seconds to arrive; it may be sent again."},
	codeConflict:     {"CONFLICT", 409, "A flag with this key already exists", "The client already has a flag with this key in this environment."},
	codePrecondition: {"PRECONDITION_FAILED", 412, "The flag was changed meanwhile", "If-Match does not contain the current revision of the flag."},
	codeTooLarge:     {"PAYLOAD_TOO_LARGE", 413, "The body is too large", "The body is too long; the message contains the limit."},
	codeMediaType: {"UNSUPPORTED_MEDIA_TYPE", 415, "The body must be plain application/json in UTF-8",
		"The body is compressed or of another type."},
	codeRateLimited: {"RATE_LIMITED", 429, "Rate limit exceeded",
		"A rate limit is used up: limit, remaining, reset (Unix milliseconds) and retryAfter (seconds) describe it."},
	codeInternal: {"INTERNAL_SERVER_ERROR", 500, "Something went wrong on our side", "The server's log has the cause under the request's id."},
	codeUnavailable: {"SERVICE_UNAVAILABLE", 503, "The service cannot answer now; try again later",
		"A dependency is unavailable; Retry-After says when to try again."},
	codeFull:           {"STORAGE_FULL", 503, "The service cannot store changes: its disk is full", "The disk of the service is full. Nothing was changed; Retry-After says when to try again."},
	codeTimeout:        {"TIMEOUT", 504, "The answer took too long", "The query took too long. Use a shorter range or fewer parameters."},
	codeUnknownType:    {Code: string(query.UnknownType), When: "No query type has this name."},
	codeWrongSubject:   {Code: string(query.WrongSubject), When: "The query type is about another kind of subject: a website, a link or a monitor."},
	codeBadRange:       {Code: string(query.BadRange), When: "The parameter's own range or granularity is invalid."},
	codeBadFilter:      {Code: string(query.BadFilter), When: "The query type does not support one of the filters, or lacks a required one."},
	codeBadGroup:       {Code: string(query.BadGroup), When: "The query type cannot be grouped by this field."},
	codeBadSort:        {Code: string(query.BadSort), When: "The query type cannot be sorted by this column."},
	codeTooLargeAnswer: {Code: string(query.TooLarge), When: "The response would be too large with this parameter; the message contains the limit."},
	codeTooManyRows:    {Code: string(query.TooManyRows), When: "The response would have more rows than allowed."},
}

// Codes returns every code of this package's responses in a new slice: first codes of whole requests, then codes that only
// apply to single parameters. Only a host's own [CodedError] adds others.
func Codes() []ErrorCode { return slices.Clone(codes[:]) }

// queryCodes are the codes of query mistakes that differ from codeValidation if they fail the whole
// request.
var queryCodes = map[query.Code]code{
	query.InvalidJSON: codeInvalidJSON,
	query.Forbidden:   codeForbidden,
	query.TimedOut:    codeTimeout,
	query.Unavailable: codeUnavailable,
	query.Internal:    codeInternal,
}
