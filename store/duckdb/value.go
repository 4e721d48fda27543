//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"fmt"

	driver "github.com/duckdb/duckdb-go/v2"

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
		if subject, ok := value.(store.Subject); ok {
			value = int32(s.ledger.Number(subject)) // of the type of the column
		}
		bound[i] = named(a.Name, value)
	}
	return bound, nil
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
