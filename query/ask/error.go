package ask

import (
	"errors"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// Code is the machine-readable kind of a mistake. The set is closed and its texts are stable.
type Code string

// The codes of mistakes. UnknownType and the codes after it concern one parameter.
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
	TooLarge     Code = "ANSWER_TOO_LARGE"
	Forbidden    Code = "FORBIDDEN" // the access does not include the type
	TimedOut     Code = "TIMEOUT"
	Unavailable  Code = "SERVICE_UNAVAILABLE"
	Internal     Code = "INTERNAL_SERVER_ERROR"
)

// ErrMisplaced is the cause of the error about an id in a body that belongs in the address.
var ErrMisplaced = errors.New("query: it belongs in the address")

// Codes lists all codes, in a new slice.
func Codes() []Code {
	return []Code{InvalidJSON, Invalid, UnknownType, WrongSubject, BadRange, BadFilter, BadGroup, BadSort, TooManyRows,
		TooLarge,
		Forbidden, TimedOut, Unavailable, Internal}
}

// An Error is a mistake that a caller can correct, or a failure in words safe to show.
type Error struct {
	Code       Code
	Field      string   // where: "parameters[1]", "filters[0].op"
	Message    string   // safe to show
	Suggestion string   // the nearest valid name, if any is near
	Allowed    []string // the valid names, when they help
	Err        error    // the cause, for logs only
}

// Error returns the message, after Field if that is set.
func (e *Error) Error() string { return mistake.Sentence(e.Field, e.Message) }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Mistakes returns e as the one mistake.
func (e *Error) Mistakes() []mistake.FieldError { return Errors{e}.Mistakes() }

// Errors are all the mistakes of one request, in the order of its fields. As an error it is
// never empty.
type Errors []*Error

// Error joins the messages.
func (es Errors) Error() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Mistakes returns the mistakes without their codes.
func (es Errors) Mistakes() []mistake.FieldError {
	all := make([]mistake.FieldError, len(es))
	for i, e := range es {
		all[i] = mistake.FieldError{Field: e.Field, Message: e.Message, Suggestion: e.Suggestion}
	}
	return all
}
