package compile

import (
	"fmt"
	"slices"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// This file writes [plan.Steps] as SQL.

// aggregate makes the answer of a plan that counts.
func (c *compiler) aggregate() selection {
	parts := c.parts()
	var late []lateMetric
	switch rows := c.p.Type.Table.Rows; {
	case rows == catalog.OutcomeRows:
		c.outcomes()
	case rows == catalog.TransitionRows:
		c.transitions()
		late = c.takeLate(parts[0])
	case rows == catalog.CohortRows:
		c.cohorts()
	case rows == catalog.GoalRows:
		c.goals()
	case c.p.Type.Table.Rows == catalog.FunnelRows:
		c.funnel()
	case c.chooses(parts):
		c.choose(parts[0])
	default:
		events := c.sessionsFor(parts)
		for _, p := range parts {
			c.sessionsByRow(p, events)
		}
	}
	q := selection{from: relation{c.combine(parts), "j"}, columns: columns(c.steps.Columns), where: having(c.steps),
		order: orderings(c.steps.Order)}
	if c.steps.ShownBy != plan.AnyPart {
		q.joins = []join{c.shownGroups(parts[c.steps.ShownBy])}
	}
	q.columns = slices.DeleteFunc(q.columns, func(col named) bool {
		return slices.ContainsFunc(late, func(l lateMetric) bool { return l.column == col.as })
	})
	if c.p.OfKeys || len(c.steps.Only) > 0 {
		q = c.narrowed(q)
	}
	if c.steps.Limit > 0 {
		q.tail = c.page()
	}
	if len(late) > 0 {
		return c.withLate(q, parts[0], late)
	}
	return q
}

// combine joins parts by the answer's keys, and returns the relation that holds them all.
func (c *compiler) combine(parts []*part) string {
	for _, p := range parts {
		c.hits(p)
		c.with("part_"+p.tb.Name, c.build(p.q))
	}
	fills := len(c.steps.ZeroValues)+len(c.steps.ZeroNumbers) > 0
	if len(parts) == 1 && !fills {
		return "part_" + parts[0].tb.Name
	}
	led := c.steps.Lead != plan.AnyPart
	keys := c.partKeys(parts[0].tb)
	all := selection{from: relation{"all_parts", "u"}, group: len(keys)}
	for _, key := range keys {
		all.columns = append(all.columns, named{key.as, expr.Col("u", key.as)})
	}
	var union []sqlbuilder.Builder
	for _, p := range parts {
		union = append(union, c.build(withNulls(p, parts, keys, led)))
		for _, m := range p.metrics {
			e := expr.Call(dialect.Max, expr.Col("u", m.Alias()))
			if m.Zero {
				e = expr.Call(dialect.Coalesce, e, expr.Int(0))
			}
			all.columns = append(all.columns, named{m.Alias(), e})
		}
	}
	if fills {
		union = append(union, c.build(c.zeroRows(parts[0])))
	}
	if led {
		all.columns = append(all.columns,
			named{catalog.SourceRowsColumn, expr.Call(dialect.Max, expr.Col("u", catalog.SourceRowsColumn))})
	}
	c.with("all_parts", unionAll(union...))
	c.with("joined", c.build(all))
	return "joined"
}

// nothing is a null of the kind of m: some databases do not take the kind from another member of a union.
func nothing(m *catalog.BoundMetric) expr.Expr {
	switch m.Format {
	case catalog.String, catalog.JSON:
		return expr.Call(dialect.NullText)
	case catalog.Number:
		return expr.Call(dialect.NullFloat)
	}
	return expr.Call(dialect.NullInt)
}

// withNulls selects p's rows with null for the metrics of the other parts.
func withNulls(p *part, parts []*part, keys []named, sourceRows bool) selection {
	q := selection{from: relation{"part_" + p.tb.Name, "x"}}
	for _, key := range keys {
		q.columns = append(q.columns, named{key.as, expr.Col("x", key.as)})
	}
	if sourceRows {
		q.columns = append(q.columns, named{catalog.SourceRowsColumn, expr.Col("x", catalog.SourceRowsColumn)})
	}
	for _, other := range parts {
		for _, m := range other.metrics {
			e := nothing(m)
			if other == p {
				e = expr.Col("x", m.Alias())
			}
			q.columns = append(q.columns, named{m.Alias(), e})
		}
	}
	return q
}

// shownGroups joins the combinations of groupBy that have a row of by. Other combinations are not shown.
func (c *compiler) shownGroups(by *part) join {
	var same []expr.Expr
	for _, f := range c.steps.Keys[:c.steps.Groups] {
		name := f.Alias()
		same = append(same, expr.Eq(catalog.Joined(name), expr.Col("g", name)))
	}
	c.with("shown_groups", c.build(c.combinations(by)))
	return join{to: relation{"shown_groups", "g"}, on: expr.And(same...)}
}

// combinations selects the combinations of groupBy that a part has.
func (c *compiler) combinations(of *part) selection {
	q := selection{from: relation{"part_" + of.tb.Name, "x"}, group: c.steps.Groups}
	for _, f := range c.steps.Keys[:c.steps.Groups] {
		name := f.Alias()
		q.columns = append(q.columns, named{name, expr.Col("x", name)})
	}
	return q
}

// zeroRows selects a row without metrics for each of the type's values, in every combination of groupBy that the part
// has.
func (c *compiler) zeroRows(of *part) selection {
	values, dimensions := c.zeroKeys()
	q := selection{from: relation{c.w.Write(values), "v"}}
	if c.steps.Groups > 0 {
		groups := c.combinations(of)
		c.with("combinations", c.build(groups))
		q.joins = []join{{to: relation{"combinations", "g"}, on: expr.Eq(expr.Int(1), expr.Int(1))}}
		for _, col := range groups.columns {
			q.columns = append(q.columns, named{col.as, expr.Col("g", col.as)})
		}
	}
	q.columns = append(q.columns, dimensions...)
	for _, m := range of.metrics {
		q.columns = append(q.columns, named{m.Alias(), nothing(m)})
	}
	return q
}

// zeroKeys is a table with the values of the dimensions that rows are added for, and their columns in it.
func (c *compiler) zeroKeys() (table expr.Expr, columns []named) {
	dimensions := c.steps.Keys[c.steps.Groups:]
	if len(c.steps.ZeroValues) > 0 {
		return expr.Call(dialect.Unnest, expr.Arg(dialect.Texts, c.steps.ZeroValues)),
			[]named{{dimensions[0].Alias(), expr.Col("v", "value")}}
	}
	lists := make([]expr.Expr, 3)
	for i := range lists {
		lists[i] = expr.Arg(dialect.Ints, c.steps.ZeroNumbers[min(i, len(dimensions)-1)])
	}
	for i, name := range []expr.Ident{"bucket", "since", "until"}[:len(dimensions)] {
		columns = append(columns, named{dimensions[i].Alias(), expr.Col("v", name)})
	}
	return expr.Call(dialect.ZipBuckets, lists...), columns
}

// having says which rows of the answer are shown.
func having(s *plan.Steps) []expr.Expr {
	var found []expr.Expr
	for _, m := range s.Positive {
		found = append(found, expr.Gt(catalog.Joined(m.Alias()), expr.Int(0)))
	}
	if s.Lead != plan.AnyPart {
		found = append(found, expr.Gt(catalog.Joined(catalog.SourceRowsColumn), expr.Int(0)))
	}
	return found
}

// columns are the columns of an answer.
func columns(of []plan.Column) []named {
	found := make([]named, len(of))
	for i, col := range of {
		found[i] = named{col.Name, col.E}
	}
	return found
}

// orderings are the order of an answer.
func orderings(of []plan.Step) []ordering {
	found := make([]ordering, len(of))
	for i, s := range of {
		found[i] = ordering{s.E, s.Desc}
		if s.Column != "" {
			found[i].e = expr.Out(s.Column)
		}
	}
	return found
}

// narrowed selects the rows of q that Among and Only leave. Shares still refer to all rows.
func (c *compiler) narrowed(q selection) selection {
	order := q.order
	q.order = nil
	c.with("compared", c.build(q))
	y := func(name expr.Ident) expr.Expr { return expr.Col("y", name) }
	final := selection{from: relation{"compared", "y"}}
	for _, col := range q.columns {
		final.columns = append(final.columns, named{col.as, y(col.as)})
	}
	for _, a := range c.steps.Among {
		final.where = append(final.where, expr.Call(dialect.InList, y(a.Column), expr.Arg(dialect.Texts, a.Key)))
	}
	for _, o := range c.steps.Only {
		final.where = append(final.where, expr.Eq(y(o.Column), expr.Arg(dialect.Text, o.Value)))
	}
	for _, o := range order {
		if _, name, ok := o.e.Column(); ok { // a key, which is a column of the same name
			o.e = y(expr.Ident(name))
		}
		final.order = append(final.order, o)
	}
	return final
}

// page cuts the rows of the answer.
func (c *compiler) page() string {
	if c.p.Type.Shape == catalog.Series {
		return fmt.Sprintf("LIMIT %d", c.steps.Limit)
	}
	return fmt.Sprintf("LIMIT %d OFFSET %d", c.steps.Limit, c.steps.Offset)
}
