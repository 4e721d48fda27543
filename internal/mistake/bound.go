package mistake

import (
	"fmt"
	"strings"

	"github.com/sightline-analytics/sightline/internal/failure"
)

// ErrBound: a record would exceed a bound of its owner or website. The error is a [BoundError].
var ErrBound = failure.New(failure.Conflict, "too many records")

// A BoundError says which bound a record would exceed. It wraps [ErrBound].
type BoundError struct {
	Of     string // who has the bound, such as "an owner"
	Things string // what is counted, such as "keys" or "bytes of keys"
	Number int64  // how many there would be
	Bound  int64  // how many there may be
}

// Error returns a sentence that is safe to show to callers.
func (e *BoundError) Error() string {
	return fmt.Sprintf("%s may have at most %d %s, and would have %d", e.Of, e.Bound, e.Things, e.Number)
}

// Plain returns the same sentence, without the texts of errors that wrap e.
func (e *BoundError) Plain() string { return e.Error() }

// Failure returns the same sentence.
func (e *BoundError) Failure() (kind failure.Kind, text string) {
	text = e.Error()
	return failure.Conflict, strings.ToUpper(text[:1]) + text[1:]
}

// Unwrap returns ErrBound.
func (*BoundError) Unwrap() error { return ErrBound }

// Within returns a [BoundError] if number exceeds bound, and nil otherwise.
func Within(of, things string, number, bound int64) error {
	if number <= bound {
		return nil
	}
	return &BoundError{of, things, number, bound}
}
