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

// bind converts a statement's arguments to the driver. Its error lists all arguments that cannot be converted.
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

// bindValue checks and converts one argument. The driver does not check arguments: a list with text that is not
// UTF-8 would crash the process, and it accepts numbers of any width.
func (s *Store) bindValue(a dialect.Arg) (any, error) {
	switch v := a.Value.(type) {
	case int64:
		return v, checkKind(a, dialect.Int)
	case float64:
		return v, checkKind(a, dialect.Float)
	case []int64:
		return v, checkKind(a, dialect.Ints)
	case store.Subject:
		return s.catalog.number(v), checkKind(a, dialect.Subject)
	case string:
		if !utf8.ValidString(v) {
			return nil, errNotUTF8
		}
		return v, checkKind(a, dialect.Text)
	case []string:
		for _, text := range v {
			if !utf8.ValidString(text) {
				return nil, errNotUTF8
			}
		}
		return v, checkKind(a, dialect.Texts)
	default:
		return nil, fmt.Errorf("%w: unsupported type %T", store.ErrInvalid, v)
	}
}

func checkKind(a dialect.Arg, want dialect.Kind) error {
	if a.Kind != want {
		return fmt.Errorf("%w: a value of type %T in an argument of kind %d", store.ErrInvalid, a.Value, a.Kind)
	}
	return nil
}

// checkArguments returns an error if a parameter of the statement has no argument. The driver would use the
// argument at the same position instead.
func checkArguments(stmt *driver.Stmt, args []sqldriver.NamedValue) error {
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
			return fmt.Errorf("argument $%s is missing", name)
		}
	}
	return nil
}
