package compile

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A funnel is a chain of steps that persons go through. A person is a visitor or a session.
//
// The start of a chain to an event that matches step k is the time of the event of step 1. The latest possible start
// makes the shortest chain. It is the time of the event itself for step 1, and otherwise the latest start of the
// earlier events that match step k-1. So each step is one window over the events of a person in their order, and no
// event is used twice in a chain. An event that is excluded between two steps ends these windows: see exclude.go. A
// funnel whose steps count in any order has no chains: see any_order.go.
type funnel struct {
	*tables
	keys   []named      // of the answer, without the step
	person []expr.Ident // the columns that tell persons apart
}

// funnel adds the relation funnel, which has the columns of catalog.FunnelColumns.
func (c *tables) funnel() {
	f := funnel{tables: c, person: []expr.Ident{"person"}}
	if c.p.Behaviour.AnyOrder {
		f.anyOrder()
	} else {
		f.chains()
	}
	c.with("chain_groups", c.build(f.groups()))
	c.with("funnel", c.build(f.rows()))
}

// chains adds the relation chain_persons of steps that are done one after the other.
func (f *funnel) chains() {
	events := f.events()
	first := 2 // the step that the first link is for
	if f.excludes() {
		first = 1
	}
	f.sessionsFor([]*part{events})
	f.with(chainName(first-1), f.build(events.q))
	if f.excludes() {
		f.with("chain_marks", f.build(f.marks()))
	}
	for k := first; k < f.steps(); k++ {
		f.with(chainName(k), f.build(f.link(k)))
	}
	f.with("chain_persons", f.build(f.persons()))
}

func (f *funnel) steps() int { return len(f.p.Behaviour.Steps) }

// The names of what events and persons have of a step, which is counted from 0. Events of the relation of a step have
// the latest starts of chains to this step and those before it.
func chainName(k int) string       { return fmt.Sprintf("chain_%d", k+1) }
func matchesName(k int) expr.Ident { return expr.Ident(fmt.Sprintf("matches_%d", k+1)) }
func startName(k int) expr.Ident   { return expr.Ident(fmt.Sprintf("start_%d", k+1)) }
func leastName(k int) expr.Ident   { return expr.Ident(fmt.Sprintf("least_%d", k+1)) }
func reachedName(k int) expr.Ident { return expr.Ident(fmt.Sprintf("reached_%d", k+1)) }
func medianName(k int) expr.Ident  { return expr.Ident(fmt.Sprintf("median_%d", k+1)) }

func ofChain(name expr.Ident) expr.Expr { return expr.Col("c", name) }

// columnsOfChain are columns of a relation c under their names.
func columnsOfChain(names ...expr.Ident) []named {
	found := make([]named, len(names))
	for i, name := range names {
		found[i] = named{name, ofChain(name)}
	}
	return found
}

// partition returns the columns that identify a person, as one operand.
func (f *funnel) partition() expr.Expr {
	var found []expr.Expr
	for _, name := range f.person {
		found = append(found, ofChain(name))
	}
	return expr.List(found...)
}

// events selects the events of persons that match a step, with their place among these, the latest starts of chains to
// the first two steps and what the answer is grouped by. Both windows have one order, so that events are sorted once by
// it. With exclusions it also selects excluded events, and leaves the second step to a link.
func (f *funnel) events() *part {
	q, persons, order := f.matching()
	holds := f.holds()
	start := catalog.When(holds[0], catalog.Row("time"))
	q.columns = append(q.columns, named{startName(0), start})
	first := 1
	if !f.excludes() {
		first = 2
		q.columns = append(q.columns,
			named{startName(1), catalog.When(holds[1], expr.Call(dialect.MaxBefore, start, persons, order))})
	}
	for k := first; k < f.steps(); k++ {
		q.columns = append(q.columns, named{matchesName(k), oneIf(holds[k])})
	}
	counts := slices.Clone(holds)
	for k := range f.steps() - 1 {
		if excluded := f.excludedBefore(k + 1); len(excluded) > 0 {
			q.columns = append(q.columns, named{excludedName(k + 1), oneIf(expr.Or(excluded...))})
			counts = append(counts, excluded...)
		}
	}
	q.where = append(append(q.where, expr.Or(counts...)), f.conditions(catalog.TableNamed("activity"))...)
	return &part{tb: catalog.TableNamed("activity"), q: q}
}

// matching selects the events of persons, with their place among these and what the answer is grouped by. It returns
// what tells persons apart, and the order of the events of each.
func (f *funnel) matching() (q selection, persons, order expr.Expr) {
	tb := catalog.TableNamed("activity")
	q = selection{from: relation{string(tb.Logical), "t"}, where: append(f.read(f.rng), tb.Where)}
	person := []expr.Expr{catalog.Row("visitor_hash")}
	if f.p.Behaviour.WithinSession {
		f.person = append(f.person, "start")
		person = []expr.Expr{catalog.Row("session_hash"), catalog.OfSession("start")}
		q.where = append(q.where, expr.IsNotNull(catalog.OfSession("start")))
	}
	q.where = append(q.where, expr.Ne(person[0], expr.Int(0)))
	for i, name := range f.person {
		q.columns = append(q.columns, named{name, person[i]})
	}
	persons, order = expr.List(person...), expr.List(catalog.EventOrder("t")...)
	q.columns = append(q.columns, named{"time", catalog.Row("time")},
		named{"place", expr.Call(dialect.RowNumber, persons, order)})
	f.keys = f.groupKeys(tb)
	q.columns = append(q.columns, f.keys...)
	return q, persons, order
}

// holds are the conditions on events t of the steps.
func (f *funnel) holds() []expr.Expr {
	holds := make([]expr.Expr, f.steps())
	for k := range holds {
		holds[k] = f.p.Behaviour.Steps[k].Holds("t")
	}
	return holds
}

// oneIf is 1 where e holds, and 0 elsewhere.
func oneIf(e expr.Expr) expr.Expr { return catalog.IfElse(e, expr.Int(1), expr.Int(0)) }

// link selects the events with the latest start of a chain to step k, from those with that to the steps before.
func (f *funnel) link(k int) selection {
	from := chainName(k - 1)
	if k == 1 {
		from = "chain_marks"
	}
	q := selection{from: relation{from, "c"},
		columns: columnsOfChain(append(slices.Clone(f.person), "time", "place")...)}
	for _, key := range f.keys {
		q.columns = append(q.columns, named{key.as, ofChain(key.as)})
	}
	for i := range k {
		q.columns = append(q.columns, columnsOfChain(startName(i))...)
	}
	latest := expr.Call(dialect.MaxBefore, ofChain(startName(k-1)), f.partition(), ofChain("place"))
	if len(f.excludedBefore(k)) > 0 {
		latest = f.latestAllowed(k)
	}
	q.columns = append(q.columns,
		named{startName(k), catalog.When(expr.Eq(ofChain(matchesName(k)), expr.Int(1)), latest)})
	for i := k + 1; i < f.steps(); i++ {
		q.columns = append(q.columns, columnsOfChain(matchesName(i))...)
		if len(f.excludedBefore(i)) > 0 {
			q.columns = append(q.columns, columnsOfChain(excludedName(i), sinceName(i))...)
		}
	}
	return q
}

// persons selects persons with the least time of a chain to each step, if they reach it. They are grouped by what their
// earliest event of step 1 has.
func (f *funnel) persons() selection {
	q := selection{from: relation{chainName(f.steps() - 1), "c"}, columns: columnsOfChain(f.person...),
		group: len(f.person)}
	for _, key := range f.keys {
		q.columns = append(q.columns,
			named{key.as, expr.Call(dialect.ArgMinIf, ofChain(key.as), ofChain("place"),
				expr.IsNotNull(ofChain(startName(0))))})
	}
	for k := range f.steps() {
		q.columns = append(q.columns,
			named{leastName(k), expr.Call(dialect.Min, expr.Sub(ofChain("time"), ofChain(startName(k))))})
	}
	return q
}

// groups counts the persons who reach each step, and finds the medians of their times.
func (f *funnel) groups() selection {
	q := selection{from: relation{"chain_persons", "c"}, group: len(f.keys),
		where: []expr.Expr{expr.IsNotNull(ofChain(leastName(0)))}}
	for _, key := range f.keys {
		q.columns = append(q.columns, named{key.as, ofChain(key.as)})
	}
	for k := range f.steps() {
		least := ofChain(leastName(k))
		if window := f.p.Behaviour.Window.Milliseconds(); window > 0 {
			least = catalog.When(expr.Le(least, expr.Arg(dialect.Int, window)), least)
		}
		q.columns = append(q.columns, named{reachedName(k), expr.Call(dialect.CountIf, expr.IsNotNull(least))},
			named{medianName(k), expr.Call(dialect.Median, least)})
	}
	return q
}

// eachStep joins a row b for each step, with its number from 1 as bucket.
func (f *funnel) eachStep() join {
	numbers := make([]int64, f.steps())
	for k := range numbers {
		numbers[k] = int64(k + 1)
	}
	list := expr.Arg(dialect.Ints, numbers)
	return join{to: relation{f.w.Write(expr.Call(dialect.ZipBuckets, list, list, list)), "b"},
		on: expr.Eq(expr.Int(1), expr.Int(1))}
}

// byStep returns the result of of for the step with a number.
func (f *funnel) byStep(number expr.Expr, of func(k int) expr.Expr) expr.Expr {
	e := of(f.steps() - 1)
	for k := f.steps() - 2; k >= 0; k-- {
		e = catalog.IfElse(expr.Eq(number, expr.Int(int64(k+1))), of(k), e)
	}
	return e
}

// nameOf returns the name of the row of step k.
func (f *funnel) nameOf(k int) string {
	if f.p.Behaviour.AnyOrder {
		return fmt.Sprintf("%d of %d", k+1, f.steps())
	}
	return f.p.Behaviour.Steps[k].Name
}

// rows selects a row for each step of each group.
func (f *funnel) rows() selection {
	place := expr.Col("b", "bucket")
	q := selection{from: relation{"chain_groups", "c"}, joins: []join{f.eachStep()}}
	for _, key := range f.keys {
		q.columns = append(q.columns, named{key.as, ofChain(key.as)})
	}
	byStep := func(of func(k int) expr.Expr) expr.Expr { return f.byStep(place, of) }
	has := func(name func(int) expr.Ident) func(int) expr.Expr {
		return func(k int) expr.Expr { return ofChain(name(k)) }
	}
	as := catalog.FunnelColumns
	q.columns = append(q.columns, named{as.Step, place},
		named{as.Name, byStep(func(k int) expr.Expr { return expr.Arg(dialect.Text, f.nameOf(k)) })},
		named{as.Reached, byStep(has(reachedName))},
		named{as.Before, byStep(func(k int) expr.Expr { return ofChain(reachedName(max(0, k-1))) })},
		named{as.Entered, ofChain(reachedName(0))},
		named{as.Median, byStep(has(medianName))})
	return q
}
