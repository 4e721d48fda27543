//go:build cgo

package duckdb

import (
	"errors"
	"slices"
	"strings"

	driver "github.com/duckdb/duckdb-go/v2"

	"github.com/sightline-analytics/sightline/store"
)

// A fault is an error of the engine and what it means to a caller.
type fault struct {
	kind  error // one of the errors of package store
	cause error
}

// Error leaves out the engine's stack traces and second thoughts.
func (f *fault) Error() string {
	first, _, _ := strings.Cut(f.cause.Error(), "\n")
	return f.kind.Error() + ": " + first
}

func (f *fault) Unwrap() []error { return []error{f.kind, f.cause} }

const invalidated = "database has been invalidated" // the driver says of an appender that its data has been

// outOfMemory are what the engine says where the memory that it may use is taken: a commit repeats only the second half.
var outOfMemory = []string{"Out of Memory Error", "failed to pin block", "could not allocate block", "failed to allocate data"}

// The engine's errors are told apart by their text: their types are no finer than
// "I/O". Earlier rows win.
var errorTexts = []struct {
	text string
	kind error
}{
	{"No space left on device", store.ErrFull},
	{"Disk quota exceeded", store.ErrFull},
	{"File too large", store.ErrFull},
	{"not enough space on the disk", store.ErrFull},
	{"Could not set lock on file", store.ErrLocked},
	{"different configuration than existing connections", store.ErrLocked},
	{"being used by another process", store.ErrLocked},
	{"we can only read versions", store.ErrNewerSchema},
	{"Corrupt database file", store.ErrCorrupt},
	{"Corrupt WAL", store.ErrCorrupt},
	{"not a valid DuckDB database file", store.ErrCorrupt},
	{"Could not read enough bytes", store.ErrCorrupt},
	{"while replaying WAL", store.ErrCorrupt},
	{invalidated, store.ErrUnavailable},
	{"FATAL Error", store.ErrUnavailable},
	{"connection is closed", store.ErrUnavailable},
	{"closed connection", store.ErrUnavailable},
}

// explain wraps err in what it means, if that is known; otherwise err comes back as it is.
func explain(err error) error {
	if err == nil || errors.Is(err, store.ErrTooMuch) || aboutStatement(err) {
		return err
	}
	text := err.Error()
	for _, m := range errorTexts {
		if strings.Contains(text, m.text) {
			return &fault{kind: m.kind, cause: err}
		}
	}
	if noMemory(err) {
		return &fault{kind: store.ErrUnavailable, cause: err}
	}
	return err
}

// noMemory reports whether the memory that the engine may use was taken, and it goes on all the same.
func noMemory(err error) bool {
	return err != nil && !aboutStatement(err) && !fatal(err) && slices.ContainsFunc(outOfMemory, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// explainOpen is explain for the opening of a file: what is not known there means
// that the file cannot be opened now.
func explainOpen(err error) error {
	var f *fault
	if err = explain(err); err == nil || errors.As(err, &f) {
		return err
	}
	return &fault{kind: store.ErrUnavailable, cause: err}
}

// aboutStatement reports whether err is about the text or the values of a
// statement. Such errors repeat what they were given, so their text proves nothing.
func aboutStatement(err error) bool {
	var e *driver.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Type {
	case driver.ErrorTypeConversion, driver.ErrorTypeOutOfRange, driver.ErrorTypeInvalidInput,
		driver.ErrorTypeParser, driver.ErrorTypeBinder, driver.ErrorTypeCatalog, driver.ErrorTypeSyntax,
		driver.ErrorTypeMismatchType, driver.ErrorTypeConstraint:
		return true
	default:
		return false
	}
}

// fatal reports whether the engine refuses to go on until it is opened again.
func fatal(err error) bool {
	if err == nil || aboutStatement(err) {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "FATAL Error") || strings.Contains(text, "INTERNAL Error") ||
		strings.Contains(text, invalidated)
}
