package sqlite

import (
	"bytes"
	"cmp"
	sqldriver "database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	driver "modernc.org/sqlite"
)

// A state is the state of an aggregate function in one group of rows.
type state interface {
	add(args []sqldriver.Value) error
	result() sqldriver.Value
}

// aggregates lists the aggregate functions. -1 arguments means any number.
var aggregates = map[string]struct {
	args  int32
	begin func() state
}{
	"count_distinct": {1, func() state { return &distinct{} }},
	"arg_min":        {-1, func() state { return &extreme{sign: -1} }},
	"arg_max":        {-1, func() state { return &extreme{sign: 1} }},
	"first_row":      {-1, func() state { return &firstRow{} }},
	"quantile":       {2, func() state { return &quantile{} }},
	"join":           {-1, func() state { return &joined{} }},
}

// aggregate adapts a state to the driver.
type aggregate struct{ of state }

// Step implements driver.AggregateFunction.
func (a *aggregate) Step(_ *driver.FunctionContext, args []sqldriver.Value) error {
	return a.of.add(args)
}

// WindowInverse implements driver.AggregateFunction. No template uses these functions over windows.
func (a *aggregate) WindowInverse(*driver.FunctionContext, []sqldriver.Value) error {
	return errors.New("the function cannot be used over a window")
}

// WindowValue implements driver.AggregateFunction.
func (a *aggregate) WindowValue(*driver.FunctionContext) (sqldriver.Value, error) {
	return a.of.result(), nil
}

// Final implements driver.AggregateFunction.
func (a *aggregate) Final(*driver.FunctionContext) {}

// kept returns a copy of an argument, which is only valid during the call.
func kept(v sqldriver.Value) sqldriver.Value {
	switch v := v.(type) {
	case string:
		return strings.Clone(v)
	case []byte:
		return bytes.Clone(v)
	}
	return v
}

// compare compares two values as SQLite does: nulls, then numbers, then texts, then bytes.
func compare(a, b sqldriver.Value) int {
	switch x := a.(type) {
	case int64:
		switch y := b.(type) {
		case int64:
			return cmp.Compare(x, y)
		case float64:
			return cmp.Compare(float64(x), y)
		}
	case float64:
		switch y := b.(type) {
		case int64:
			return cmp.Compare(x, float64(y))
		case float64:
			return cmp.Compare(x, y)
		}
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y)
		}
	case []byte:
		if y, ok := b.([]byte); ok {
			return bytes.Compare(x, y)
		}
	}
	return cmp.Compare(class(a), class(b))
}

func class(v sqldriver.Value) int {
	switch v.(type) {
	case nil:
		return 0
	case int64, float64:
		return 1
	case string:
		return 2
	}
	return 3
}

// distinct counts distinct whole numbers other than 0.
type distinct struct{ seen map[int64]struct{} }

func (d *distinct) add(args []sqldriver.Value) error {
	n, ok := args[0].(int64)
	if !ok || n == 0 {
		return nil // null, or not counted
	}
	if d.seen == nil {
		d.seen = map[int64]struct{}{}
	}
	d.seen[n] = struct{}{}
	return nil
}

func (d *distinct) result() sqldriver.Value { return int64(len(d.seen)) }

// extreme finds the value of the row with the smallest (sign -1) or greatest key. The arguments are the value
// and the key, which may have several parts. Null values do not count.
type extreme struct {
	sign  int
	found bool
	value sqldriver.Value
	key   []sqldriver.Value
}

func (e *extreme) add(args []sqldriver.Value) error {
	value, key := args[0], args[1:]
	if value == nil || e.found && e.sign*slices.CompareFunc(key, e.key, compare) <= 0 {
		return nil
	}
	e.found, e.value, e.key = true, kept(value), e.key[:0]
	for _, part := range key {
		e.key = append(e.key, kept(part))
	}
	return nil
}

func (e *extreme) result() sqldriver.Value { return e.value }

// firstRow finds the values of the row with the smallest key. The arguments are the key and the values. The
// result is bytes that element reads.
type firstRow struct {
	key sqldriver.Value
	row []byte
}

func (f *firstRow) add(args []sqldriver.Value) error {
	if f.row != nil && compare(args[0], f.key) >= 0 {
		return nil
	}
	f.key, f.row = kept(args[0]), f.row[:0]
	for _, v := range args[1:] {
		switch v := v.(type) {
		case nil:
			f.row = append(f.row, 'n')
		case int64:
			f.row = binary.AppendVarint(append(f.row, 'i'), v)
		case float64:
			f.row = binary.LittleEndian.AppendUint64(append(f.row, 'f'), math.Float64bits(v))
		case string:
			f.row = append(binary.AppendUvarint(append(f.row, 't'), uint64(len(v))), v...)
		default:
			return fmt.Errorf("a value has type %T", v)
		}
	}
	return nil
}

func (f *firstRow) result() sqldriver.Value {
	if f.row == nil {
		return nil
	}
	return f.row
}

var errRow = errors.New("the value is not a result of sightline_first_row")

// element returns an element of the bytes that firstRow returns, counted from 1. It returns null for null.
func element(args []sqldriver.Value) (sqldriver.Value, error) {
	if args[0] == nil {
		return nil, nil
	}
	row, ok := args[0].([]byte)
	n, err := intOf(args[1])
	if !ok || err != nil {
		return nil, errRow
	}
	for {
		if len(row) == 0 {
			return nil, errRow
		}
		kind := row[0]
		row = row[1:]
		var v sqldriver.Value
		switch kind {
		case 'i':
			x, size := binary.Varint(row)
			if size <= 0 {
				return nil, errRow
			}
			v, row = x, row[size:]
		case 'f':
			if len(row) < 8 {
				return nil, errRow
			}
			v, row = math.Float64frombits(binary.LittleEndian.Uint64(row)), row[8:]
		case 't':
			length, size := binary.Uvarint(row)
			if size <= 0 || uint64(len(row)-size) < length {
				return nil, errRow
			}
			end := size + int(length) // it is at most len(row)
			if n == 1 {
				return string(row[size:end]), nil
			}
			row = row[end:]
		}
		if n--; n == 0 {
			return v, nil
		}
	}
}

// quantile returns the quantile of whole numbers, at thousandths. It is interpolated between two numbers, and
// multiplied by 1000, so that it is a whole number.
type quantile struct {
	all      []int64
	permille int64
}

func (q *quantile) add(args []sqldriver.Value) (err error) {
	if n, ok := args[0].(int64); ok {
		q.all = append(q.all, n)
		q.permille, err = intOf(args[1])
	}
	return err
}

func (q *quantile) result() sqldriver.Value {
	if len(q.all) == 0 {
		return nil
	}
	slices.Sort(q.all)
	place := int64(len(q.all)-1) * q.permille
	i, rest := place/1000, place%1000
	low := q.all[i]
	if rest == 0 {
		return low * 1000
	}
	return low*1000 + (q.all[i+1]-low)*rest
}

// joined joins the texts of the first rows in an order. The arguments are the text, the number of rows, and the
// key, which may have several parts.
type joined struct {
	all  []keyed
	most int
}

type keyed struct {
	text string
	key  []sqldriver.Value
}

func (j *joined) add(args []sqldriver.Value) error {
	text, err := textOf(args[0])
	if err != nil {
		return err
	}
	most, err := intOf(args[1])
	if err != nil {
		return err
	}
	one := keyed{text: strings.Clone(text)}
	for _, part := range args[2:] {
		one.key = append(one.key, kept(part))
	}
	if j.all, j.most = append(j.all, one), int(most); len(j.all) >= 2*j.most+64 {
		j.cut()
	}
	return nil
}

// cut sorts the texts and drops all but the first j.most.
func (j *joined) cut() {
	slices.SortStableFunc(j.all, func(a, b keyed) int { return slices.CompareFunc(a.key, b.key, compare) })
	j.all = j.all[:min(len(j.all), j.most)]
}

func (j *joined) result() sqldriver.Value {
	j.cut()
	texts := make([]string, len(j.all))
	for i, one := range j.all {
		texts[i] = one.text
	}
	return strings.Join(texts, ",")
}
