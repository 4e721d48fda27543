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
	// session ids that d.Changed names, all or nothing. It may run beside queries and writes; a store whose seals do not outlast later rows leaves days as
	// they are whose rows change meanwhile, without an error. It fails when d
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
	// that have no later event on these days. It may know rows of later commits. A store
	// whose versions of different days cannot be compared sets it to math.MaxUint64 while the seal is valid, and
	// else to 0: its seals do not outlast later rows, and it never gets a Derivation with Changed.
	Sealed uint64
}

// A Derivation is what to compute and keep of whole UTC days of a subject. The columns of its
// statements have the names of those of the tables that take them, sealed_sessions and sealed_hits, in
// any order; the time of a row is in start and time respectively. Where the dialect has a template for
// dialect.InSeals, the tables have a further column seal, which the store fills in; with one for dialect.PrefixNumber,
// sealed_hits has a column country_number.
type Derivation struct {
	Subject  Subject
	From, To time.Time
	// Before and After: what is kept of a day is computed from the rows of this many days before and after it, too.
	Before, After int
	Sessions      Statement // a row for each session that begins in these days
	Hits          Statement // the events of these days that are not hidden, with the fields of their sessions
	// Changed selects the session_hash of the session ids that Sessions and Hits are of: what is kept of
	// others stays. Nil: they are of all. It is nil for a store whose seals do not
	// outlast later rows: see [Day].
	Changed *Statement
}
