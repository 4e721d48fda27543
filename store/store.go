package store

import (
	"context"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Errors that any store may return, wrapped with their cause.
var (
	// ErrUnavailable: the database cannot be reached or cannot work now; a later attempt may succeed.
	ErrUnavailable = failure.New(failure.Unavailable, "store: unavailable")
	// ErrTooLarge: the values of an answer take more than Statement.MaxBytes.
	ErrTooLarge = failure.New(failure.Invalid, "store: the answer is too large",
		"The answer is too large: ask for fewer rows")
	// ErrTooMuch: a query reads or holds more than the store allows for one query; a smaller query works.
	ErrTooMuch = failure.New(failure.Invalid, "store: the query needs more than one query may use",
		"The query needs more than one query may use: ask for a shorter range")
	// ErrNotFound: the website, link, monitor or record does not exist.
	ErrNotFound = failure.New(failure.NotFound, "store: not found")
	// ErrLocked: another process uses the store.
	ErrLocked = failure.New(failure.Unavailable, "store: in use by another process")
	// ErrCorrupt: the stored data cannot be read.
	ErrCorrupt = failure.New(failure.Internal, "store: corrupt")
	// ErrFull: the disk is full; nothing was written.
	ErrFull = failure.New(failure.Full, "store: disk full")
	// ErrNewerSchema: a newer version of the program wrote the data; nothing was changed.
	ErrNewerSchema = failure.New(failure.Internal, "store: schema is newer than this program")
	// ErrInvalid: a row, or a record of a directory, cannot be stored as given; nothing was stored.
	ErrInvalid = failure.New(failure.Invalid, "store: invalid row")
)

// A Store runs statements written in its dialect.
type Store interface {
	// Dialect returns the SQL dialect of the store. It never changes.
	Dialect() *dialect.Dialect
	// Query runs stmt and returns all its rows. Column i has the kind stmt.Kinds[i]. There are always as many
	// columns as kinds, also without rows. A condition in the SQL of a column of kind Int is 1 or 0. The error wraps
	// ErrUnavailable if the database cannot be reached. If ctx ends first, Query returns the context's error
	// promptly.
	Query(ctx context.Context, stmt Statement) (*Rows, error)
	// Ping sends a request to the store and returns an error if it cannot answer.
	Ping(ctx context.Context) error
}

// A Statement is one query: SQL over logical tables, and its arguments.
type Statement struct {
	Label string // the query type, for comments, logs and metrics
	// uses only the logical tables of package store/schema and, if the store is a Deriver, sealed_sessions and
	// sealed_hits, and the column version of events if it is a Resealer; templates of the dialect may use more tables
	SQL   string
	Args  []dialect.Arg // bound by name, never part of the SQL text
	Kinds []dialect.Kind
	// Columns has the names of the columns of the answer, one for each of Kinds. They are for tests and logs: a
	// store returns the columns in the order of the SQL.
	Columns []string
	// MaxBytes limits the bytes of the answer's texts and numbers. Query returns ErrTooLarge for a larger
	// answer. 0 means no limit.
	MaxBytes int64
}

// Rows holds one answer, column by column.
type Rows struct {
	Len     int
	Columns []Column
}

// A Column has one type: exactly one of Ints, Floats and Texts is used, depending on Kind. Valid is nil if no
// value is null; otherwise Valid[i] is false for a null.
type Column struct {
	Kind   dialect.Kind
	Ints   []int64
	Floats []float64
	Texts  []string
	Valid  []bool
}

// Size returns the bytes of the value in a row: the length of a text, 8 for a number.
func (c *Column) Size(row int) int64 {
	if c.Kind == dialect.Text {
		return int64(len(c.Texts[row]))
	}
	return 8
}

// Null reports whether value i of c is null.
func (c *Column) Null(i int) bool { return c.Valid != nil && !c.Valid[i] }

// A Bounded store runs a limited number of queries at a time; further queries wait. The interface is optional.
type Bounded interface {
	// MaxQueries returns how many queries can run at a time, at least 1.
	MaxQueries() int
}

// An Eraser removes data permanently. It is optional.
type Eraser interface {
	// Erase removes all rows of s, forgets their event ids, and returns the number of removed rows. After an
	// error some rows may be gone, and the number is unknown; another call removes the rest.
	Erase(ctx context.Context, s Subject) (int64, error)
}

// A Maintainer has maintenance work, which the host starts at quiet times. It is optional.
type Maintainer interface {
	// Maintain does the work that is due, and returns early when ctx ends. It changes no answer and no version.
	// It may run beside all other calls and gives way to them, so it may take hours.
	Maintain(ctx context.Context) error
}
