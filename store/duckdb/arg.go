//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"unicode/utf8"

	driver "github.com/duckdb/duckdb-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// bind turns arguments into those of the driver, and reports all that cannot be.
func (s *Store) bind(args []dialect.Arg) ([]sqldriver.NamedValue, error) {
	bound := make([]sqldriver.NamedValue, len(args))
	var faults []error
	for i, a := range args {
		value, err := s.bindValue(a)
		if err != nil {
			faults = append(faults, fmt.Errorf("argument %s: %w", a.Name, err))
		}
		bound[i] = named(a.Name, value)
	}
	return bound, errors.Join(faults...)
}

var errNotUTF8 = fmt.Errorf("%w: text is not valid UTF-8", store.ErrInvalid)

// bindValue checks what the driver does not: it crashes the process on a list with
// text that is not UTF-8, and takes numbers of any width.
func (s *Store) bindValue(a dialect.Arg) (any, error) {
	switch v := a.Value.(type) {
	case int64:
		return v, ofKind(a, dialect.Int)
	case float64:
		return v, ofKind(a, dialect.Float)
	case []int64:
		return v, ofKind(a, dialect.Ints)
	case store.Subject:
		return s.catalog.number(v), ofKind(a, dialect.Subject)
	case string:
		if !utf8.ValidString(v) {
			return nil, errNotUTF8
		}
		return v, ofKind(a, dialect.Text)
	case []string:
		for _, text := range v {
			if !utf8.ValidString(text) {
				return nil, errNotUTF8
			}
		}
		return v, ofKind(a, dialect.Texts)
	default:
		return nil, fmt.Errorf("%w: a value of type %T", store.ErrInvalid, v)
	}
}

func ofKind(a dialect.Arg, want dialect.Kind) error {
	if a.Kind != want {
		return fmt.Errorf("%w: a value of type %T in an argument of kind %d", store.ErrInvalid, a.Value, a.Kind)
	}
	return nil
}

// complete makes sure that every parameter of the statement has an argument: the
// driver fills a gap with whatever argument stands in its place.
func complete(stmt *driver.Stmt, args []sqldriver.NamedValue) error {
	given := make(map[string]bool, len(args))
	for _, a := range args {
		given[a.Name] = true
	}
	for i := range stmt.NumInput() {
		name, err := stmt.ParamName(i + 1)
		if err != nil {
			return err
		}
		if !given[name] {
			return fmt.Errorf("no argument for $%s", name)
		}
	}
	return nil
}
