// Package collect makes answers of the values that a driver of database/sql returns.
//
//	c := collect.New(stmt)
//	for … {                       // the rows of the driver
//		err := c.Add(cells)
//	}
//	return c.Rows, nil
package collect

import (
	"database/sql/driver"
	"fmt"
	"math/big"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Collector collects the rows of one answer.
type Collector struct {
	Rows *store.Rows // that were added

	size, most int64 // bytes; most 0: no limit
}

// New returns a collector without rows, for the answer to stmt.
func New(stmt store.Statement) *Collector {
	rows := &store.Rows{Columns: make([]store.Column, len(stmt.Kinds))}
	for i, kind := range stmt.Kinds {
		rows.Columns[i].Kind = kind
	}
	return &Collector{Rows: rows, most: stmt.MaxBytes}
}

// Add adds a row. It fails with [store.ErrTooLarge] if the answer exceeds Statement.MaxBytes. It also fails if the row
// has another number of columns than the statement, or a value of another kind. After an error, the rows are of no use.
func (c *Collector) Add(cells []driver.Value) error {
	if len(cells) != len(c.Rows.Columns) {
		return fmt.Errorf("the answer has %d columns, want %d", len(cells), len(c.Rows.Columns))
	}
	for i, cell := range cells {
		column := &c.Rows.Columns[i]
		if err := push(column, c.Rows.Len, cell); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
		c.size += column.Size(c.Rows.Len)
	}
	if c.most > 0 && c.size > c.most {
		return store.ErrTooLarge
	}
	c.Rows.Len++
	return nil
}

// push appends a value to c, which has n values so far.
func push(c *store.Column, n int, v driver.Value) (err error) {
	if v == nil && c.Valid == nil {
		c.Valid = make([]bool, n, n+1)
		for i := range c.Valid {
			c.Valid[i] = true
		}
	}
	if c.Valid != nil {
		c.Valid = append(c.Valid, v != nil)
	}
	switch c.Kind {
	case dialect.Int:
		var x int64
		x, err = Int(v)
		c.Ints = append(c.Ints, x)
	case dialect.Float:
		var x float64
		x, err = float(v)
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

// Int converts any whole number of 64 bits. Null becomes 0.
func Int(v driver.Value) (int64, error) {
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
	case *big.Int: // of DuckDB: a sum of 64-bit integers
		if v.IsInt64() {
			return v.Int64(), nil
		}
	}
	return 0, fmt.Errorf("the value %v has type %T, want a whole number of 64 bits", v, v)
}

// float converts a number. Null becomes 0.
func float(v driver.Value) (float64, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case float64:
		return v, nil
	case float32:
		return float64(v), nil
	case int64: // of SQLite: a whole number in an expression of floating-point numbers
		return float64(v), nil
	}
	return 0, fmt.Errorf("the value has type %T, want a floating-point number", v)
}
