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
