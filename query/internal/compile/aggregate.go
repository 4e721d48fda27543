package compile

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A part is the share of one table in an answer: its metrics by the keys of the answer.
type part struct {
	tb      *catalog.Table
	metrics []*catalog.BoundMetric
	q       selection
	gap     calendar.Interval // with rows: the time that is computed from events
	partly  bool              // of the ids that changed alone: the hits of the others are kept
	rows    *selection        // the hits of the gap; q reads them with those that are kept
	ids     expr.Expr         // which session ids its rows have, of events t; absent: any
}

// aggregate makes the answer of a plan that counts.
func (c *compiler) aggregate() selection {
	parts := c.parts()
	switch {
	case c.p.Type.Table.Rows == catalog.OutcomeRows:
		c.outcomes()
	case c.chooses(parts):
		c.choose(parts[0])
	default:
		c.sessionsFor(parts)
	}
	from := c.combine(parts)

	var q selection
	for _, f := range c.p.Group {
		q.columns = append(q.columns, named{expr.Ident(f.Name), catalog.Joined(expr.Ident(f.Name))})
	}
	q.columns = append(q.columns, c.columns()...)
	q.from = relation{from, "j"}
	q.where = c.having()
	if len(parts) > 1 && len(c.p.Group) > 0 {
		q.joins = []join{c.shownGroups(parts)}
	}
	keys := c.keys()
	if c.p.Type.Shape == catalog.Series {
		// A series is filled, sorted and paged when all of it is there.
		q.tail = fmt.Sprintf("LIMIT %d", ask.MaxLimit+1)
		return q
	}
	groups, dims := keys[:len(c.p.Group)], keys[len(c.p.Group):]
	for i := range c.p.Keys() {
		q.columns = append(q.columns, named{plan.KeyColumn(i), dims[i]})
	}
	if c.p.OfKeys {
		return c.ofKeys(q)
	}
	q.order = c.ordering(groups, dims)
	if values := c.p.Type.Values; len(values) > 0 && len(c.p.Sort) == 0 {
		position := expr.Call(dialect.ListPosition, dims[0], expr.Arg(dialect.Texts, values))
		q.order = append([]ordering{{e: position}}, q.order...)
	}
	q.tail = c.page()
	return q
}

// keys are the answer's keys but the bucket, as its relation j has them.
func (c *compiler) keys() []expr.Expr {
	var found []expr.Expr
	for _, f := range slices.Concat(c.p.Group, c.p.Type.DimensionFields) {
		found = append(found, catalog.Joined(expr.Ident(f.Name)))
	}
	return found
}

// columns are the type's.
func (c *compiler) columns() []named {
	found := make([]named, len(c.p.Type.Outputs))
	for i, col := range c.p.Type.Outputs {
		found[i] = named{expr.Ident(col.Name), c.p.Type.OutputExprs[i]}
	}
	return found
}

// parts makes a part of each table whose metrics the type shows.
func (c *compiler) parts() []*part {
	var found []*part
	for _, m := range c.p.Type.Metrics {
		i := slices.IndexFunc(found, func(p *part) bool { return p.tb == m.Table })
		if i < 0 {
			i = len(found)
			found = append(found, &part{tb: m.Table})
		}
		found[i].metrics = append(found[i].metrics, m)
	}
	for _, p := range found {
		p.q = c.part(p)
		c.fromHits(p)
	}
	return found
}

// part selects p's metrics by the answer's keys.
func (c *compiler) part(p *part) selection {
	q := c.rows(p.tb)
	q.columns = c.partKeys(p.tb)
	q.group = len(q.columns)
	for _, m := range p.metrics {
		q.columns = append(q.columns, named{m.Alias(), m.Expr})
	}
	if c.p.Type.LeftJoin {
		q.columns = append(q.columns, named{catalog.SourceRowsColumn, c.sourceRows(p.tb)})
	}
	return q
}

// rows selects the rows of tb that count, and no columns yet.
func (c *compiler) rows(tb *catalog.Table) selection {
	var q selection
	switch tb.Rows {
	case catalog.SessionRows:
		q.from = relation{"sessions", "s"}
	case catalog.OutageRows:
		q.from = relation{"outages", "o"}
		c.outages()
		return q
	case catalog.OutcomeRows:
		q.from = relation{tb.Name, "o"}
		return q
	default:
		q.from = relation{string(tb.Logical), "t"}
		if tb.PerProperty {
			q.lateral = relation{c.w.Write(expr.Call(dialect.JSONEach, catalog.Row("properties"))), "q"}
		}
		q.where = append(c.read(c.rng), tb.Where)
	}
	q.where = append(q.where, c.conditions(tb)...)
	q.where = append(q.where, c.shown(tb))
	return q
}

// shown is true for the rows of tb that neither SkipEmpty nor OnlyEmpty of the type leaves out.
func (c *compiler) shown(tb *catalog.Table) expr.Expr {
	var found []expr.Expr
	if f := c.p.Type.SkipEmptyField; f != nil {
		found = append(found, expr.Ne(catalog.Value(f, tb), expr.Lit("")))
	}
	if f := c.p.Type.OnlyEmptyField; f != nil {
		found = append(found, expr.Eq(catalog.Value(f, tb), expr.Lit("")))
	}
	return expr.And(found...)
}

// sourceRows counts the rows of a part that make a row of the answer.
func (c *compiler) sourceRows(tb *catalog.Table) expr.Expr {
	if tb == c.p.Type.Table {
		return expr.Call(dialect.Count)
	}
	return expr.Int(0)
}

// partKeys are the answer's keys as the rows of tb have them.
func (c *compiler) partKeys(tb *catalog.Table) []named {
	var found []named
	if c.p.Type.Shape == catalog.Series {
		found = append(found, named{catalog.BucketColumn, c.bucket(tb)})
	}
	for _, f := range c.p.Group {
		v := catalog.Value(f, tb)
		if f.Match == catalog.ByReferrer && !tb.Derived() {
			v = expr.Call(dialect.If, expr.Eq(v, expr.Lit("")), expr.Lit("direct"), v)
		}
		found = append(found, named{expr.Ident(f.Name), v})
	}
	for _, f := range c.p.Type.DimensionFields {
		found = append(found, named{expr.Ident(f.Name), catalog.Value(f, tb)})
	}
	return found
}

// bucket numbers the bucket that a row of tb counts for.
func (c *compiler) bucket(tb *catalog.Table) expr.Expr {
	at := expr.Col("t", "time")
	switch tb.Rows {
	case catalog.SessionRows:
		at = expr.Col("s", "start")
	case catalog.OutageRows:
		return expr.Col("o", "bucket")
	}
	segments := calendar.Segments(c.p.Range, c.p.Grain)
	if len(segments) == 0 {
		return expr.Int(0)
	}
	shift := milli(segments[len(segments)-1].Shift)
	for i := len(segments) - 2; i >= 0; i-- {
		shift = expr.Call(dialect.If, expr.Lt(at, milli(segments[i+1].From)), milli(segments[i].Shift), shift)
	}
	return expr.Call(dialect.FloorDiv, expr.Add(at, shift), expr.Int(c.p.Grain.Width()))
}

// page returns the limit and offset of a breakdown or list, with one row more than shown.
func (c *compiler) page() string {
	return fmt.Sprintf("LIMIT %d OFFSET %d", c.p.Limit+1, c.p.Offset)
}
