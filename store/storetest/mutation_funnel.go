package storetest

import (
	"strings"

	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// funnelMutations returns the mutations of the SQL of funnels, in the dialect d.
func funnelMutations(d *dialect.Dialect) []Mutation {
	windowed := func(q reference.Question) bool { return q.Window != "" }
	before := d.Templates[dialect.MaxBefore]
	return []Mutation{
		{Name: "the first start of a chain, not the latest", Shape: "funnel", Op: dialect.MaxBefore,
			Template: strings.Replace(before, "max(", "min(", 1)},
		{Name: "one event for two steps", Shape: "funnel", Op: dialect.MaxBefore,
			Template: strings.Replace(before, "1 PRECEDING", "CURRENT ROW", 1)},
		{Name: "a chain through all persons", Shape: "funnel", Op: dialect.MaxBefore,
			Template: strings.Replace(before, "PARTITION BY $2 ", "", 1)},
		{Name: "events of one instant in any order", Shape: "funnel",
			SQL: Rewritten(`(PARTITION BY [^()]*? ORDER BY t\.\W?time\W?), [^()]*\([^()]*\), [^()]*?( ROWS|\))`,
				`$1$2`)},
		{Name: "a window that its last instant is not in", Shape: "funnel", Args: shorterWindow, When: windowed},
		{Name: "the value of the latest event of step 1", Shape: "funnel", Op: dialect.ArgMinIf,
			Template: d.Templates[dialect.ArgMaxIf],
			When:     func(q reference.Question) bool { return len(q.GroupBy) > 0 }},
		{Name: "step rates of the first step", Shape: "funnel",
			SQL: Rewritten(`(\w+\(o\.\W?)before(\W?\), 0\))`, `${1}entered$2`)},
		{Name: "medians of all persons who entered", Shape: "funnel", Op: dialect.Median,
			Template: strings.ReplaceAll(d.Templates[dialect.Median], "$1", "coalesce($1, 0)")},
	}
}

// shorterWindow takes a millisecond from the window of a funnel. No other argument of a funnel is a whole number of
// minutes up to 90 days.
func shorterWindow(args []dialect.Arg) {
	const minute = 60_000
	for i, a := range args {
		if n, ok := a.Value.(int64); ok && n > 0 && n%minute == 0 && n <= 90*dayMillis {
			args[i].Value = n - 1
		}
	}
}
