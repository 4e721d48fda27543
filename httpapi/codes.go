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
	codeNotAcceptable
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
	codeValidation: {"VALIDATION_ERROR", 400, "The request is not valid",
		"A field of the body or of the address is invalid; details lists all invalid fields."},
	codeNoSubject: {"MISSING_PROJECT_ID", 400, "One of website_id, link_id and schedule_id is required in the address",
		"The address names no website, link or monitor."},
	codeInvalidJSON: {string(query.InvalidJSON), 400, "The body is not valid JSON",
		"The body is empty, broken, or not an object or array of objects."},
	codeAuthRequired: {"AUTH_REQUIRED", 401, "Authentication required",
		"The key is missing, unknown, disabled, revoked or expired; the answer is the same for all."},
	codeForbidden: {"FORBIDDEN", 403, "Insufficient permissions",
		"The key lacks a scope, or may not use the resource. Unknown ids and ids of other owners get the same answer."},
	codeNotFound: {"NOT_FOUND", 404, "Not found",
		"No route has this path (the message names the nearest one), or the client has no such flag."},
	codeMethod: {"METHOD_NOT_ALLOWED", 405, "This endpoint does not support the method",
		"The message and the header Allow name the methods of the endpoint."},
	codeNotAcceptable: {"NOT_ACCEPTABLE", 406, "The answer does not exist in this form",
		"Accept asks for rows as CSV or NDJSON, and the request has several parameters, or totals. The message says which."},
	codeLateBody: {"REQUEST_TIMEOUT", 408, "The body did not arrive in time",
		"The body took more than ten seconds to arrive; send it again."},
	codeConflict: {"CONFLICT", 409, "The request conflicts with what is stored",
		"The client already has a flag with this key in this environment, the owner or the website has as many records as it may have, or the key is revoked, expired or was changed at the same time. The message says which."},
	codePrecondition: {"PRECONDITION_FAILED", 412, "The flag was changed meanwhile",
		"If-Match does not name the current revision of the flag."},
	codeTooLarge: {"PAYLOAD_TOO_LARGE", 413, "The body is too large",
		"The body exceeds the limit; the message names it."},
	codeMediaType: {"UNSUPPORTED_MEDIA_TYPE", 415, "The body must be plain application/json in UTF-8",
		"The body is compressed or of another type."},
	codeRateLimited: {"RATE_LIMITED", 429, "Rate limit exceeded",
		"The caller has used up a limit. The body has limit, remaining, reset (Unix milliseconds) and retryAfter (seconds)."},
	codeInternal: {"INTERNAL_SERVER_ERROR", 500, "Something went wrong on our side",
		"The log has the cause, with the request id."},
	codeUnavailable: {"SERVICE_UNAVAILABLE", 503, "The service cannot answer now; try again later",
		"A part of the service, such as its database, is not available; Retry-After says when to try again."},
	codeFull: {"STORAGE_FULL", 503, "The service cannot store changes: its disk is full",
		"The disk of the service is full. Nothing was changed; Retry-After says when to try again."},
	codeTimeout:     {"TIMEOUT", 504, "The answer took too long", "Use a shorter range or fewer parameters."},
	codeUnknownType: {Code: string(query.UnknownType), When: "No query type has this name."},
	codeWrongSubject: {Code: string(query.WrongSubject),
		When: "The query type needs another kind of subject: a website, a link or a monitor."},
	codeBadRange: {Code: string(query.BadRange), When: "The range or granularity of the parameter is invalid."},
	codeBadFilter: {Code: string(query.BadFilter),
		When: "The query type does not support one of the filters, or a required filter is missing."},
	codeBadGroup: {Code: string(query.BadGroup), When: "The query type cannot be grouped by this field."},
	codeBadSort:  {Code: string(query.BadSort), When: "The query type cannot be sorted by this column."},
	codeTooLargeAnswer: {Code: string(query.TooLarge),
		When: "With this parameter the whole answer would be too large; the message names the limit."},
	codeTooManyRows: {Code: string(query.TooManyRows),
		When: "The answer would have too many rows; use limit and page, or a shorter range."},
}

// Codes returns every code of this package's responses in a new slice: first codes of whole requests, then codes that
// only apply to single parameters. Only a host's own [CodedError] adds others.
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
