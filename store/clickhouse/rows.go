package clickhouse

import (
	"fmt"
	"math"
	"reflect"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// collect copies an answer into columns of the promised kinds.
func collect(from driver.Rows, kinds []dialect.Kind) (*store.Rows, error) {
	rows := &store.Rows{Columns: make([]store.Column, len(kinds))}
	for i, k := range kinds {
		rows.Columns[i].Kind = k
	}
	types := from.ColumnTypes()
	if len(types) == 0 && !from.Next() {
		return rows, from.Err() // over HTTP an answer without rows has no columns either
	}
	if len(types) != len(kinds) {
		return nil, fmt.Errorf("%d columns where %d were promised", len(types), len(kinds))
	}
	cells := make([]any, len(kinds))
	for i := range kinds {
		cells[i] = reflect.New(types[i].ScanType()).Interface()
	}
	for from.Next() {
		if err := from.Scan(cells...); err != nil {
			return nil, err
		}
		for i, cell := range cells {
			if err := push(&rows.Columns[i], rows.Len, cell); err != nil {
				return nil, fmt.Errorf("column %d: %w", i+1, err)
			}
		}
		rows.Len++
	}
	return rows, from.Err()
}

// push appends the value that cell points to to c, which holds n values so far.
func push(c *store.Column, n int, cell any) error {
	v := reflect.ValueOf(cell).Elem()
	known := true
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			known = false
			break
		}
		v = v.Elem()
	}
	// A number that is none is an unknown one.
	if known && v.CanFloat() && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)) {
		known = false
	}
	if !known {
		if c.Valid == nil {
			c.Valid = allValid(n)
		}
		c.Valid = append(c.Valid, false)
		appendZero(c)
		return nil
	}
	if c.Valid != nil {
		c.Valid = append(c.Valid, true)
	}
	switch {
	case c.Kind == dialect.Int && v.CanInt():
		c.Ints = append(c.Ints, v.Int())
	case c.Kind == dialect.Int && v.CanUint() && v.Uint() <= math.MaxInt64:
		c.Ints = append(c.Ints, int64(v.Uint())) //nolint:gosec // it fits
	case c.Kind == dialect.Float && v.CanFloat():
		c.Floats = append(c.Floats, v.Float())
	case c.Kind == dialect.Text && v.Kind() == reflect.String:
		c.Texts = append(c.Texts, v.String())
	default:
		return fmt.Errorf("%s where kind %d was promised", v.Type(), c.Kind)
	}
	return nil
}

func appendZero(c *store.Column) {
	switch c.Kind {
	case dialect.Int:
		c.Ints = append(c.Ints, 0)
	case dialect.Float:
		c.Floats = append(c.Floats, 0)
	default:
		c.Texts = append(c.Texts, "")
	}
}

func allValid(n int) []bool {
	valid := make([]bool, n, n+1)
	for i := range valid {
		valid[i] = true
	}
	return valid
}
