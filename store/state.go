package store

import (
	"context"
	"time"
)

// A StateKeeper keeps states that somebody computed from the rows of UTC days of a website, so that they need not be
// computed again after a start. A state is bytes whose meaning its owner alone knows. It is optional beside Store
// and [Deriver].
//
// A store does not know whether a state is still valid: that is told by its Version. So it need not see rows and
// states at one moment. It must never give back other bytes than those that were saved with a version.
type StateKeeper interface {
	// States tells what is kept of s, in any order, without Bytes and Rows.
	States(ctx context.Context, s Subject) ([]State, error)
	// LoadStates returns the states of these names, of the days that [from, to) touches, in any order, without Rows.
	LoadStates(ctx context.Context, s Subject, names []int64, from, to time.Time) ([]State, error)
	// SaveStates keeps states of s, each as a whole or not at all, in place of the one of its name and day. It leaves out
	// those of days whose [Day.Version] is not Rows any more. It may run beside everything else.
	SaveStates(ctx context.Context, s Subject, states []State) error
	// DropStates drops the states of s but those of these names.
	DropStates(ctx context.Context, s Subject, but []int64) error
}

// A State is one that a StateKeeper keeps.
type State struct {
	Name    int64     // what it is of
	Day     time.Time // the start of the UTC day
	Version uint64    // of the rows that it was computed from, as its owner counts; below 1<<63
	Rows    uint64    // the Day.Version of its day before it was computed, so that nothing is kept of a website after Erase
	Bytes   []byte
}
