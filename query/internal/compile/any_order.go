package compile

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// In any order, a person who did k different steps within a time did the last of them with some event. Then, of the
// latest times of each step up to this event, the k-th latest is the beginning of the shortest such time that ends with
// it.

func latestName(k int) expr.Ident { return expr.Ident(fmt.Sprintf("latest_%d", k+1)) }

// anyOrder adds the relation chain_persons of steps that are done in any order.
func (f *funnel) anyOrder() {
	q, persons, order := f.matching()
	holds := f.holds()
	for k, is := range holds {
		time := catalog.When(is, catalog.Row("time"))
		q.columns = append(q.columns, named{latestName(k),
			catalog.IfElse(is, catalog.Row("time"), expr.Call(dialect.MaxBefore, time, persons, order))})
	}
	tb := catalog.TableNamed("activity")
	q.where = append(append(q.where, expr.Or(holds...)), f.conditions(tb)...)
	events := &part{tb: tb, q: q}
	f.sessionsFor([]*part{events})
	f.with("step_events", f.build(events.q))
	f.with("step_times", f.build(f.stepTimes()))
	f.with("step_ranks", f.build(f.stepRanks()))
	f.with("chain_persons", f.build(f.anyOrderPersons()))
}

// stepTimes selects a row for each event and each step that was done by then, with the latest time of the step.
func (f *funnel) stepTimes() selection {
	latest := f.byStep(expr.Col("b", "bucket"), func(k int) expr.Expr { return ofChain(latestName(k)) })
	q := selection{from: relation{"step_events", "c"}, joins: []join{f.eachStep()},
		where: []expr.Expr{expr.IsNotNull(latest)}}
	q.columns = append(f.ofEvents(), named{"step", expr.Col("b", "bucket")}, named{"latest", latest})
	return q
}

// stepRanks selects these rows with their rank among those of their event, the latest time first.
func (f *funnel) stepRanks() selection {
	q := selection{from: relation{"step_times", "c"}}
	rank := expr.Call(dialect.RowNumber, expr.List(f.partition(), ofChain("place")),
		expr.List(expr.Sub(expr.Int(0), ofChain("latest")), ofChain("step")))
	q.columns = append(f.ofEvents(), columnsOfChain("latest")...)
	q.columns = append(q.columns, named{"rank", rank})
	return q
}

// ofEvents are the columns of an event c that further relations need.
func (f *funnel) ofEvents() []named {
	all := columnsOfChain(append(slices.Clone(f.person), "time", "place")...)
	for _, key := range f.keys {
		all = append(all, named{key.as, ofChain(key.as)})
	}
	return all
}

// anyOrderPersons selects persons with the least time in which they did each number of steps. They are grouped by what
// their earliest event has.
func (f *funnel) anyOrderPersons() selection {
	q := selection{from: relation{"step_ranks", "c"}, columns: columnsOfChain(f.person...), group: len(f.person)}
	for _, key := range f.keys {
		q.columns = append(q.columns, named{key.as,
			expr.Call(dialect.ArgMinIf, ofChain(key.as), ofChain("place"), expr.IsNotNull(ofChain("place")))})
	}
	for k := range f.steps() {
		q.columns = append(q.columns, named{leastName(k), expr.Call(dialect.MinIf,
			expr.Sub(ofChain("time"), ofChain("latest")), expr.Eq(ofChain("rank"), expr.Int(int64(k+1))))})
	}
	return q
}
