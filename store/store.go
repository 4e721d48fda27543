package store

import (
	"context"
	"errors"
	"time"

	"github.com/sightline-analytics/sightline/store/dialect"
)

// Errors that any store may return, wrapped with their cause.
var (
	// ErrUnavailable: the database cannot be reached or cannot work now; trying again later may help.
	ErrUnavailable = errors.New("store: unavailable")
	// ErrTooLarge: the values of an answer take more than Statement.MaxBytes.
	ErrTooLarge = errors.New("store: the answer is too large")
	// ErrTooMuch: a query reads or holds more than the store allows one query; a smaller one works.
	ErrTooMuch = errors.New("store: the query needs more than one query may use")
	// ErrNotFound: there is no such website, link, monitor or record.
	ErrNotFound = errors.New("store: not found")
	// ErrLocked: another process holds the store.
	ErrLocked = errors.New("store: in use by another process")
	// ErrCorrupt: the stored data cannot be read.
	ErrCorrupt = errors.New("store: corrupt")
	// ErrFull: the disk is full; nothing of the write was kept.
	ErrFull = errors.New("store: disk full")
	// ErrNewerSchema: a newer version of the program wrote the data; nothing was changed.
	ErrNewerSchema = errors.New("store: schema is newer than this program")
	// ErrInvalid: a row, or a record of a directory, cannot be stored as given; nothing of it was.
	ErrInvalid = errors.New("store: invalid row")
)

// A Store answers statements written in its own dialect.
type Store interface {
	// Dialect reports the SQL this store speaks. It never changes.
	Dialect() *dialect.Dialect
	// Query runs stmt and returns all its rows; column i has kind stmt.Kinds[i].
	// It returns an error that wraps ErrUnavailable when the database cannot be
	// reached, and the context's error, promptly, when ctx ends first.
	Query(ctx context.Context, stmt Statement) (*Rows, error)
	// Ping reports whether the store can answer, by asking it something.
	Ping(ctx context.Context) error
}

// A Statement is one query: SQL over logical tables, and its arguments.
type Statement struct {
	Label string        // the query type: for comments, logs and metrics
	SQL   string        // names only the logical tables of package store/schema and, where the store is a Deriver, sealed_sessions, sealed_hits and the versions of events; templates of its dialect may name tables of its own
	Args  []dialect.Arg // bound by name, never spliced
	Kinds []dialect.Kind
	// MaxBytes limits the size of the answer's texts and numbers: beyond it Query returns ErrTooLarge.
	// 0 means no limit.
	MaxBytes int64
}

// Rows holds one answer by column.
type Rows struct {
	Len     int
	Columns []Column
}

// A Column is typed: exactly one of Ints, Floats and Texts is used, by Kind.
// Valid is nil when nothing is null; otherwise Valid[i] false means null.
type Column struct {
	Kind   dialect.Kind
	Ints   []int64
	Floats []float64
	Texts  []string
	Valid  []bool
}

// Size is how many bytes the value in a row takes: its length for a text, 8 for a number.
func (c *Column) Size(row int) int64 {
	if c.Kind == dialect.Text {
		return int64(len(c.Texts[row]))
	}
	return 8
}

// Null reports whether value i of c is null.
func (c *Column) Null(i int) bool { return c.Valid != nil && !c.Valid[i] }

// A Bounded is a store that runs a limited number of queries at a time; more wait. It is optional
// beside Store.
type Bounded interface {
	// MaxQueries is the most queries that run at a time, at least 1.
	MaxQueries() int
}

// A Versioner numbers the state of its data, so that callers see when it changed. It is optional beside
// Store.
type Versioner interface {
	// Version returns a number for what is stored of s on the UTC days that
	// [from, to) touches. Every write to one of those days, late or erasing, makes it larger; it never
	// becomes smaller, not even across restarts. No data: 0.
	Version(ctx context.Context, s Subject, from, to time.Time) (uint64, error)
}

// An Eraser removes data for good. It is optional beside Store.
type Eraser interface {
	// Erase removes all rows of s and forgets their event ids, and reports how many rows there
	// were. After an error some may be gone, and the number is unknown; erasing again removes the rest.
	Erase(ctx context.Context, s Subject) (int64, error)
}

// A Maintainer has housekeeping to do, which the host starts at quiet times. It is optional beside
// Store.
type Maintainer interface {
	// Maintain does what is due, and returns early when ctx ends. It changes no answer and no
	// version, and may run beside everything else, to which it leaves the store: it may take hours.
	Maintain(ctx context.Context) error
}
