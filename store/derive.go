package store

import (
	"context"
	"time"
)

// A Deriver computes results from the rows of a UTC day of a website, and stores them for later queries. This
// is called sealing a day. The interface is optional.
//
// Answers never depend on seals: if later rows may have changed a part of a day, the engine computes that part
// from rows until the day is sealed again. To find such rows, it reads the column version, which a Deriver adds
// to the logical table events. The column has the [Day.Version] of the commit that stored the row, or null if
// the row was stored before every seal.
type Deriver interface {
	// Days returns the UTC days that [from, to) touches and that ever had rows or a seal, ordered by time. It
	// includes every write acknowledged before the call.
	Days(ctx context.Context, s Subject, from, to time.Time) ([]Day, error)
	// Websites returns the websites that ever had rows, each with a number that changes with every write.
	Websites(ctx context.Context) (map[Subject]uint64, error)
	// Seal computes and stores the results that d describes. They replace the stored results of the same days;
	// if d.Changed is set, only the results of the session ids that it selects. Either everything is replaced or nothing.
	//
	// Seal may run beside queries and writes. A store whose seals become invalid with later rows skips days
	// whose rows change during the call, without an error. Seal fails if d.Changed is set and one of the days
	// has rows but no seal.
	Seal(ctx context.Context, d Derivation) error
}

// A Day describes the stored state of one UTC day of a subject.
type Day struct {
	Start time.Time
	// Version is the number of the latest commit that changed rows of the day. 0 means that it never had rows.
	Version uint64
	// Sealed is the number of the latest commit before the day was sealed. 0 means that the day is not sealed.
	//
	// The seal is valid while all days that it was computed from have a Version of at most Sealed. After that
	// it is still valid for session ids without later events on these days. The seal may include rows of later
	// commits.
	//
	// A store that cannot compare versions of different days sets Sealed to math.MaxUint64 while the seal is
	// valid, and else to 0. Such seals become invalid with later rows, and the store never gets a Derivation
	// with Changed.
	Sealed uint64
}

// A Derivation describes the results to compute and store for whole UTC days of a subject.
//
// The columns of its statements have the same names as the columns of the tables that store them,
// sealed_sessions and sealed_hits, in any order: see Statement.Columns, and schema.SealedTables for their kinds. The
// time of a row is in the column start or time. If the
// dialect has a template for dialect.InSeals, both tables also have a column seal, which the store fills in. If
// it has a template for dialect.PrefixNumber, sealed_hits also has a column country_number.
type Derivation struct {
	Subject  Subject
	From, To time.Time
	// Before and After are the numbers of days before and after a day whose rows are also read to compute it.
	Before, After int
	Sessions      Statement // one row for each session that begins on these days
	Hits          Statement // the events of these days that are not hidden, with the fields of their sessions
	// Changed selects the session_hash of the session ids that Sessions and Hits cover; stored results of other
	// session ids do not change. Nil means that they cover all session ids. It is always nil for a store whose
	// seals become invalid with later rows: see [Day].
	Changed *Statement
}
