package compile

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A page that is ordered by a latest time, descending, is mostly found among the latest rows of the table. These rows
// are grouped first. A group with a row among them has its latest row among them. So if they give enough groups for a
// page, a group without a row since the earliest of these times cannot be on the page. All groups with such a row are
// chosen, and the values computed from all their rows decide which of them are shown, and in what order. If the latest
// rows do not give enough groups, all rows are grouped, as for any other order.

// Bounds of the latest rows that are read: latestEach for each row of the page and of the pages before it, but at most
// latestMost, for which DuckDB would order all rows. Nothing is read for pages behind latestPage rows, where each row
// would get few.
const (
	latestEach = 32
	latestMost = 5000
	latestPage = 1000
)

// latest selects the ids of all groups that may be on the page, by the latest rows, and makes few group all other rows
// only when these do not give enough. It is nil if few is not ordered by a latest time, and if rows have to be joined
// to all sessions before they count, which costs more than to group them.
func (c *chooser) latest(few *part, id expr.Expr) *selection {
	counts, ok := c.byLatest(few)
	if !ok || c.wanted() > latestPage || asksSessions(few.q.asked()...) {
		return nil
	}
	rows := selection{from: few.q.from, where: append(slices.Clone(few.q.where), counts)}
	c.latestFrom(few.q, rows)
	since := func(name expr.Ident) expr.Expr {
		return expr.Ge(catalog.Row("time"),
			expr.Call(dialect.OnlyRow, expr.Col("latest_from", name), expr.Relation("latest_from")))
	}
	few.q.where = append(few.q.where, since("others"))
	rows.where = append(rows.where, since("first"))
	rows.columns = []named{{chosenID, id}}
	return &rows
}

// latestFrom adds the relation latest_from: the time since which groups with a row may be on the page, and the time
// since which other rows have to be grouped. The latter is the end of the range if no others have to be grouped.
func (c *chooser) latestFrom(grouped, rows selection) {
	grouped.columns = slices.DeleteFunc(slices.Clone(grouped.columns),
		func(col named) bool { return col.as == chosenID })
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
	least := expr.Call(dialect.Min, expr.Col("y", c.steps.Order[0].Column))
	c.with("latest_from", c.build(selection{from: relation{"latest_page", "y"}, columns: []named{
		{"first", catalog.IfElse(enough, least, expr.RangeTo())},
		{"others", catalog.IfElse(enough, expr.RangeTo(), expr.RangeFrom())}}}))
}

// byLatest reports whether the page is ordered first by the latest time of the rows of few that count, descending, and
// returns the condition for these rows. It reports false if more rows could hide a group that a few rows show.
func (c *chooser) byLatest(few *part) (counts expr.Expr, ok bool) {
	if first := c.steps.Order[0]; first.Column == "" || !first.Desc ||
		slices.ContainsFunc(c.steps.Positive, func(m *catalog.BoundMetric) bool { return !grows(m) }) {
		return expr.Expr{}, false
	}
	_, name, _ := c.steps.Order[0].E.Column()
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

// grows reports whether more rows never make m less.
func grows(m *catalog.BoundMetric) bool {
	op, _, ok := m.Expr.Calls()
	return ok && slices.Contains([]dialect.Op{dialect.Count, dialect.CountIf, dialect.CountDistinct,
		dialect.CountDistinctHash}, op)
}
