package query

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
)

// A label is a column of texts that are looked up in a list, such as names of countries by their codes. A
// statement returns what is looked up in its place: to plan a statement to which such lists are bound
// takes a database longer than to read the rows of a page.
type label struct {
	column int
	of     expr.Expr // as [expr.SplitLookup] gives it
}

// takeLabels leaves labels out of q where it does not order rows by them.
func (q *selection) takeLabels() (taken []label) {
	for i, col := range q.columns {
		code, of, ok := expr.SplitLookup(col.e)
		if ok && !slices.ContainsFunc(q.order, func(o ordering) bool { return o.e.IsOut(col.as) }) {
			q.columns[i].e = code
			taken = append(taken, label{i, of})
		}
	}
	return taken
}

// write replaces what a statement returned in place of l.
func (l label) write(rows *store.Rows) {
	if l.column >= len(rows.Columns) {
		return // checkRows refuses such rows
	}
	known, c := map[string]string{}, &rows.Columns[l.column]
	texts := make([]string, len(c.Texts)) // those of the store may be its own
	for i, code := range c.Texts {
		text, ok := known[code]
		if !ok {
			text = expr.Eval(l.of, func(expr.Expr) expr.Value { return expr.TextValue(code) }).Text
			known[code] = text
		}
		texts[i] = text
	}
	c.Texts = texts
}
