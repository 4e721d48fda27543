//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"math/big"
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

// newRows returns empty columns of the given kinds.
func newRows(kinds []dialect.Kind) *store.Rows {
	rows := &store.Rows{Columns: make([]store.Column, len(kinds))}
	for i, k := range kinds {
		rows.Columns[i].Kind = k
	}
	return rows
}

// push appends a value of the driver to c, which has n values so far.
func push(c *store.Column, n int, v any) error {
	if v == nil {
		if c.Valid == nil {
			c.Valid = allValid(n)
		}
		c.Valid = append(c.Valid, false)
	} else if c.Valid != nil {
		c.Valid = append(c.Valid, true)
	}
	var err error
	switch c.Kind {
	case dialect.Int:
		var x int64
		x, err = toInt(v)
		c.Ints = append(c.Ints, x)
	case dialect.Float:
		var x float64
		x, err = toFloat(v)
		c.Floats = append(c.Floats, x)
	case dialect.Text:
		x, ok := v.(string)
		if !ok && v != nil {
			err = fmt.Errorf("the value has type %T, want text", v)
		}
		c.Texts = append(c.Texts, x)
	default:
		err = fmt.Errorf("a column cannot have kind %d", c.Kind)
	}
	return err
}

func allValid(n int) []bool {
	valid := make([]bool, n, n+1)
	for i := range valid {
		valid[i] = true
	}
	return valid
}

// toInt converts any whole number that fits. Null becomes 0.
func toInt(v any) (int64, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case int64:
		return v, nil
	case int32:
		return int64(v), nil
	case int16:
		return int64(v), nil
	case int8:
		return int64(v), nil
	case uint32:
		return int64(v), nil
	case uint16:
		return int64(v), nil
	case uint8:
		return int64(v), nil
	case uint64:
		if v <= 1<<63-1 {
			return int64(v), nil
		}
	case *big.Int: // the type of a sum of 64-bit integers
		if v.IsInt64() {
			return v.Int64(), nil
		}
	}
	return 0, fmt.Errorf("the value %v has type %T, want a 64-bit integer", v, v)
}

// toFloat converts floating-point numbers. Null becomes 0.
func toFloat(v any) (float64, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case float64:
		return v, nil
	case float32:
		return float64(v), nil
	}
	return 0, fmt.Errorf("the value has type %T, want a floating-point number", v)
}
