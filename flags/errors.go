package flags

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// Errors of stores and editors.
var (
	// ErrInvalid: the error is a [FieldErrors], which lists the mistakes.
	ErrInvalid = errors.New("flags: not valid")
	// ErrNotFound: the client has no such flag or group.
	ErrNotFound = errors.New("flags: not found")
	// ErrExists: the client has a flag of that key in that environment.
	ErrExists = errors.New("flags: key exists already")
	// ErrConflict: another change came first, and this one was not made.
	ErrConflict = errors.New("flags: changed meanwhile")
)

// A FieldError is one mistake in a record or a request.
type FieldError struct {
	Field   string // by its name in JSON, as in "rules[1].operator"; empty for the record itself
	Message string // what is wrong with it; safe to show
}

// Error is the field and the message.
func (e FieldError) Error() string { return mistake.Sentence(e.Field, e.Message) }

// maxFaults is how many mistakes are told of.
const maxFaults = 100

// FieldErrors are all mistakes that were found, up to a hundred. It wraps ErrInvalid.
type FieldErrors []FieldError

// Error lists the mistakes.
func (f FieldErrors) Error() string {
	texts := make([]string, len(f))
	for i, one := range f {
		texts[i] = one.Error()
	}
	return ErrInvalid.Error() + ": " + strings.Join(texts, "; ")
}

// Unwrap returns ErrInvalid.
func (f FieldErrors) Unwrap() error { return ErrInvalid }

func (f *FieldErrors) addf(field, format string, args ...any) {
	if len(*f) == maxFaults {
		return
	}
	*f = append(*f, FieldError{Field: field, Message: fmt.Sprintf(format, args...)})
}

// err is nil when there are none.
func (f FieldErrors) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

func at(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }
