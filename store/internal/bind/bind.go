// Package bind checks the arguments of statements for all stores:
//
//	if err := bind.Check(stmt.Args); err != nil {
//		return err // wraps store.ErrInvalid
//	}
//	// convert the values for the driver
package bind

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Check returns an error that lists all arguments whose value is not of their kind, or has text that is not UTF-8.
// Drivers check neither: such text in a list would crash DuckDB.
func Check(args []dialect.Arg) error {
	var faults []error
	for _, a := range args {
		if err := check(a); err != nil {
			faults = append(faults, fmt.Errorf("argument %s: %w", a.Name, err))
		}
	}
	return errors.Join(faults...)
}

func check(a dialect.Arg) error {
	var kind dialect.Kind
	valid := true
	switch v := a.Value.(type) {
	case int64:
		kind = dialect.Int
	case float64:
		kind = dialect.Float
	case []int64:
		kind = dialect.Ints
	case store.Subject:
		kind, valid = dialect.Subject, utf8.ValidString(v.ID)
	case string:
		kind, valid = dialect.Text, utf8.ValidString(v)
	case []string:
		kind = dialect.Texts
		for _, text := range v {
			valid = valid && utf8.ValidString(text)
		}
	default:
		return fmt.Errorf("%w: unsupported type %T", store.ErrInvalid, v)
	}
	switch {
	case kind != a.Kind:
		return fmt.Errorf("%w: a value of type %T in an argument of kind %d", store.ErrInvalid, a.Value, a.Kind)
	case !valid:
		return fmt.Errorf("%w: text is not valid UTF-8", store.ErrInvalid)
	}
	return nil
}
