package storetest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// didMutations returns mistakes in filters on what people did, in the dialect d.
func didMutations(d *dialect.Dialect) []Mutation {
	hidden := strings.NewReplacer("NAME", `t\.\S+?`, "PREFIX",
		`'\$'`).Replace(regexp.QuoteMeta(d.Call(dialect.StartsWith, "NAME", "PREFIX")))
	return []Mutation{
		{Name: "what a visitor did at any time",
			SQL: Rewritten(`(?s)(did_\d+ AS .*?) AND \(t\.\S+ >= \S+\) AND \(t\.\S+ < \S+\)`, `$1`), Shape: "did",
			When: didIn("range")},
		{Name: "rows without a visitor share what they did",
			SQL: Rewritten(`(?s)(did_\d+ AS .*?) AND \(t\.\S+ <> 0\)`, `$1`), Shape: "did", When: didIn("range")},
		{Name: "hidden events are done, too", SQL: Rewritten(`(?s)(did_\d+ AS .*?) AND \(NOT `+hidden+`\)`, `$1`),
			Shape: "did", When: didIn("range")},
		{Name: "page events with their own names are not done",
			SQL: Rewritten(`\(\(t\.(\S+) = 2\) OR \(t\.\S+ = 3\)\) AND \(NOT`, `(t.$1 = 3) AND (NOT`), Shape: "did"},
		{Name: "a session did it only if it did it twice",
			SQL: Rewritten(`(coalesce\(s\.\S?did_\d+\S?, 0\)) > 0`, `$1 > 1`), Shape: "did",
			When: didIn("session", "")},
	}
}

// didIn selects questions with a filter on what was done in one of these places.
func didIn(places ...string) func(reference.Question) bool {
	var asks func(f reference.Filter) bool
	asks = func(f reference.Filter) bool {
		return f.Did != nil && slices.Contains(places, f.Did.In) || f.Not != nil && asks(*f.Not) ||
			slices.ContainsFunc(slices.Concat(f.And, f.Or), asks)
	}
	return func(q reference.Question) bool { return slices.ContainsFunc(q.Filters, asks) }
}
