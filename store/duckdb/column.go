//go:build cgo

package duckdb

import (
	"fmt"
	"math/big"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// newRows makes empty columns of the promised kinds.
func newRows(kinds []dialect.Kind) *store.Rows {
	rows := &store.Rows{Columns: make([]store.Column, len(kinds))}
	for i, k := range kinds {
		rows.Columns[i].Kind = k
	}
	return rows
}

// push appends one value of the driver to c, which holds n values so far.
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
			err = fmt.Errorf("%T where text was promised", v)
		}
		c.Texts = append(c.Texts, x)
	default:
		err = fmt.Errorf("kind %d cannot be a column", c.Kind)
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

// toInt takes every whole number that fits; null is 0.
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
	case *big.Int: // sums of 64-bit integers are wider
		if v.IsInt64() {
			return v.Int64(), nil
		}
	}
	return 0, fmt.Errorf("%T %v where a 64-bit integer was promised", v, v)
}

// toFloat takes floating-point numbers; null is 0.
func toFloat(v any) (float64, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case float64:
		return v, nil
	case float32:
		return float64(v), nil
	}
	return 0, fmt.Errorf("%T where a floating-point number was promised", v)
}
