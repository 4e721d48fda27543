package compile

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// RowFields returns the fields of p's groupBy that rows of tb, which are sessions, do not have themselves, but their
// pageviews. It is empty for other tables.
func RowFields(p *plan.Plan, tb *catalog.Table) (found []*catalog.Field) {
	if tb.Rows != catalog.SessionRows {
		return nil
	}
	for _, f := range p.Group {
		if !f.Session && !f.Own() {
			found = append(found, f)
		}
	}
	return found
}

// isRowField reports whether a column of sessions is one that sessionsByRow adds.
func (p *part) isRowField(column string) bool {
	return slices.ContainsFunc(p.byRow, func(f *catalog.Field) bool { return string(f.Alias()) == column })
}

// sessionsByRow lets p read the relation sessions_by_row, if it is grouped by fields of pageviews: a row for each
// session and each combination of the values that its pageviews have which pass the filters of the caller. With a Door,
// the values are those of one pageview, whether or not it passes. Sessions are formed of events.
func (c *tables) sessionsByRow(p *part, events selection) {
	if len(p.byRow) == 0 {
		return
	}
	s, door := catalog.OfSession, c.p.Type.Door
	inside := expr.And(expr.Eq(s("session_hash"), catalog.Row("session_hash")),
		expr.Ge(catalog.Row("time"), s("start")),
		expr.Lt(catalog.Row("time"), expr.Add(s("start"), expr.Int(calendar.Day))))
	rows := selection{from: events.from,
		joins:   append(slices.Clone(events.joins), join{to: relation{"sessions", "s"}, on: inside}),
		where:   slices.Concat(events.where, []expr.Expr{catalog.OfKind(store.Pageview)}, p.q.where),
		columns: []named{{"session_hash", s("session_hash")}, {"start", s("start")}}}
	for _, name := range columnsOf("s", selection{columns: p.q.columns}) {
		if name != "session_hash" && name != "start" && !p.isRowField(name) {
			rows.columns = append(rows.columns, named{expr.Ident(name), s(expr.Ident(name))})
		}
	}
	rows.group = len(rows.columns)
	for _, f := range p.byRow {
		value := f.Of("t")
		switch key := expr.Call(dialect.SortKey, catalog.EventOrder("t")...); door {
		case "entry_page":
			value = expr.Call(dialect.ArgMinIf, value, key, catalog.OfKind(store.Pageview))
		case "exit_page":
			value = expr.Call(dialect.ArgMaxIf, value, key, catalog.OfKind(store.Pageview))
		default:
			rows.group++
		}
		rows.columns = append(rows.columns, named{f.Alias(), value})
	}
	if door == "" {
		rows.where = append(rows.where, c.rowFilters("t"), c.mixedFilters())
	}
	c.with("sessions_by_row", c.build(rows))
	p.q.from, p.q.where = relation{"sessions_by_row", "s"}, nil
}
