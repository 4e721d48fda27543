package answer

import (
	"math"
	"math/big"
	"strconv"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Changes are by how many percent of previous the metrics of now are more.
func Changes(now, previous *Table) Table {
	t := Table{len: now.len, absent: previous.absent}
	for i := range now.columns {
		c := &now.columns[i]
		if c.Role != catalog.MetricRole {
			continue
		}
		values := store.Column{Kind: dialect.Float, Floats: make([]float64, t.len), Valid: make([]bool, t.len)}
		for row := range t.len {
			values.Floats[row], values.Valid[row] = change(c, &previous.columns[i], row)
		}
		shown := catalog.NumberOutput(c.Name, c.Label, "%", "")
		t.columns = append(t.columns, Cells{Output: &shown, Column: values})
	}
	return t
}

// change returns by how many percent now is more than then. It reports false if one of them is unknown, and if then is
// 0.
func change(now, then *Cells, row int) (float64, bool) {
	if now.Kind == dialect.Int && then.Kind == dialect.Int {
		if !now.known(row) || !then.known(row) {
			return 0, false
		}
		return Change(now.Whole(row), then.Whole(row))
	}
	a, b := now.Number(row), then.Number(row)
	if b == 0 || !finite(a) || !finite(b) || !now.known(row) || !then.known(row) {
		return 0, false
	}
	// The error of the division shows behind the ninth decimal.
	if r := round(100*(a-b)/b, 9); math.Abs(r) < exactFrom {
		return r, true
	}
	return exactChange(a, b), true
}

// Change returns by how many percent now is more than then. It reports false if then is 0.
func Change(now, then int64) (percent float64, ok bool) {
	if then == 0 {
		return 0, false
	}
	if r := float64(100*(now-then)) / float64(then); math.Abs(r) < exactFrom {
		return r, true
	}
	return exactChange(float64(now), float64(then)), true
}

// exactFrom is the size from which the error of a change that floats compute may show in its second decimal.
const exactFrom = 1e9

// exactChange is change, computed from the shortest decimals of now and then, which are finite. It is rounded to two
// decimals. From 10^13 on, where a float does not hold these, it is the nearest float.
func exactChange(now, then float64) float64 {
	a, b := decimalOf(now), decimalOf(then)
	r := a.Sub(a, b)
	r.Quo(r.Mul(r, big.NewRat(100, 1)), b)
	nearest, _ := r.Float64()
	if math.Abs(nearest) < 1e13 {
		if rounded, err := strconv.ParseFloat(r.FloatString(2), 64); err == nil {
			return rounded
		}
	}
	return nearest
}

// decimalOf returns the shortest decimal of x, which is finite.
func decimalOf(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return r
}

// known says whether a row has a value of c, nothing counted being one.
func (c *Cells) known(row int) bool { return c.Zero || !c.Null(row) }

// Whole is a cell of whole numbers; 0 for null.
func (c *Cells) Whole(row int) int64 {
	if c.Null(row) {
		return 0
	}
	return c.Ints[row]
}

// Number is a cell of numbers, unrounded; 0 for null.
func (c *Cells) Number(row int) float64 {
	switch {
	case c.Null(row):
		return 0
	case c.Kind == dialect.Int:
		return float64(c.Ints[row])
	}
	return c.Floats[row]
}
