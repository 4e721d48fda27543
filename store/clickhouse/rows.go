package clickhouse

import (
	"fmt"
	"math"
	"math/big"
	"reflect"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// collect copies an answer into columns of the kinds of stmt.
func collect(from driver.Rows, stmt store.Statement) (*store.Rows, error) {
	kinds := stmt.Kinds
	rows := &store.Rows{Columns: make([]store.Column, len(kinds))}
	for i, k := range kinds {
		rows.Columns[i].Kind = k
	}
	types := from.ColumnTypes()
	if len(types) == 0 && !from.Next() {
		return rows, from.Err() // over HTTP, an answer without rows has no columns
	}
	if len(types) != len(kinds) {
		return nil, fmt.Errorf("clickhouse: the answer has %d columns, want %d", len(types), len(kinds))
	}
	cells, into := make([]cell, len(kinds)), make([]any, len(kinds))
	for i, k := range kinds {
		c, ok := cellOf(k, types[i].ScanType())
		if !ok {
			return nil, fmt.Errorf("clickhouse: column %d has type %s, want kind %d", i+1, types[i].DatabaseTypeName(),
				k)
		}
		cells[i], into[i] = c, c.into()
	}
	var size int64
	for from.Next() {
		if err := from.Scan(into...); err != nil {
			return nil, err
		}
		for i, c := range cells {
			if err := c.move(&rows.Columns[i], rows.Len); err != nil {
				return nil, fmt.Errorf("clickhouse: column %d: %w", i+1, err)
			}
			size += rows.Columns[i].Size(rows.Len)
		}
		if stmt.MaxBytes > 0 && size > stmt.MaxBytes {
			return nil, store.ErrTooLarge
		}
		rows.Len++
	}
	return rows, from.Err()
}

// pushNull appends an unknown value to c, which has n values so far.
func pushNull(c *store.Column, n int) {
	if c.Valid == nil {
		c.Valid = make([]bool, n, n+1)
		for i := range c.Valid {
			c.Valid[i] = true
		}
	}
	c.Valid = append(c.Valid, false)
	switch c.Kind {
	case dialect.Int:
		c.Ints = append(c.Ints, 0)
	case dialect.Float:
		c.Floats = append(c.Floats, 0)
	default:
		c.Texts = append(c.Texts, "")
	}
}

// A cell receives the values of one column from the driver, one after the other. It uses the driver's type,
// which avoids reflection for every value.
type cell interface {
	into() any                               // the driver's scan target
	move(to *store.Column, before int) error // appends the scanned value after the first before values
}

// A push appends a value to a column and reports true. For an unknown value it appends nothing and reports
// false.
type push[T any] func(to *store.Column, v T) (known bool, err error)

// A plain cell receives values that are never null.
type plain[T any] struct {
	v    T
	push push[T]
}

func (c *plain[T]) into() any { return &c.v }

func (c *plain[T]) move(to *store.Column, before int) error {
	known, err := c.push(to, c.v)
	noteValid(to, before, known)
	return err
}

// A nullable cell receives values that may be null.
type nullable[T any] struct {
	v    *T
	push push[T]
}

func (c *nullable[T]) into() any { return &c.v }

func (c *nullable[T]) move(to *store.Column, before int) (err error) {
	known := c.v != nil
	if known {
		known, err = c.push(to, *c.v)
	}
	noteValid(to, before, known)
	return err
}

// noteValid records that the value after the first before values is known, or appends an unknown value.
func noteValid(to *store.Column, before int, known bool) {
	switch {
	case !known:
		pushNull(to, before)
	case to.Valid != nil:
		to.Valid = append(to.Valid, true)
	}
}

// makers has constructors of cells, by the Go type that the driver uses for a column.
type makers map[reflect.Type]func() cell

// with adds constructors for cells of T, nullable and not.
func with[T any](m makers, p push[T]) makers {
	m[reflect.TypeFor[T]()] = func() cell { return &plain[T]{push: p} }
	m[reflect.TypeFor[*T]()] = func() cell { return &nullable[T]{push: p} }
	return m
}

// cellOf returns a cell for a column of the driver's type t. It reports false if t cannot be converted to kind.
func cellOf(kind dialect.Kind, t reflect.Type) (cell, bool) {
	if t == reflect.TypeFor[*any]() { // only nulls
		return &nullable[any]{}, true
	}
	maker, ok := cells[kind][t]
	if !ok {
		return nil, false
	}
	return maker(), true
}

var cells = map[dialect.Kind]makers{
	dialect.Int: with(with(with(with(with(with(with(with(with(with(makers{},
		pushInt[int64]), pushInt[int32]), pushInt[int16]), pushInt[int8]),
		pushUint[uint64]), pushInt[uint32]), pushInt[uint16]), pushInt[uint8]),
		pushBool), pushBig),
	dialect.Float: with(with(makers{}, pushFloat[float64]), pushFloat[float32]),
	dialect.Text:  with(makers{}, pushText),
}

func pushInt[T int64 | int32 | int16 | int8 | uint32 | uint16 | uint8](to *store.Column, v T) (bool, error) {
	to.Ints = append(to.Ints, int64(v))
	return true, nil
}

func pushUint[T uint64](to *store.Column, v T) (bool, error) {
	if v > math.MaxInt64 {
		return false, fmt.Errorf("%d does not fit in a signed 64-bit number", v)
	}
	to.Ints = append(to.Ints, int64(v))
	return true, nil
}

func pushBig(to *store.Column, v big.Int) (bool, error) {
	if !v.IsInt64() {
		return false, fmt.Errorf("%s does not fit in a signed 64-bit number", &v)
	}
	to.Ints = append(to.Ints, v.Int64())
	return true, nil
}

func pushBool(to *store.Column, v bool) (bool, error) {
	var n int64
	if v {
		n = 1
	}
	to.Ints = append(to.Ints, n)
	return true, nil
}

// pushFloat appends a float, and treats NaN and infinities as unknown.
func pushFloat[T float64 | float32](to *store.Column, v T) (bool, error) {
	f := float64(v)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return false, nil
	}
	to.Floats = append(to.Floats, f)
	return true, nil
}

func pushText(to *store.Column, v string) (bool, error) {
	to.Texts = append(to.Texts, v)
	return true, nil
}
