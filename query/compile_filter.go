package query

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// value is what a row of tb has of f: for a session field that of its session, for
// all others its own.
func value(f *field, tb *table) expr.Expr {
	switch {
	case tb.derived():
		return expr.Col("o", expr.Ident(f.Name))
	case !f.computed.Absent():
		return f.computed
	case tb.rows == sessionRows:
		return expr.Col("s", f.Column)
	case tb.hasSessions() && f.Session:
		return expr.Computed(f.Column, attributed(f, tb, "s"))
	}
	return f.of("t")
}

// of is the field as the rows under alias have it.
func (f *field) of(alias expr.Alias) expr.Expr {
	e := expr.Col(alias, f.Column)
	if f.Default != "" {
		return expr.Call(dialect.If, expr.Eq(e, expr.Lit("")), expr.Arg(dialect.Text, f.Default), e)
	}
	return e
}

// attributed is a session's field for a row t of tb: the value of the session under alias,
// or the row's own where there is no session or one without page events.
func attributed(f *field, tb *table, alias expr.Alias) expr.Expr {
	own := expr.Lit("")
	if f.Carried == carriedByAll || f.Carried == carriedByEvents && tb.events {
		own = row(f.Column)
	}
	has := expr.Gt(expr.Call(dialect.Coalesce, expr.Col(alias, "page_events"), expr.Int(0)), expr.Int(0))
	return expr.Call(dialect.If, has, expr.Col(alias, f.Column), own)
}

// conditions are the filters as they apply to the rows of tb: a key's first, then the
// caller's. Of a session, filters on rows want one pageview that passes them all.
func (c *compiler) conditions(tb *table) []expr.Expr { return c.conditionsOf(tb, c.p.Filters) }

// conditionsOf are conditions with these filters in place of all that the caller has.
func (c *compiler) conditionsOf(tb *table, filters []condition) []expr.Expr {
	var found []expr.Expr
	if tb.rows == sessionRows {
		found = append(found, expr.Ge(ofSession("start"), expr.RangeFrom()), expr.Lt(ofSession("start"), expr.RangeTo()),
			expr.Gt(ofSession(matchingPageviews), expr.Int(0)))
	}
	if tb.rows == plainRows {
		for _, cond := range c.p.Mandatory {
			v := cond.Field.of("t")
			if tb.hasSessions() && cond.Field.Session {
				v = attributed(cond.Field, tb, "m")
			}
			found = append(found, cond.holds(v))
		}
	}
	for _, cond := range filters {
		if tb.rows == sessionRows && !cond.Field.Session {
			continue
		}
		found = append(found, cond.holds(value(cond.Field, tb)))
	}
	return found
}

// rowFilters are the caller's filters on rows, over an event of a session.
func (c *compiler) rowFilters(event expr.Alias) expr.Expr {
	var found []expr.Expr
	for _, cond := range c.p.Filters {
		if !cond.Field.Session {
			found = append(found, cond.holds(cond.Field.of(event)))
		}
	}
	return expr.And(found...)
}

// mandatory are the filters of a key over the events t that sessions form of: those
// by row, and those by session, which ask the relation under alias m. Fields that
// only rows of other tables have, like the message of an error, say nothing of events.
func (p *plan) mandatory() (byRow, bySession []expr.Expr) {
	for _, cond := range p.Mandatory {
		switch {
		case p.Type.Subject != store.KindWebsite:
		case cond.Field.Session:
			bySession = append(bySession, cond.holds(attributed(cond.Field, eventList, "m")))
		case cond.onEvents:
			byRow = append(byRow, cond.holds(cond.Field.of("t")))
		}
	}
	return byRow, bySession
}
