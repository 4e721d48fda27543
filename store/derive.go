package store

import (
	"context"
	"time"
)

// A Deriver keeps results computed from rows beside them, per UTC day of a website, so that they need
// not be computed again: it seals days. It is optional beside Store. Answers never depend on seals: what
// later rows may have changed of a day is computed from rows until it is sealed again. To tell what that
// is, the logical table events of a Deriver has a column version beside those of package store/schema: the
// [Day.Version] of the commit that stored the row, or null where that was before every seal.
type Deriver interface {
	// Days returns the UTC days that [from, to) touches and that ever had rows or a seal, in order. It
	// includes every write acknowledged before the call.
	Days(ctx context.Context, s Subject, from, to time.Time) ([]Day, error)
	// Websites returns the websites that ever had rows, each with a number that every later write changes.
	Websites(ctx context.Context) (map[Subject]uint64, error)
	// Seal computes and keeps what d asks for, replacing what was kept of the same days, or of these the
	// session ids that d.Changed names, all or nothing. It may run beside queries and writes. It fails when d
	// has Changed and one of the days is not sealed and has rows.
	Seal(ctx context.Context, d Derivation) error
}

// A Day is what is known of one UTC day of a subject.
type Day struct {
	Start time.Time
	// Version numbers the latest commit that touched its rows; 0: it never had any.
	Version uint64
	// Sealed numbers the latest commit before the day was sealed; 0: it is not sealed. The seal is
	// valid while no day that it was computed from has a later Version, and then still for the session ids
	// that have no later event on these days. It may know rows of later commits. Where versions of
	// different days do not compare, it is math.MaxUint64 for a seal that is valid, and 0 for any other.
	Sealed uint64
}

// A Derivation is what to compute and keep of whole UTC days of a subject. The columns of its
// statements have the names of those of the tables that take them, sealed_sessions and sealed_hits, in
// any order. Where a dialect has a template for dialect.InSeals, these have a column seal beside. The times of their rows are in start and in time.
type Derivation struct {
	Subject  Subject
	From, To time.Time
	// Before and After are how many days before and after each of these have rows that it is computed from.
	Before, After int
	Sessions      Statement // a row for each session that begins in these days
	Hits          Statement // the events of these days that are not hidden, with the fields of their sessions
	// Changed selects the session_hash of the session ids that Sessions and Hits are of: what is kept of
	// others stays. Nil: they are of all. It is not asked of a store whose seals do not outlast later rows.
	Changed *Statement
}
