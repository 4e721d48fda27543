package compile

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
)

// Distinct sessions and visitors of each pair of pages take several times the time and memory of the number of steps
// between them. So they are late: they are counted for the rows of a page of the answer, once these are known. This
// needs an answer that is not ordered by them, and a database that does not put the pageviews of sessions in order
// again for it.

// A lateMetric is a metric that is counted for the rows of a page, and the column that shows it.
type lateMetric struct {
	column expr.Ident
	metric *catalog.BoundMetric
}

// takeLate leaves late metrics out of p, the only part of an answer, and returns them.
func (c *compiler) takeLate(p *part) (found []lateMetric) {
	if !c.w.Dialect.RunsOnce() {
		return nil
	}
	var needed []expr.Expr
	for _, o := range c.steps.Order {
		needed = append(needed, o.E)
	}
	plain := map[string]expr.Ident{} // the columns that show a metric or a key as it is
	for _, col := range c.steps.Columns {
		if of, name, ok := col.E.Column(); ok && of == "j" {
			plain[name] = col.Name
		} else {
			needed = append(needed, col.E)
		}
	}
	used := expr.Columns(expr.List(needed...), "j")
	for _, key := range c.partKeys(p.tb) {
		if plain[string(key.as)] != key.as {
			return nil
		}
	}
	p.metrics = slices.DeleteFunc(slices.Clone(p.metrics), func(m *catalog.BoundMetric) bool {
		column, shown := plain[string(m.Alias())]
		if !shown || slices.Contains(used, string(m.Alias())) {
			return false
		}
		found = append(found, lateMetric{column, m})
		p.q.columns = slices.DeleteFunc(p.q.columns, func(col named) bool { return col.as == m.Alias() })
		return true
	})
	return found
}

// withLate adds late metrics of the rows o of p to a page of the answer, which q selects without them.
func (c *compiler) withLate(q selection, p *part, all []lateMetric) selection {
	c.with("page", c.build(q))
	y, z := func(name expr.Ident) expr.Expr { return expr.Col("y", name) },
		func(name expr.Ident) expr.Expr { return expr.Col("z", name) }
	var same []expr.Expr
	for _, key := range c.partKeys(p.tb) {
		same = append(same, expr.Eq(key.e, y(key.as)))
	}
	counted := selection{from: relation{"page", "y"}, group: len(q.columns),
		joins: []join{{to: p.q.from, on: expr.And(same...)}}}
	for _, col := range q.columns {
		counted.columns = append(counted.columns, named{col.as, y(col.as)})
	}
	for _, l := range all {
		counted.columns = append(counted.columns, named{l.column, l.metric.Expr})
	}
	c.with("whole_page", c.build(counted))
	final := selection{from: relation{"whole_page", "z"}}
	for _, col := range c.steps.Columns {
		final.columns = append(final.columns, named{col.Name, z(col.Name)})
	}
	for _, o := range q.order {
		if _, name, ok := o.e.Column(); ok { // a key, which is a column of the same name
			o.e = z(expr.Ident(name))
		}
		final.order = append(final.order, o)
	}
	return final
}
