package store

import (
	"context"
	"time"
)

// A StateKeeper stores states that a caller computed from the rows of UTC days of a website. So they need not
// be computed again after a restart. A state is bytes that only the caller understands. The interface is
// optional, and needs [Deriver].
//
// A store does not check whether a state is still valid: callers compare its Version. So rows and states may be
// read at different moments. The store must never return other bytes than the caller saved with a version.
type StateKeeper interface {
	// States lists the stored states of s, in any order, without Bytes and Rows.
	States(ctx context.Context, s Subject) ([]State, error)
	// LoadStates returns the states with these names of the days that [from, to) touches, in any order, without
	// Rows.
	LoadStates(ctx context.Context, s Subject, names []StateName, from, to time.Time) ([]State, error)
	// SaveStates stores states of s. Each is stored completely or not at all, and replaces the state with the
	// same name and day. States whose Rows differs from the current [Day.Version] of their day are skipped.
	// SaveStates may run beside all other calls.
	SaveStates(ctx context.Context, s Subject, states []State) error
	// DropStates deletes all states of s that have one of these kinds and whose numbers are not in keep.
	DropStates(ctx context.Context, s Subject, kinds []int64, keep []int64) error
}

// A StateName says what a stored state of a day is of. The caller chooses both numbers.
type StateName struct {
	Kind, Number int64
}

// A State is one stored state of a day.
type State struct {
	StateName
	Day     time.Time // the start of the UTC day
	Version uint64    // of the rows that the caller computed it from, as the caller counts; below 1<<63
	Rows    uint64    // the Day.Version of its day before it was computed, so that no state is stored after Erase
	Empty   bool      // the day has no rows for the state, so it has no Bytes
	Bytes   []byte
}
