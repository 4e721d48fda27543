package catalog

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Alias returns the name of a metric between its part and the columns of the answer.
func (m *BoundMetric) Alias() expr.Ident { return expr.Ident(m.source + "_" + m.Name) }

// Joined returns a column of the relation j, which has the groups of an answer.
func Joined(name expr.Ident) expr.Expr { return expr.Col("j", name) }

// bucketColumn is the key of a series; sourceRowsColumn counts the rows of the type's source.
const (
	BucketColumn     = expr.Ident("bucket")
	SourceRowsColumn = expr.Ident("source_rows")
)

// Value returns the value of f in a row of tb: the value of its session for a field of sessions, else its own.
func Value(f *Field, tb *Table) expr.Expr {
	switch {
	case tb.Derived():
		return expr.Col("o", f.Alias())
	case !f.computed.Absent():
		return f.computed
	case tb.Rows == SessionRows:
		return expr.Col("s", f.Column)
	case tb.HasSessions() && f.Session && f != Website:
		return expr.Computed(f.Column, Attributed(f, tb, "s"))
	}
	return f.Of("t")
}

// Of is the field as the rows under alias have it.
func (f *Field) Of(alias expr.Alias) expr.Expr {
	if f.property != "" {
		return expr.Call(dialect.JSONValue, expr.Col(alias, "properties"), expr.Arg(dialect.Text, f.property))
	}
	e := expr.Col(alias, f.Column)
	if f.Default != "" {
		return expr.Call(dialect.If, expr.Eq(e, expr.Lit("")), expr.Arg(dialect.Text, f.Default), e)
	}
	return e
}

// Attributed is a field of sessions for a row t of tb: the value of the session under alias, or of the row itself if it
// has no session, or one without page events.
func Attributed(f *Field, tb *Table, alias expr.Alias) expr.Expr {
	own := expr.Lit("")
	if f.Carried == carriedByAll || f.Carried == carriedByEvents && tb.Events {
		own = Row(f.Column)
	}
	has := expr.Gt(expr.Call(dialect.Coalesce, expr.Col(alias, "page_events"), expr.Int(0)), expr.Int(0))
	return expr.Call(dialect.If, has, expr.Col(alias, f.Column), own)
}

// SessionColumns returns the columns of the fields of sessions.
func SessionColumns() []string {
	var found []string
	for _, f := range SessionFields() {
		found = append(found, string(f.Column))
	}
	return found
}

// SessionFields returns the fields whose values a session takes from its first page event.
func SessionFields() []*Field {
	return slices.DeleteFunc(slices.Concat(fields, typeFields),
		func(f *Field) bool { return f.Carried == carriedByNone })
}
