package sqlite

import (
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

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
		bound[i] = sqldriver.NamedValue{Name: a.Name, Ordinal: i + 1, Value: value}
	}
	return bound, errors.Join(faults...)
}

var errNotUTF8 = fmt.Errorf("%w: text is not valid UTF-8", store.ErrInvalid)

func (s *Store) bindValue(a dialect.Arg) (sqldriver.Value, error) {
	var want dialect.Kind
	var value sqldriver.Value
	switch v := a.Value.(type) {
	case int64:
		value, want = v, dialect.Int
	case float64:
		value, want = v, dialect.Float
	case []int64:
		value, want = numberList(v), dialect.Ints
	case store.Subject:
		value, want = s.catalog.number(v), dialect.Subject
	case string:
		if !utf8.ValidString(v) {
			return nil, errNotUTF8
		}
		value, want = v, dialect.Text
	case []string:
		for _, text := range v {
			if !utf8.ValidString(text) {
				return nil, errNotUTF8
			}
		}
		value, want = quotedList(v), dialect.Texts
	default:
		return nil, fmt.Errorf("%w: unsupported type %T", store.ErrInvalid, v)
	}
	if a.Kind != want {
		return nil, fmt.Errorf("%w: a value of type %T in an argument of kind %d", store.ErrInvalid, a.Value, a.Kind)
	}
	return value, nil
}

// numberList returns the JSON array that an argument of kind Ints is bound as.
func numberList(list []int64) string {
	b := []byte{'['}
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
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
func push(c *store.Column, n int, v sqldriver.Value) error {
	if v == nil {
		if c.Valid == nil {
			c.Valid = make([]bool, n, n+1)
			for i := range c.Valid {
				c.Valid[i] = true
			}
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
		var x string
		x, err = toText(v)
		c.Texts = append(c.Texts, x)
	default:
		err = fmt.Errorf("a column cannot have kind %d", c.Kind)
	}
	return err
}

// toInt converts a whole number. Null becomes 0.
func toInt(v sqldriver.Value) (int64, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case int64:
		return v, nil
	}
	return 0, fmt.Errorf("the value has type %T, want a whole number", v)
}

// toFloat converts a number. Null becomes 0.
func toFloat(v sqldriver.Value) (float64, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case float64:
		return v, nil
	case int64:
		return float64(v), nil
	}
	return 0, fmt.Errorf("the value has type %T, want a number", v)
}

// toText converts a text. Null becomes an empty text.
func toText(v sqldriver.Value) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	}
	return "", fmt.Errorf("the value has type %T, want text", v)
}
