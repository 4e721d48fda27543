//go:build cgo

package duckdb

import (
	"errors"
	"slices"
	"strings"

	driver "github.com/duckdb/duckdb-go/v2"

	"github.com/sightline-analytics/sightline/store"
)

// A fault is an error of the engine, with the matching error of package store.
type fault struct {
	kind  error // an error of package store
	cause error
}

// Error returns only the first line of the cause. Stack traces and suggestions of the engine follow in further
// lines.
func (f *fault) Error() string {
	first, _, _ := strings.Cut(f.cause.Error(), "\n")
	return f.kind.Error() + ": " + first
}

func (f *fault) Unwrap() []error { return []error{f.kind, f.cause} }

// the driver's error about an appender has "data" instead of "database"
const invalidated = "database has been invalidated"

// outOfMemory lists texts of errors for exhausted memory. A failed commit reports only the text after "Out of
// Memory Error: ".
var outOfMemory = []string{"Out of Memory Error", "failed to pin block", "could not allocate block",
	"failed to allocate data"}

// errorTexts maps texts of the engine's errors to errors of package store. The types of these errors are not
// precise enough: a full disk and a locked file both have the type "I/O". The first matching text counts.
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
	{"Permission denied", store.ErrUnavailable},
	{invalidated, store.ErrUnavailable},
	{"FATAL Error", store.ErrUnavailable},
	{"connection is closed", store.ErrUnavailable},
	{"closed connection", store.ErrUnavailable},
}

// explain wraps err in the matching error of package store, or returns it unchanged if none matches.
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

// noMemory reports whether err says that the engine's memory is exhausted, and the engine can continue.
func noMemory(err error) bool {
	return err != nil && !aboutStatement(err) && !fatal(err) &&
		slices.ContainsFunc(outOfMemory, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// explainOpen is like explain, for errors of opening a file. It wraps unknown errors in store.ErrUnavailable.
func explainOpen(err error) error {
	var f *fault
	if err = explain(err); err == nil || errors.As(err, &f) {
		return err
	}
	return &fault{kind: store.ErrUnavailable, cause: err}
}

// aboutStatement reports whether err is about the text or the values of a statement. Such errors quote these,
// so their text says nothing about the engine.
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

// fatal reports whether the engine rejects all further statements until it is reopened.
func fatal(err error) bool {
	if err == nil || aboutStatement(err) {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "FATAL Error") || strings.Contains(text, "INTERNAL Error") ||
		strings.Contains(text, invalidated)
}
