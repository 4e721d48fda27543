package store

import (
	"context"
	"time"
)

// A Deriver keeps what was computed of rows beside them, a UTC day of a website at a time, so
// that it need not be computed again. It is optional beside Store. What is kept is never
// needed: the rows are the truth, and a day whose rows changed is computed of them until it
// is sealed again.
type Deriver interface {
	// Days tells of the UTC days that [from, to) touches and that ever had rows or a seal, in
	// their order. It is answered from memory, and knows of every write that was acknowledged
	// before the call.
	Days(s Subject, from, to time.Time) []Day
	// Seal computes and keeps what d asks for, in place of what was kept of the same days. All
	// of it is kept, or nothing. It runs beside queries and writes.
	Seal(ctx context.Context, d Derivation) error
}

// A Day is what is known of one UTC day of a subject.
type Day struct {
	Start time.Time
	// Version numbers the latest commit that touched its rows; 0: it never had any.
	Version uint64
	// Sealed numbers the latest commit before what is kept of the day was computed; 0: nothing
	// is kept. It stands while no day that it was computed from has a later Version.
	Sealed uint64
}

// A Derivation is what is to be kept of whole UTC days of a subject. The columns of its
// statements are called like those of the tables that take them, sealed_sessions and
// sealed_hits, and stand in any order.
type Derivation struct {
	Subject  Subject
	From, To time.Time
	Sessions Statement // those that begin in these days, a row each
	Hits     Statement // the events of these days that are not hidden, with the fields of their sessions
}
