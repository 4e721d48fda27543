package reference

import (
	"bytes"
	"fmt"
	"slices"
)

// totals returns the numbers over all rows that pass the filters as a JSON object, or nil if the question or the
// type has none. Rows that a breakdown leaves out because their name is empty are included.
func (a *evaluation) totals() ([]byte, error) {
	if !a.q.Totals || a.kind.Single || a.kind.noTotals {
		return nil, nil
	}
	all := *a
	all.merged, all.groupBy, all.kind.Series = true, nil, false
	all.kind.Columns = slices.DeleteFunc(slices.Clone(a.kind.Columns),
		func(c Column) bool { return a.kind.Series && c.Kind == Date })
	t := all.kind.answer(&all)
	if err := t.checkSums(); err != nil {
		return nil, err
	}
	var shown []Column
	var cells []value
	for i, c := range t.columns {
		if c.Kind == Number || c.Kind == Instant || c.Kind == Boolean {
			shown, cells = append(shown, c), append(cells, t.rows[0][i])
		}
	}
	var b bytes.Buffer
	object(&b, shown, cells)
	return b.Bytes(), nil
}

// checkSums returns an error if a sum is too large to be shown.
func (t *table) checkSums() error {
	for _, r := range t.rows {
		if slices.ContainsFunc(r, func(v value) bool { return v.kind == tooLargeValue }) {
			return fmt.Errorf("%w", ErrSum)
		}
	}
	return nil
}
