package compile

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A chain must not have an excluded event between its events of steps k-1 and k. So the event of step k-1 is the last
// excluded event before that of step k, or lies behind it. The window that finds the latest start of a chain is over
// these events alone: over those with one value of sinceName, the place of the last excluded event so far.

// The names of what events have of the exclusions before a step, which is counted from 0.
func excludedName(k int) expr.Ident { return expr.Ident(fmt.Sprintf("excluded_%d", k+1)) }
func sinceName(k int) expr.Ident    { return expr.Ident(fmt.Sprintf("since_%d", k+1)) }

// excludes reports whether the funnel has exclusions.
func (f *funnel) excludes() bool { return len(f.p.Behaviour.Exclude) > 0 }

// excludedBefore are the conditions on events t that are excluded between steps k-1 and k.
func (f *funnel) excludedBefore(k int) (all []expr.Expr) {
	for i := range f.p.Behaviour.Exclude {
		if e := &f.p.Behaviour.Exclude[i]; e.After == k-1 {
			all = append(all, e.Holds("t"))
		}
	}
	return all
}

// marks selects all events with the place of the last excluded event before each.
func (f *funnel) marks() selection {
	q := selection{from: relation{chainName(0), "c"},
		columns: columnsOfChain(append(slices.Clone(f.person), "time", "place")...)}
	for _, key := range f.keys {
		q.columns = append(q.columns, named{key.as, ofChain(key.as)})
	}
	q.columns = append(q.columns, columnsOfChain(startName(0))...)
	for k := 1; k < f.steps(); k++ {
		q.columns = append(q.columns, columnsOfChain(matchesName(k))...)
		if len(f.excludedBefore(k)) == 0 {
			continue
		}
		place := catalog.When(expr.Eq(ofChain(excludedName(k)), expr.Int(1)), ofChain("place"))
		q.columns = append(q.columns, columnsOfChain(excludedName(k))...)
		q.columns = append(q.columns,
			named{sinceName(k), expr.Call(dialect.MaxBefore, place, f.partition(), ofChain("place"))})
	}
	return q
}

// latestAllowed returns the latest start of a chain to step k-1 that an event c may continue.
func (f *funnel) latestAllowed(k int) expr.Expr {
	const never = -1 << 53
	start, place, since := ofChain(startName(k-1)), ofChain("place"), ofChain(sinceName(k))
	isExcluded := expr.Eq(ofChain(excludedName(k)), expr.Int(1))
	// the events with the same last excluded event, which may be themselves
	upTo := catalog.IfElse(isExcluded, place, since)
	behind := expr.Call(dialect.MaxBefore, start, expr.List(f.partition(), upTo), place)
	// of an excluded event: those behind the excluded event before it, and that one
	between := expr.Call(dialect.MaxBefore, start, expr.List(f.partition(), since), place)
	before := expr.Call(dialect.Lag, start, expr.List(f.partition(), ofChain(excludedName(k))), place)
	orNever := func(e expr.Expr) expr.Expr { return expr.Call(dialect.Coalesce, e, expr.Int(never)) }
	later := expr.Call(dialect.NullIf, expr.Call(dialect.Greatest, orNever(between), orNever(before)), expr.Int(never))
	return catalog.IfElse(isExcluded, later, behind)
}
