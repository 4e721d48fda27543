package compile

import (
	"slices"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// FirstRow returns the statement for the time of the first row of any kind in w that a caller with these mandatory
// filters may see: one row with one column, in milliseconds, which is null without such a row.
//
// A filter on a field that a kind of rows does not have, such as href for errors, leaves these rows out only if no rows
// of sessions have the field, as query types do.
func FirstRow(a ask.Access, mandatory []plan.Condition, w calendar.Interval, d *dialect.Dialect) store.Statement {
	all := &plan.Plan{Type: &catalog.BoundType{Type: catalog.Type{Subject: a.Kind()}}, Subject: a.Subject,
		Websites: a.Websites, Mandatory: mandatory}
	c := newCompiler(all, d, days.Sealed{}, w)
	var parts []*part
	for _, tb := range catalog.StoredTables(a.Kind()) {
		if where, any := c.seen(tb); any {
			parts = append(parts, &part{tb: tb,
				q: selection{from: relation{string(tb.Logical), "t"}, where: slices.Concat(c.read(w), where),
					columns: []named{{"first", expr.Call(dialect.Min, catalog.Row("time"))}}}})
		}
	}
	if len(parts) == 0 {
		return c.firstOf(selection{from: relation{"(SELECT 0 AS first)", "x"},
			where: []expr.Expr{expr.Eq(expr.Int(0), expr.Int(1))}})
	}
	c.sessionsFor(parts)
	firsts := make([]sqlbuilder.Builder, len(parts))
	for i, p := range parts {
		firsts[i] = c.build(p.q)
	}
	c.with("firsts", unionAll(firsts...))
	return c.firstOf(selection{from: relation{"firsts", "x"}})
}

func (c *compiler) firstOf(q selection) store.Statement {
	q.columns = []named{{"first", expr.Call(dialect.Min, expr.Col("x", "first"))}}
	statement := c.statement("first row", q)
	statement.Kinds = []dialect.Kind{dialect.Int}
	return statement
}

// seen returns the mandatory filters as they apply to all rows of tb. It reports false if they leave out all of them.
func (c *reader) seen(tb *catalog.Table) (where []expr.Expr, any bool) {
	for _, cond := range c.p.Mandatory {
		lacks := false
		for leaf := range cond.Leaves() {
			switch {
			case leaf.Did == nil && (leaf.Field == nil || leaf.Field.Own()): // no type can be filtered by it
				return nil, false
			case leaf.Did != nil && tb.HasSessions(), leaf.Did == nil && tb.Has(leaf.Field) || leaf.Did == nil &&
				leaf.Field.IsProperty() && tb.Events:
			case leaf.Did == nil && tb.HasSessions() && (leaf.Field.IsProperty() || catalog.OfSessionRows(leaf.Field)):
				lacks = true
			default:
				return nil, false
			}
		}
		if !lacks {
			where = append(where, c.mandatoryOn(tb, cond))
		}
	}
	return where, true
}
