package query

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// The rows of a page that is ordered by a latest time, the latest first, are those of the latest rows of the
// table. So these alone are grouped first. Where they give a page, the last of its rows says from which
// time on whoever has a row may be on it: whatever more is known of those on the page can only make them
// later, and nobody else has a row since. Where they do not give a page, all rows are grouped.

// Of the latest rows so many are read for each row of a page, at most so many at all, and none where a page
// and those before it are of more than so many rows. DuckDB sorts all rows for more than 5000.
const (
	latestEach  = 32
	latestMost  = 5000
	latestPages = 1000
)

// latest selects the ids of all whose rows may be on the page, where few is ordered so that the latest
// rows tell, and makes few group no rows then. It is nil where few has to group all of its rows.
func (c *compiler) latest(few *part, id expr.Expr) *selection {
	last, counts := c.latestBy(few)
	if last == nil || c.wanted() > latestPages || asksSessions(few.q.asked()...) {
		return nil
	}
	rows := selection{from: few.q.from, where: append(slices.Clone(few.q.where), counts)}

	found := rows
	grouped := few.q
	grouped.columns = slices.DeleteFunc(slices.Clone(few.q.columns), func(col named) bool { return col.as == chosenID })
	for _, col := range columnsOf("t", selection{columns: grouped.columns}) {
		found.columns = append(found.columns, named{expr.Ident(col), row(expr.Ident(col))})
	}
	found.order = []ordering{{row("time"), true}}
	found.tail = fmt.Sprintf("LIMIT %d", min(latestEach*c.wanted(), latestMost))
	c.with("latest_rows", c.build(found))
	grouped.from, grouped.where = relation{"latest_rows", "t"}, nil
	c.with("latest", c.build(grouped))
	page := c.pageOf("latest")
	c.with("latest_page", c.build(page))

	enough := expr.Ge(expr.Call(dialect.Count), expr.Int(int64(c.wanted())))
	from := expr.Call(dialect.Min, expr.Col("y", expr.Ident(c.p.Sort[0].column)))
	c.with("latest_from", c.build(selection{from: relation{"latest_page", "y"}, columns: []named{
		{"first", ifElse(enough, from, expr.RangeTo())}, {"others", ifElse(enough, expr.RangeTo(), expr.RangeFrom())}}}))
	since := func(name expr.Ident) expr.Expr {
		return expr.Ge(row("time"), expr.Call(dialect.OnlyRow, expr.Out(name), expr.Relation("latest_from")))
	}
	few.q.where = append(slices.Clone(few.q.where), since("others"))
	rows.where = append(rows.where, since("first"))
	rows.columns = []named{{chosenID, id}}
	return &rows
}

// latestBy is the metric of few that the page is ordered by first, where that is the latest time of its
// rows, descending, and which rows count for it. It is nil for another order, and where more rows could
// leave out of the answer what fewer had in it.
func (c *compiler) latestBy(few *part) (last *metric, counts expr.Expr) {
	if len(c.p.Sort) == 0 || !c.p.Sort[0].desc || slices.ContainsFunc(c.p.Type.skipZero, func(m *metric) bool { return !m.grows() }) {
		return nil, expr.Expr{}
	}
	_, name, _ := c.p.Type.exprs[c.p.Type.column(c.p.Sort[0].column)].Column()
	i := slices.IndexFunc(few.metrics, func(m *metric) bool { return string(m.alias()) == name })
	if i < 0 {
		return nil, expr.Expr{}
	}
	op, args, _ := few.metrics[i].expr.Calls()
	if op != dialect.Max && op != dialect.MaxIf || args[0].String() != row("time").String() {
		return nil, expr.Expr{}
	}
	return few.metrics[i], expr.And(args[1:]...)
}

// grows tells that m is not less of more rows.
func (m *metric) grows() bool {
	op, _, ok := m.expr.Calls()
	return ok && slices.Contains([]dialect.Op{dialect.Count, dialect.CountIf, dialect.CountDistinct, dialect.CountDistinctHash}, op)
}
