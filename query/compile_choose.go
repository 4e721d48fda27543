package query

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/expr"
)

// manyMetrics is how many metrics that order no rows make it worth to find the rows of a page
// first, which reads the table twice.
const manyMetrics = 6

// chooses tells whether the rows of the page are found first, and all that they show only then:
// where one table gives many metrics, and none is a share of rows that the page does not have.
func (c *compiler) chooses(parts []*part) bool {
	ty := c.p.Type
	return len(parts) == 1 && ty.Shape == Breakdown && len(ty.Values) == 0 && len(ty.dimensions) > 0 &&
		c.p.Limit > 0 && !c.p.Keyed && !c.p.OfKeys && parts[0].tb.rows == plainRows &&
		!slices.ContainsFunc(ty.columns, func(col column) bool { return col.Name == shareColumn }) &&
		len(parts[0].metrics) >= len(c.choosing(parts[0]).metrics)+manyMetrics
}

// choosing is p with the metrics alone that order its rows and leave some out.
func (c *compiler) choosing(p *part) *part {
	asked := columnsOf("j", selection{columns: c.orderedBy(), where: c.having()})
	few := *p
	few.metrics = slices.DeleteFunc(slices.Clone(p.metrics), func(m *metric) bool {
		return !slices.Contains(asked, string(m.alias()))
	})
	few.q = c.part(&few)
	return &few
}

// orderedBy are the columns that the rows are ordered by.
func (c *compiler) orderedBy() []named {
	order := c.ordering(nil, nil)
	return slices.DeleteFunc(c.columns(), func(col named) bool {
		return !slices.ContainsFunc(order, func(o ordering) bool { return o.e.IsOut(col.as) })
	})
}

// choose adds the relation chosen: the keys of the rows of the page, and those before. It leaves
// the other rows out of p.
func (c *compiler) choose(p *part) {
	few := c.choosing(p)
	c.sessionsFor([]*part{few, p})
	c.with("ordered_"+p.tb.name, c.build(few.q))
	keys := c.keys()
	chosen := selection{from: relation{"ordered_" + p.tb.name, "j"}, columns: c.orderedBy(), where: c.having(),
		order: c.ordering(keys[:len(c.p.Group)], keys[len(c.p.Group):]), tail: fmt.Sprintf("LIMIT %d", c.p.Offset+c.p.Limit+1)}
	var same []expr.Expr
	for i, key := range c.partKeys(p.tb) {
		name := expr.Ident(fmt.Sprintf("chosen_%d", i+1))
		chosen.columns = append(chosen.columns, named{name, keys[i]})
		same = append(same, expr.Eq(expr.Col("h", name), key.e))
	}
	c.with("chosen", c.build(chosen))
	p.q.joins = append(p.q.joins, join{to: relation{"chosen", "h"}, on: expr.And(same...)})
}

// having says which rows of the answer are shown.
func (c *compiler) having() []expr.Expr {
	var found []expr.Expr
	for _, m := range c.p.Type.skipZero {
		found = append(found, expr.Gt(joined(m.alias()), expr.Int(0)))
	}
	if c.p.Type.leftJoin {
		found = append(found, expr.Gt(joined(sourceRowsColumn), expr.Int(0)))
	}
	return found
}
