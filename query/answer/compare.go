package answer

import (
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

// change returns by how many percent now is more than then. It reports false if one of them is unknown, and if then is 0.
func change(now, then *Cells, row int) (float64, bool) {
	if now.Kind == dialect.Int && then.Kind == dialect.Int {
		a, b := now.whole(row), then.whole(row)
		if b == 0 || !now.known(row) || !then.known(row) {
			return 0, false
		}
		return float64(100*(a-b)) / float64(b), true
	}
	a, b := now.Number(row), then.Number(row)
	if b == 0 || !finite(a) || !finite(b) || !now.known(row) || !then.known(row) {
		return 0, false
	}
	// The error of the division shows behind the ninth decimal.
	return round(100*(a-b)/b, 9), true
}

// known says whether a row has a value of c, nothing counted being one.
func (c *Cells) known(row int) bool { return c.Zero || !c.Null(row) }

func (c *Cells) whole(row int) int64 {
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
