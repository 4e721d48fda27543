package compile

import (
	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// combine joins parts by the answer's keys, and returns the relation that holds them all.
func (c *compiler) combine(parts []*part) string {
	for _, p := range parts {
		c.hits(p)
		c.with("part_"+p.tb.Name, c.build(p.q))
	}
	if len(parts) == 1 && !c.p.Type.ZeroFill {
		return "part_" + parts[0].tb.Name
	}
	keys := c.partKeys(parts[0].tb)
	all := selection{from: relation{"all_parts", "u"}, group: len(keys)}
	for _, key := range keys {
		all.columns = append(all.columns, named{key.as, expr.Col("u", key.as)})
	}
	var union []sqlbuilder.Builder
	for _, p := range parts {
		union = append(union, c.build(withNulls(p, parts, keys, c.p.Type.LeftJoin)))
		for _, m := range p.metrics {
			e := expr.Call(dialect.Max, expr.Col("u", m.Alias()))
			if m.Zero {
				e = expr.Call(dialect.Coalesce, e, expr.Int(0))
			}
			all.columns = append(all.columns, named{m.Alias(), e})
		}
	}
	if c.p.Type.ZeroFill {
		union = append(union, c.build(c.zeroRows(parts)))
	}
	if c.p.Type.LeftJoin {
		all.columns = append(all.columns, named{catalog.SourceRowsColumn, expr.Call(dialect.Max, expr.Col("u", catalog.SourceRowsColumn))})
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

// shownGroups joins the combinations of groupBy that have a pageview. In a type without pageviews, these are the combinations
// with a row of the table of the type. Other combinations are not shown.
func (c *compiler) shownGroups(parts []*part) join {
	by := c.p.Type.Table
	for _, p := range parts {
		if p.tb.LeadsGroups {
			by = p.tb
		}
	}
	q := selection{from: relation{"part_" + by.Name, "x"}, group: len(c.p.Group)}
	var same []expr.Expr
	for _, f := range c.p.Group {
		name := expr.Ident(f.Name)
		q.columns = append(q.columns, named{name, expr.Col("x", name)})
		same = append(same, expr.Eq(catalog.Joined(name), expr.Col("g", name)))
	}
	c.with("shown_groups", c.build(q))
	return join{to: relation{"shown_groups", "g"}, on: expr.And(same...)}
}

// zeroRows selects a row without metrics for each of the type's values, in every
// combination of groupBy.
func (c *compiler) zeroRows(parts []*part) selection {
	values := c.w.Write(expr.Call(dialect.Unnest, expr.Arg(dialect.Texts, c.p.Type.Values)))
	q := selection{from: relation{values, "v"}}
	if len(c.p.Group) > 0 {
		groups := selection{from: relation{"part_" + c.p.Type.Table.Name, "x"}, group: len(c.p.Group)}
		for _, f := range c.p.Group {
			name := expr.Ident(f.Name)
			groups.columns = append(groups.columns, named{name, expr.Col("x", name)})
			q.columns = append(q.columns, named{name, expr.Col("g", name)})
		}
		c.with("combinations", c.build(groups))
		q.joins = []join{{to: relation{"combinations", "g"}, on: expr.Eq(expr.Int(1), expr.Int(1))}}
	}
	q.columns = append(q.columns, named{expr.Ident(c.p.Type.DimensionFields[0].Name), expr.Col("v", "value")})
	for _, p := range parts {
		for _, m := range p.metrics {
			q.columns = append(q.columns, named{m.Alias(), nothing(m)})
		}
	}
	return q
}
