package storetest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// toAnyPage is the mutation of a condition that not every dialect needs.
const toAnyPage = "visitors of steps to any page"

// AskingMutations returns the mutations of SQL for questions that ask more than a type alone, which work with any
// database, in the dialect d.
func AskingMutations(d *dialect.Dialect) []Mutation {
	w, o, y := columnsIn(d, "w"), columnsIn(d, "o"), columnsIn(d, "y")
	a, in, t := columnsIn(d, "a"), columnsIn(d, "d"), columnsIn(d, "t")
	pattern := regexp.QuoteMeta
	all := append(goalMutations(d), []Mutation{
		{Name: "views of the same page are steps", Shape: "paths",
			SQL: Replaced("("+w("before")+" <> "+w("path")+")", "("+w("path")+" = "+w("path")+")")},
		{Name: "steps from pageviews before the range", Shape: "paths",
			SQL: Rewritten(`\(`+pattern(w("earlier"))+` >= \S+\)`, "("+w("earlier")+" > 0)")},
		{Name: "entries by the first pageview in the range", Shape: "paths",
			SQL: Rewritten(pattern("(NOT ("+w("earlier")+" IS NOT NULL)) OR (("+w("earlier"))+` >= (\S+)\)`,
				"(coalesce("+w("earlier")+", 0) < $1) OR (("+w("earlier")+" >= $1)")},
		{Name: "exits are missing", Shape: "paths",
			SQL: Replaced("(NOT ("+w("later")+" IS NOT NULL))", "("+w("later")+" < 0)")},
		{Name: toAnyPage, Shape: "paths",
			SQL: Replaced(" AND ("+o("to_path")+" = "+y("to_path")+")", "")},
		{Name: "shares of all steps", Op: dialect.SumWithin, Template: d.Templates[dialect.SumOver], Shape: "paths"},
		{Name: "shares after to", Shape: "paths",
			SQL: Rewritten(`(?s)(sum\(j\.\S+\) OVER )\(PARTITION BY [^)]+\)(.*WHERE \(y\.)`, "$1(PARTITION BY j."+
				d.Ident("from_path")+", j."+d.Ident("to_path")+")$2"),
			When: func(q reference.Question) bool { return q.To != nil }},
		{Name: "cohorts of the last start", Shape: "retention",
			SQL: Replaced("min("+in("bucket")+")", "max("+in("bucket")+")")},
		{Name: "returns after the last start", Shape: "retention",
			SQL: Replaced("min("+in("since")+")", "max("+in("since")+")")},
		{Name: "returns before the start", Shape: "retention",
			SQL: Replaced("("+in("last")+" >= "+a("since")+")", "("+in("last")+" > 0)")},
		{Name: "a start is no return", Shape: "retention",
			SQL: Replaced("("+in("last")+" >= "+a("since")+")", "("+in("last")+" > "+a("since")+")")},
		{Name: "cohorts of the first start ever", Shape: "retention",
			SQL: Rewritten(`\(`+pattern(t("time"))+` >= \S+\) AND `, "")},
	}...)
	if !d.RunsOnce() { // its statements count visitors at once, and do not have this condition
		all = slices.DeleteFunc(all, func(m Mutation) bool { return m.Name == toAnyPage })
	}
	return all
}

// columnsIn returns a function for the columns of the relation with an alias, as they are written in d.
func columnsIn(d *dialect.Dialect, alias string) func(name string) string {
	return func(name string) string { return strings.Join([]string{alias, d.Ident(name)}, ".") }
}
