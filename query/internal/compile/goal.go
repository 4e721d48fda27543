package compile

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// goals adds the relation goals: a row for each goal, by the bucket and the fields of groupBy. With groupBy there are only rows with a
// conversion. The events are read once for all goals: the relation goal_counts has columns for each goal, which become rows here.
func (c *tables) goals() {
	counts, audience := c.goalCounts(), (*part)(nil)
	if slices.ContainsFunc(c.p.Group, ofRow) {
		audience = c.goalAudience()
		c.readGoals(counts, audience)
	} else {
		counts.q.columns = append(counts.q.columns, named{catalog.GoalAudience, allVisitors})
		c.readGoals(counts)
	}
	c.with("goal_counts", c.build(counts.q))
	q := selection{from: relation{"goal_counts", "x"}}
	for _, key := range c.groupKeys(counts.tb) {
		q.columns = append(q.columns, named{key.as, expr.Col("x", key.as)})
	}
	goals := c.p.Behaviour.Goals
	numbers := make([]int64, len(goals))
	for i := range goals {
		numbers[i] = int64(i)
	}
	list := expr.Arg(dialect.Ints, numbers)
	q.joins = []join{{to: relation{c.w.Write(expr.Call(dialect.ZipBuckets, list, list, list)), "b"}, on: expr.Eq(expr.Int(1), expr.Int(1))}}
	shown := expr.Col("x", catalog.GoalAudience)
	if audience != nil {
		c.with("goal_audience", c.build(audience.q))
		same := []expr.Expr{expr.Eq(expr.Int(1), expr.Int(1))}
		for _, key := range audience.q.columns[:audience.q.group] {
			same = append(same, expr.Eq(expr.Col("x", key.as), expr.Col("g", key.as)))
		}
		q.joins = append(q.joins, join{to: relation{"goal_audience", "g"}, on: expr.And(same...)})
		shown = expr.Col("g", catalog.GoalAudience)
	}
	q.columns = append(q.columns, named{catalog.GoalAudience, shown},
		named{"goal", ofGoal(len(goals), func(i int) expr.Expr { return expr.Arg(dialect.Text, goals[i].Name) })})
	for _, name := range c.goalColumns() {
		number := ofGoal(len(goals), func(i int) expr.Expr {
			if goals[i].Value == "" && !ofEvents(name) {
				return expr.Call(dialect.NullInt)
			}
			return expr.Col("x", goalColumn(name, i))
		})
		q.columns = append(q.columns, named{name, number})
		if name == catalog.GoalColumns.Conversions && len(c.p.Group) > 0 {
			q.where = append(q.where, expr.Gt(number, expr.Int(0)))
		}
	}
	c.with("goals", c.build(q))
}

// allVisitors is the number of visitors that the visitors of goals are compared with.
var allVisitors = expr.Call(dialect.CountDistinctHash, catalog.Row("visitor_hash"))

// ofRow reports whether single events have f, and not their sessions.
func ofRow(f *catalog.Field) bool { return !f.Session }

// readGoals joins parts to sessions and adds the hits that they read.
func (c *tables) readGoals(parts ...*part) {
	for _, p := range parts {
		c.fromHits(p)
	}
	c.sessionsFor(parts)
	for _, p := range parts {
		c.hits(p)
	}
}

// goalCounts selects the numbers of all goals by the bucket and the fields of groupBy.
func (c *tables) goalCounts() *part {
	tb := catalog.TableNamed("activity")
	q := c.rows(tb)
	q.columns = c.groupKeys(tb)
	q.group = len(q.columns)
	for i, g := range c.p.Behaviour.Goals {
		meant := g.Holds("t")
		add := func(name expr.Ident, e expr.Expr) { q.columns = append(q.columns, named{goalColumn(name, i), e}) }
		add(catalog.GoalColumns.Visitors, expr.Call(dialect.CountDistinctHash, catalog.IfElse(meant, catalog.Row("visitor_hash"), expr.Int(0))))
		add(catalog.GoalColumns.Conversions, expr.Call(dialect.CountIf, meant))
		if g.Value == "" {
			continue
		}
		number := catalog.When(meant, expr.Call(dialect.JSONDecimal, catalog.Row("properties"), expr.Arg(dialect.Text, g.Value)))
		multiples, rest := catalog.DecimalParts(number)
		add(catalog.GoalColumns.Valued, expr.Call(dialect.CountIf, expr.IsNotNull(number)))
		add(catalog.GoalColumns.Multiples, multiples)
		add(catalog.GoalColumns.Rest, rest)
	}
	return &part{tb: tb, q: q}
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
	q.columns = append(q.columns, named{catalog.GoalAudience, allVisitors})
	return &part{tb: tb, q: q}
}

// goalColumns are the columns of the relation goals that have the numbers of a goal.
func (c *tables) goalColumns() []expr.Ident {
	of := catalog.GoalColumns
	return []expr.Ident{of.Visitors, of.Conversions, of.Valued, of.Multiples, of.Rest}
}

// ofEvents reports whether every goal has the column name of goalColumns, also one without a value.
func ofEvents(name expr.Ident) bool {
	return name == catalog.GoalColumns.Visitors || name == catalog.GoalColumns.Conversions
}

// goalColumn is the name of a column of the i-th goal in the relation goal_counts.
func goalColumn(name expr.Ident, i int) expr.Ident {
	return expr.Ident(fmt.Sprintf("%s_%d", name, i+1))
}

// ofGoal is what the goal has whose number is in b, of n goals.
func ofGoal(n int, value func(i int) expr.Expr) expr.Expr {
	e := value(n - 1)
	for i := n - 2; i >= 0; i-- {
		e = catalog.IfElse(expr.Eq(expr.Col("b", catalog.BucketColumn), expr.Int(int64(i))), value(i), e)
	}
	return e
}
