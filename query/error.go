package query

import "strings"

// Code is the machine-readable kind of a mistake. The set is closed and its texts are stable.
type Code string

// The codes of mistakes. Those from UnknownType on concern one parameter.
const (
	InvalidJSON  Code = "INVALID_JSON"
	Invalid      Code = "VALIDATION_ERROR"
	UnknownType  Code = "UNKNOWN_TYPE"
	WrongSubject Code = "WRONG_SUBJECT" // the type is for another kind of id
	BadRange     Code = "INVALID_DATE_RANGE"
	BadFilter    Code = "INVALID_FILTER"
	BadGroup     Code = "INVALID_GROUP_BY"
	BadSort      Code = "INVALID_SORT"
	TooManyRows  Code = "TOO_MANY_ROWS"
	Forbidden    Code = "FORBIDDEN" // the access does not include the type
	TimedOut     Code = "TIMEOUT"
	Unavailable  Code = "SERVICE_UNAVAILABLE"
	Internal     Code = "INTERNAL_SERVER_ERROR"
)

// An Error is a mistake that a caller can correct, or a failure in words safe to show.
type Error struct {
	Code       Code
	Field      string   // where: "parameters[1]", "filters[0].op"
	Message    string   // safe to show
	Suggestion string   // the nearest valid name, if any is near
	Allowed    []string // the valid names, when they help
	Err        error    // the cause, for logs only
}

// Error is the message, with the place where it is known.
func (e *Error) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors are all the mistakes of one request, in the order of its fields. It is never empty.
type Errors []*Error

// Error joins the messages.
func (es Errors) Error() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}
