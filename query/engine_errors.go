package query

import (
	"context"
	"errors"

	"github.com/sightline-analytics/sightline/store"
)

// storeFailure says in words that are safe to show what a store could not do.
func storeFailure(err error) *Error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: TimedOut, Message: "The query took too long; ask for a shorter range", Err: err}
	case errors.Is(err, store.ErrTooMuch):
		return &Error{Code: Invalid, Message: "The query needs more than one query may use; ask for a shorter range",
			Err: err}
	case errors.Is(err, store.ErrUnavailable):
		return &Error{Code: Unavailable, Message: "The analytics store is unavailable; try again later", Err: err}
	}
	return &Error{Code: Internal, Message: "The query failed", Err: err}
}

// unanswered is the store's error when every parameter failed by it.
func unanswered(results []Result) error {
	var first error
	for _, r := range results {
		switch {
		case r.Success || r.Code != Unavailable && r.Code != TimedOut && r.Code != Internal:
			return nil
		case first == nil:
			first = r.Cause
		}
	}
	return first
}
