package store

import (
	"context"
	"time"
)

// A Deriver computes results from the rows of a UTC day of a website, and stores them for later queries. This
// is called sealing a day. The interface is optional.
//
// Answers never depend on seals: if later rows may have changed a part of a day, the engine computes that part
// from rows until the day is sealed again.
type Deriver interface {
	DayLister
	// Websites returns the websites that ever had rows, each with a number that changes with every write.
	Websites(ctx context.Context) (map[Subject]uint64, error)
	// Seal computes and stores the results that d describes. They replace the stored results of the same days.
	// Either everything is replaced or nothing.
	//
	// Seal may run beside queries and writes. A store whose seals become invalid with later rows skips days
	// whose rows change during the call, without an error.
	Seal(ctx context.Context, d Derivation) error
}

// A Resealer updates seals: it computes only the session ids with rows that are newer than a seal. The interface
// is optional. It is for stores that number the commits of all subjects together; see [Day].
//
// To find newer rows, the engine reads the column version, which a Resealer adds to the logical table events.
// The column has the [Day.Version] of the commit that stored the row, or null if the row was stored before every
// seal.
type Resealer interface {
	Deriver
	// Reseal is Seal for the session ids whose session_hash the statement changed selects. The statements of d cover
	// these ids alone, and the stored results of other ids do not change. Reseal fails if one of the days has rows
	// but no seal.
	Reseal(ctx context.Context, d Derivation, changed Statement) error
}

// MaxAround is the largest [Derivation.Before] and [Derivation.After]: rows decide nothing about days that are further
// away.
const MaxAround = 7

// A Derivation describes the results to compute and store for whole UTC days of a subject.
//
// Its statements return all columns of the tables that store their rows: the subject, the columns in
// schema.SealedTables, which also has their kinds, and the columns in dialect.Dialect.Numbers. Statement.Columns has
// their names in the order of the statement.
type Derivation struct {
	Subject  Subject
	From, To time.Time
	// Before and After are the numbers of days before and after a day whose rows are also read to compute it. They are
	// at most MaxAround.
	Before, After int
	// Rows returns the new rows of each table of schema.SealedTables, in its order: of sealed_sessions one row for each
	// session that begins on these days, and of sealed_hits the events of these days that are not hidden, with the
	// fields of their sessions. A store refuses another number of statements with ErrInvalid.
	Rows []Statement
}
