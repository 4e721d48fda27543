package storetest

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// goalMutations returns the mutations of the SQL of goals, in the dialect d.
func goalMutations(d *dialect.Dialect) []Mutation {
	kind := func(n string) string { return "(t." + d.Ident("kind") + " = " + n + ")" }
	return []Mutation{
		{Name: "a rate of conversions", Shape: "goals",
			SQL: Rewritten(`\(100 \* (\w+)\(o\.(\W?)visitors(\W?)\)`, `(100 * $1(o.${2}conversions$3)`)},
		{Name: "a mean over all conversions", Shape: "goals",
			SQL: Rewritten(`(\w+\(o\.\W?)valued(\W?\) \* 10000)`, `${1}conversions$2`)},
		{Name: "combinations without a conversion", Shape: "goals",
			SQL: Rewritten(`(conversions_\d+\W?(?: END|\))*) > 0\)`, `$1 >= 0)`)},
		{Name: "a rate of all visitors, whatever their session", Shape: "goals",
			SQL: Rewritten(`\(x\.\W?\w+\W? = g\.\W?\w+\W?\)`, `(1 = 1)`), When: groupedByBoth},
		{Name: "goals in the order of their names", Shape: "goals", Op: dialect.ListPosition,
			Template: "coalesce($1, '')"},
		{Name: "page events with their own names are no custom events", Shape: "goals",
			SQL: Replaced(kind("2")+" OR "+kind("3"), kind("3")+" OR "+kind("3"))},
	}
}

// groupedByBoth selects questions that group by a field of sessions and by a property.
func groupedByBoth(q reference.Question) bool {
	property := func(field string) bool { return strings.HasPrefix(field, query.PropertyPrefix) }
	return slices.ContainsFunc(q.GroupBy, property) &&
		slices.ContainsFunc(q.GroupBy, func(f string) bool { return !property(f) })
}
