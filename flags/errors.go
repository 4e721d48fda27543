package flags

import (
	"fmt"
	"strings"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// Errors of stores and editors.
var (
	// ErrInvalid: the error is a [FieldErrors], which lists the mistakes.
	ErrInvalid = failure.New(failure.Invalid, "flags: not valid")
	// ErrNotFound: the client has no such flag or group.
	ErrNotFound = failure.New(failure.NotFound, "flags: not found",
		"Flag not found")
	// ErrExists: the client already has a flag with that key in that environment.
	ErrExists = failure.New(failure.Conflict, "flags: key exists already",
		"A flag with this key already exists")
	// ErrConflict: another change came first, so this one was not made.
	ErrConflict = failure.New(failure.Changed, "flags: changed by someone else")
)

// A FieldError is one mistake in a record or a request.
// Field is its JSON name, as in "rules[1].operator", and
// empty for the record itself. Message is safe to show to the caller.
type FieldError = mistake.FieldError

// FieldErrors lists the mistakes that were found, at most 100. It wraps ErrInvalid.
type FieldErrors []FieldError

// Error returns the list of mistakes.
func (f FieldErrors) Error() string { return ErrInvalid.Error() + ": " + f.Plain() }

// Plain returns the list of mistakes for people.
func (f FieldErrors) Plain() string {
	texts := make([]string, len(f))
	for i, one := range f {
		texts[i] = one.Error()
	}
	return strings.Join(texts, "; ")
}

// Mistakes returns f.
func (f FieldErrors) Mistakes() []FieldError { return f }

// Unwrap returns ErrInvalid.
func (f FieldErrors) Unwrap() error { return ErrInvalid }

func (f *FieldErrors) add(field, message string) { (*mistake.List)(f).Add(field, message) }

func (f *FieldErrors) addf(field, format string, args ...any) {
	f.add(field, fmt.Sprintf(format, args...))
}

// err returns f, or nil if f is empty.
func (f FieldErrors) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

func at(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }
