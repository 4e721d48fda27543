package compile

import (
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A reader says which stored rows a statement reads.
type reader struct {
	writer
	p    *plan.Plan
	kept days.Sealed
	rng  calendar.Interval // the plan's range

	toldChanged bool // the relation of ids that changed is there

	dids     []*plan.Did // conditions on what else people did
	toldDids bool        // the relations of visitors are there
}

// read returns the conditions on the subject and the time of rows t. Every logical table is read through it, so that no
// statement can lack the tenancy predicate.
func (c *reader) read(w calendar.Interval) []expr.Expr { return c.readAt("time", w) }

// readAt is read of rows whose time is in another column.
func (c *reader) readAt(column expr.Ident, w calendar.Interval) []expr.Expr {
	var subject expr.Expr // of several websites, the rows are read with it: see relation
	if !c.several() {
		subject = expr.Eq(catalog.Row("subject"), expr.Arg(dialect.Subject, c.p.Subject))
	}
	return []expr.Expr{subject, expr.Ge(catalog.Row(column), milli(w.From)), expr.Lt(catalog.Row(column), milli(w.To))}
}

func milli(instant int64) expr.Expr { return expr.Arg(dialect.Int, instant) }

// conditions are the filters as they apply to the rows of tb: a key's first, then the
// caller's. Of a session, filters on rows want one pageview that passes them all.
func (c *reader) conditions(tb *catalog.Table) []expr.Expr { return c.conditionsOf(tb, c.p.Filters) }

// conditionsOf are conditions with these filters in place of all that the caller has.
func (c *reader) conditionsOf(tb *catalog.Table, filters []plan.Condition) []expr.Expr {
	var found []expr.Expr
	if tb.Rows == catalog.SessionRows {
		found = append(found, expr.Ge(catalog.OfSession("start"), expr.RangeFrom()),
			expr.Lt(catalog.OfSession("start"), expr.RangeTo()),
			expr.Gt(catalog.OfSession(catalog.MatchingPageviews), expr.Int(0)))
	}
	if tb.Rows == catalog.PlainRows {
		for _, cond := range c.p.Mandatory {
			found = append(found, c.mandatoryOn(tb, cond))
		}
	}
	for _, cond := range filters {
		if tb.Rows == catalog.SessionRows && !cond.OfSession() {
			continue
		}
		found = append(found, cond.Holds(c.row(func(f *catalog.Field) expr.Expr { return catalog.Value(f, tb) }, "s",
			"t")))
	}
	return found
}

// mandatoryOn is cond, a mandatory filter, over a row t of tb and its session m.
func (c *reader) mandatoryOn(tb *catalog.Table, cond plan.Condition) expr.Expr {
	return cond.Holds(c.row(func(f *catalog.Field) expr.Expr {
		if tb.HasSessions() && f.Session {
			return catalog.Attributed(f, tb, "m")
		}
		return f.Of("t")
	}, "m", "t"))
}

// rowFilters are the caller's filters on rows, over an event of a session. Filters on both are not among them.
func (c *reader) rowFilters(event expr.Alias) expr.Expr {
	var found []expr.Expr
	for _, cond := range c.p.Filters {
		if !cond.OfSession() && !cond.Mixed() {
			found = append(found, cond.Holds(c.row(func(f *catalog.Field) expr.Expr { return f.Of(event) }, "s",
				event)))
		}
	}
	return expr.And(found...)
}

// mixedFilters are the caller's filters on both rows and sessions, over an event t of a session s.
func (c *reader) mixedFilters() expr.Expr {
	var found []expr.Expr
	for _, cond := range c.p.Filters {
		if cond.Mixed() {
			found = append(found, cond.Holds(c.row(func(f *catalog.Field) expr.Expr {
				if f.Session {
					return catalog.OfSession(f.Column)
				}
				return f.Of("t")
			}, "s", "t")))
		}
	}
	return expr.And(found...)
}

// mandatory are the filters of a key over the events t that sessions form of: those
// by row, and those by session, which ask the relation under alias m. Fields that
// only rows of other tables have, like the message of an error, say nothing of events.
func (c *reader) mandatory() (byRow, bySession []expr.Expr) {
	for _, cond := range c.p.Mandatory {
		switch {
		case c.p.Type.Subject != store.KindWebsite:
		case cond.OfSession():
			bySession = append(bySession,
				cond.Holds(c.row(func(f *catalog.Field) expr.Expr {
					return catalog.Attributed(f, catalog.EventList,
						"m")
				}, "m", "t")))
		case onEvents(&cond):
			byRow = append(byRow, cond.Holds(c.row(func(f *catalog.Field) expr.Expr { return f.Of("t") }, "m", "t")))
		}
	}
	return byRow, bySession
}

// onEvents reports whether events have all fields of c themselves.
func onEvents(c *plan.Condition) bool {
	for leaf := range c.Leaves() {
		if !leaf.OnEvents {
			return false
		}
	}
	return true
}

// shown is true for the rows of tb that neither SkipEmpty nor OnlyEmpty of the type leaves out.
func (c *reader) shown(tb *catalog.Table) expr.Expr {
	var found []expr.Expr
	if f := c.p.Type.SkipEmptyField; f != nil {
		found = append(found, expr.Ne(catalog.Value(f, tb), expr.Lit("")))
	}
	if f := c.p.Type.OnlyEmptyField; f != nil {
		found = append(found, expr.Eq(catalog.Value(f, tb), expr.Lit("")))
	}
	return expr.And(found...)
}
