package sqlite

import (
	sqldriver "database/sql/driver"
	"strconv"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/internal/bind"
)

// bind converts a statement's arguments to the driver. Its error lists all arguments that cannot be converted.
func (s *Store) bind(args []dialect.Arg) ([]sqldriver.NamedValue, error) {
	if err := bind.Check(args); err != nil {
		return nil, err
	}
	bound := make([]sqldriver.NamedValue, len(args))
	for i, a := range args {
		value := a.Value
		switch v := value.(type) {
		case store.Subject:
			value = s.ledger.Number(v)
		case []int64:
			value = numberList(v)
		case []string:
			value = quotedList(v)
		}
		bound[i] = sqldriver.NamedValue{Name: a.Name, Ordinal: i + 1, Value: value}
	}
	return bound, nil
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
