package compile

import (
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// The columns of the relations goal_events and goal_counts that are about all goals. Columns about one goal end in
// its number.
const (
	goalVisitor = expr.Ident("visitor") // of an event
	goalMeant   = expr.Ident("meant")   // 1 for an event that the goal means, otherwise 0
	goalNumber  = expr.Ident("number")  // the value of such an event; null without one
)

// goals adds the relation goals: a row for each goal, by the bucket and the fields of groupBy. With groupBy there are
// only rows with a conversion. The events are read once for all goals. The relation goal_counts has columns for each
// goal, which become rows here.
func (c *tables) goals() {
	counted := c.goalEvents()
	if !slices.ContainsFunc(c.p.Group, ofRow) {
		c.readGoals(counted)
		c.with("goal_counts", c.build(c.goalCounts(true)))
		c.goalRows(nil)
		return
	}
	audience := c.goalAudience()
	c.readGoals(counted, audience)
	c.with("goal_counts", c.build(c.goalCounts(false)))
	c.with("goal_audience", c.build(audience.q))
	c.goalRows(audience)
}

// ofRow reports whether single events have f, and not their sessions.
func ofRow(f *catalog.Field) bool { return !f.Session }

// readGoals adds the sessions and hits that events are read with, and the relation goal_events.
func (c *tables) readGoals(events *part, audience ...*part) {
	all := append([]*part{events}, audience...)
	for _, p := range all {
		c.fromHits(p)
	}
	c.sessionsFor(all)
	for _, p := range all {
		c.hits(p)
	}
	c.with("goal_events", c.build(events.q))
}

// goalEvents selects all events with what they are for each goal.
func (c *tables) goalEvents() *part {
	tb := catalog.TableNamed("activity")
	q := c.rows(tb)
	q.columns = append(c.groupKeys(tb), named{goalVisitor, catalog.Row("visitor_hash")})
	for i, g := range c.p.Behaviour.Goals {
		meant := g.Holds("t")
		q.columns = append(q.columns, named{ofGoal(goalMeant, i), catalog.IfElse(meant, expr.Int(1), expr.Int(0))})
		if g.Value != "" {
			number := expr.Call(dialect.JSONDecimal, catalog.Row("properties"), expr.Arg(dialect.Text, g.Value))
			q.columns = append(q.columns, named{ofGoal(goalNumber, i), catalog.When(meant, number)})
		}
	}
	return &part{tb: tb, q: q}
}

// goalCounts selects the numbers of all goals by the bucket and the fields of groupBy, and all visitors with audience.
func (c *tables) goalCounts(audience bool) selection {
	x := func(name expr.Ident) expr.Expr { return expr.Col("x", name) }
	q := selection{from: relation{"goal_events", "x"}}
	for _, key := range c.groupKeys(catalog.TableNamed("activity")) {
		q.columns = append(q.columns, named{key.as, x(key.as)})
	}
	q.group = len(q.columns)
	if audience {
		q.columns = append(q.columns, named{catalog.GoalAudience, expr.Call(dialect.CountDistinctHash, x(goalVisitor))})
	}
	of := catalog.GoalColumns
	for i, g := range c.p.Behaviour.Goals {
		meant, number := expr.Eq(x(ofGoal(goalMeant, i)), expr.Int(1)), x(ofGoal(goalNumber, i))
		add := func(name expr.Ident, e expr.Expr) { q.columns = append(q.columns, named{ofGoal(name, i), e}) }
		add(of.Visitors, expr.Call(dialect.CountDistinctHash, catalog.IfElse(meant, x(goalVisitor), expr.Int(0))))
		add(of.Conversions, expr.Call(dialect.CountIf, meant))
		if g.Value != "" {
			multiples, rest := catalog.DecimalParts(number)
			add(of.Valued, expr.Call(dialect.CountIf, expr.IsNotNull(number)))
			add(of.Multiples, multiples)
			add(of.Rest, rest)
		}
	}
	return q
}

// goalAudience selects all visitors by the fields of groupBy that are of sessions.
func (c *tables) goalAudience() *part {
	tb := catalog.TableNamed("activity")
	q := c.rows(tb)
	for i, key := range c.groupKeys(tb) { // goals that are grouped have no bucket
		if !ofRow(c.p.Group[i]) {
			q.columns = append(q.columns, key)
		}
	}
	q.group = len(q.columns)
	q.columns = append(q.columns,
		named{catalog.GoalAudience, expr.Call(dialect.CountDistinctHash, catalog.Row("visitor_hash"))})
	return &part{tb: tb, q: q}
}

// goalRows adds the relation goals: the columns of goal_counts as rows, with all visitors of audience, or of
// goal_counts if that is nil.
func (c *tables) goalRows(audience *part) {
	goals, always := c.p.Behaviour.Goals, expr.Eq(expr.Int(1), expr.Int(1))
	x := func(name expr.Ident) expr.Expr { return expr.Col("x", name) }
	numbers := make([]int64, len(goals))
	for i := range goals {
		numbers[i] = int64(i)
	}
	list := expr.Arg(dialect.Ints, numbers)
	q := selection{from: relation{"goal_counts", "x"},
		joins: []join{{to: relation{c.w.Write(expr.Call(dialect.ZipBuckets, list, list, list)), "b"}, on: always}}}
	for _, key := range c.groupKeys(catalog.TableNamed("activity")) {
		q.columns = append(q.columns, named{key.as, x(key.as)})
	}
	q.columns = append(q.columns,
		named{"goal", c.eachGoal(func(i int, g plan.Goal) expr.Expr { return expr.Arg(dialect.Text, g.Name) })})
	if audience == nil {
		q.columns = append(q.columns, named{catalog.GoalAudience, x(catalog.GoalAudience)})
	} else {
		same := []expr.Expr{always}
		for _, key := range audience.q.columns[:audience.q.group] {
			same = append(same, expr.Eq(x(key.as), expr.Col("g", key.as)))
		}
		q.joins = append(q.joins, join{to: relation{"goal_audience", "g"}, on: expr.And(same...)})
		q.columns = append(q.columns, named{catalog.GoalAudience, expr.Col("g", catalog.GoalAudience)})
	}
	of := catalog.GoalColumns
	for _, name := range []expr.Ident{of.Visitors, of.Conversions} {
		q.columns = append(q.columns,
			named{name, c.eachGoal(func(i int, _ plan.Goal) expr.Expr { return x(ofGoal(name, i)) })})
	}
	for _, name := range []expr.Ident{of.Valued, of.Multiples, of.Rest} {
		q.columns = append(q.columns, named{name, c.eachGoal(func(i int, g plan.Goal) expr.Expr {
			if g.Value == "" {
				return expr.Call(dialect.NullInt)
			}
			return x(ofGoal(name, i))
		})})
	}
	if len(c.p.Group) > 0 {
		reached := c.eachGoal(func(i int, _ plan.Goal) expr.Expr { return x(ofGoal(of.Conversions, i)) })
		q.where = append(q.where, expr.Gt(reached, expr.Int(0)))
	}
	c.with("goals", c.build(q))
}

// eachGoal returns the result of value for the goal of a row b.
func (c *tables) eachGoal(value func(i int, g plan.Goal) expr.Expr) expr.Expr {
	goals := c.p.Behaviour.Goals
	last := len(goals) - 1
	e := value(last, goals[last])
	for i := last - 1; i >= 0; i-- {
		e = catalog.IfElse(expr.Eq(expr.Col("b", catalog.BucketColumn), expr.Int(int64(i))), value(i, goals[i]), e)
	}
	return e
}

// ofGoal is the name of a column about the i-th goal.
func ofGoal(name expr.Ident, i int) expr.Ident { return name + "_" + expr.Ident(strconv.Itoa(i+1)) }
