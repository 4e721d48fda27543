package compile

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A page that is ordered by a latest time, the latest first, is mostly found among the latest rows of the
// table, which are grouped first. Whoever has a row among them has the latest of all of theirs there. So when
// they give enough for a page, nobody belongs on it who has no row since the least latest time of these, and
// all who have one are chosen: what is then computed of all their rows tells which of them are shown, and in
// what order. When the latest rows do not give enough, all rows are grouped as for any other order.

// How many of the latest rows are read: so many for each row of the page and of those before, but no more than
// latestMost, for which DuckDB would order all rows. There are none for pages of so many rows, or so far
// behind, that these would be few for each.
const (
	latestEach = 32
	latestMost = 5000
	latestPage = 1000
)

// latest selects the ids of all who may be on the page, by the latest rows, and makes few group all other
// rows only when these do not give enough. It is nil where few is not ordered by a latest time, and where rows
// have to be joined to all sessions to tell whether they count, which costs more than to group them.
func (c *compiler) latest(few *part, id expr.Expr) *selection {
	counts, ok := c.byLatest(few)
	if !ok || c.wanted() > latestPage || asksSessions(few.q.asked()...) {
		return nil
	}
	rows := selection{from: few.q.from, where: append(slices.Clone(few.q.where), counts)}
	c.latestFrom(few.q, rows)
	since := func(name expr.Ident) expr.Expr {
		return expr.Ge(catalog.Row("time"), expr.Call(dialect.OnlyRow, expr.Col("latest_from", name), expr.Relation("latest_from")))
	}
	few.q.where = append(few.q.where, since("others"))
	rows.where = append(rows.where, since("first"))
	rows.columns = []named{{chosenID, id}}
	return &rows
}

// latestFrom adds the relation latest_from: the time since which rows are of those who may be on the page,
// and that since which others have to be grouped; the end of the range where there are none.
func (c *compiler) latestFrom(grouped, rows selection) {
	grouped.columns = slices.DeleteFunc(slices.Clone(grouped.columns), func(col named) bool { return col.as == chosenID })
	for _, col := range columnsOf("t", selection{columns: grouped.columns}) {
		rows.columns = append(rows.columns, named{expr.Ident(col), catalog.Row(expr.Ident(col))})
	}
	rows.order = []ordering{{catalog.Row("time"), true}}
	rows.tail = fmt.Sprintf("LIMIT %d", min(latestEach*c.wanted(), latestMost))
	c.with("latest_rows", c.build(rows))
	grouped.from, grouped.where = relation{"latest_rows", "t"}, nil
	c.with("latest", c.build(grouped))
	c.with("latest_page", c.build(c.pageOf("latest")))

	enough := expr.Ge(expr.Call(dialect.Count), expr.Int(int64(c.wanted())))
	least := expr.Call(dialect.Min, expr.Col("y", expr.Ident(c.p.Sort[0].Column)))
	c.with("latest_from", c.build(selection{from: relation{"latest_page", "y"}, columns: []named{
		{"first", catalog.IfElse(enough, least, expr.RangeTo())}, {"others", catalog.IfElse(enough, expr.RangeTo(), expr.RangeFrom())}}}))
}

// byLatest tells whether the page is ordered first by the latest time of the rows of few that count, which
// it returns, descending; and whether whoever a few rows show is shown by more rows, too.
func (c *compiler) byLatest(few *part) (counts expr.Expr, ok bool) {
	if len(c.p.Sort) == 0 || !c.p.Sort[0].Desc || slices.ContainsFunc(c.p.Type.SkipZeroMetrics, func(m *catalog.BoundMetric) bool { return !grows(m) }) {
		return expr.Expr{}, false
	}
	_, name, _ := c.p.Type.OutputExprs[c.p.Type.OutputIndex(c.p.Sort[0].Column)].Column()
	i := slices.IndexFunc(few.metrics, func(m *catalog.BoundMetric) bool { return string(m.Alias()) == name })
	if i < 0 {
		return expr.Expr{}, false
	}
	op, args, _ := few.metrics[i].Expr.Calls()
	if op != dialect.Max && op != dialect.MaxIf || args[0].String() != catalog.Row("time").String() {
		return expr.Expr{}, false
	}
	return expr.And(args[1:]...), true
}

// grows tells that more rows never make m less.
func grows(m *catalog.BoundMetric) bool {
	op, _, ok := m.Expr.Calls()
	return ok && slices.Contains([]dialect.Op{dialect.Count, dialect.CountIf, dialect.CountDistinct, dialect.CountDistinctHash}, op)
}
