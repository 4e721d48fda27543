package compile

import (
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
)

// A label is a column of texts that are looked up in a list, such as names of countries by their codes. A
// statement returns what is looked up in its place: to plan a statement to which such lists are bound
// takes a database longer than to read the rows of a page.
type label struct {
	columns []int     // of the statement, with the codes: the label's own first
	of      expr.Expr // as [expr.SplitLookup] gives it
}

// takeLabels leaves labels out of q where it does not order rows by them. Codes beside the first of
// each label become further columns, at the end; it returns their number, too.
func (q *selection) takeLabels() (taken []label, further int) {
	visible := len(q.columns)
	for i, col := range q.columns[:visible:visible] {
		codes, of, ok := expr.SplitLookup(col.e)
		if !ok || slices.ContainsFunc(q.order, func(o ordering) bool { return o.e.IsOut(col.as) }) {
			continue
		}
		q.columns[i].e = codes[0]
		l := label{[]int{i}, of}
		for _, code := range codes[1:] {
			l.columns = append(l.columns, visible+q.furtherColumn(visible, code))
		}
		taken = append(taken, l)
	}
	return taken, len(q.columns) - visible
}

// furtherColumn returns the place of e among the columns of q after the first visible ones. It adds e if it is not
// there.
func (q *selection) furtherColumn(visible int, e expr.Expr) int {
	further, text := q.columns[visible:], e.String()
	if i := slices.IndexFunc(further, func(col named) bool { return col.e.String() == text }); i >= 0 {
		return i
	}
	q.columns = append(q.columns, named{expr.Ident("code_" + strconv.Itoa(len(further)+1)), e})
	return len(further)
}

// write replaces what a statement returned in place of l.
func (l label) write(rows *store.Rows) {
	if slices.Max(l.columns) >= len(rows.Columns) {
		return // checkRows refuses such rows
	}
	known, codes := map[string]string{}, make([]string, len(l.columns))
	own := &rows.Columns[l.columns[0]]
	texts := make([]string, len(own.Texts)) // those of the store may be its own
	for i := range texts {
		for j, column := range l.columns {
			codes[j] = rows.Columns[column].Texts[i]
		}
		key := state.JoinKey(codes)
		text, ok := known[key]
		if !ok {
			text = expr.Eval(l.of, func(code expr.Expr) expr.Value {
				_, name, _ := code.Column()
				j, _ := strconv.Atoi(name) // SplitLookup wrote it
				return expr.TextValue(codes[j])
			}).Text
			known[key] = text
		}
		texts[i] = text
	}
	own.Texts = texts
}
