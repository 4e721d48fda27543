package compile

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// conditions are the filters as they apply to the rows of tb: a key's first, then the
// caller's. Of a session, filters on rows want one pageview that passes them all.
func (c *compiler) conditions(tb *catalog.Table) []expr.Expr { return c.conditionsOf(tb, c.p.Filters) }

// conditionsOf are conditions with these filters in place of all that the caller has.
func (c *compiler) conditionsOf(tb *catalog.Table, filters []plan.Condition) []expr.Expr {
	var found []expr.Expr
	if tb.Rows == catalog.SessionRows {
		found = append(found, expr.Ge(catalog.OfSession("start"), expr.RangeFrom()), expr.Lt(catalog.OfSession("start"), expr.RangeTo()),
			expr.Gt(catalog.OfSession(catalog.MatchingPageviews), expr.Int(0)))
	}
	if tb.Rows == catalog.PlainRows {
		for _, cond := range c.p.Mandatory {
			v := cond.Field.Of("t")
			if tb.HasSessions() && cond.Field.Session {
				v = catalog.Attributed(cond.Field, tb, "m")
			}
			found = append(found, cond.Holds(v))
		}
	}
	for _, cond := range filters {
		if tb.Rows == catalog.SessionRows && !cond.Field.Session {
			continue
		}
		found = append(found, cond.Holds(catalog.Value(cond.Field, tb)))
	}
	return found
}

// rowFilters are the caller's filters on rows, over an event of a session.
func (c *compiler) rowFilters(event expr.Alias) expr.Expr {
	var found []expr.Expr
	for _, cond := range c.p.Filters {
		if !cond.Field.Session {
			found = append(found, cond.Holds(cond.Field.Of(event)))
		}
	}
	return expr.And(found...)
}

// Mandatory are the filters of a key over the events t that sessions form of: those
// by row, and those by session, which ask the relation under alias m. Fields that
// only rows of other tables have, like the message of an error, say nothing of events.
func Mandatory(p *plan.Plan) (byRow, bySession []expr.Expr) {
	for _, cond := range p.Mandatory {
		switch {
		case p.Type.Subject != store.KindWebsite:
		case cond.Field.Session:
			bySession = append(bySession, cond.Holds(catalog.Attributed(cond.Field, catalog.EventList, "m")))
		case cond.OnEvents:
			byRow = append(byRow, cond.Holds(cond.Field.Of("t")))
		}
	}
	return byRow, bySession
}
