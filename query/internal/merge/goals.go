package merge

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Goals are merged from separate aggregates, which are the same in all questions with these goals and filters: how
// often events are what the goal means, the visitors of these events, and the parts of the sum of its value. All
// visitors are one more aggregate.

// goalAggregates are the aggregates of a goal, by the columns of the relation goals that they give.
type goalAggregates map[expr.Ident]int

// ofGoals reports whether p asks for goals.
func ofGoals(p *plan.Plan) bool { return p.Type.Table.Rows == catalog.GoalRows }

// addGoals adds the aggregates of all goals, if the metrics of goals can be computed from them. Goals that are grouped
// do not merge.
func (m *Merge) addGoals() (merges bool) {
	if len(m.p.Group) > 0 || len(m.steps.Parts) != 1 {
		return false
	}
	m.keys = nil // the goals are not keys of the events
	part := &mergedPart{tb: catalog.TableNamed("activity")}
	m.parts = append(m.parts, part)
	part.Count = m.aggregateOf(part, dialect.Count, nil)
	visitor, of := catalog.Row("visitor_hash"), catalog.GoalColumns
	audience := m.aggregateOf(part, dialect.CountDistinctHash, []expr.Expr{visitor})
	for _, g := range m.p.Behaviour.Goals {
		meant := g.Holds("t")
		aggregates := goalAggregates{catalog.GoalAudience: audience}
		add := func(column expr.Ident, e expr.Expr) {
			op, args, _ := e.Calls()
			aggregates[column] = m.aggregateOf(part, op, args)
		}
		add(of.Visitors, expr.Call(dialect.CountDistinctHash, catalog.IfElse(meant, visitor, expr.Int(0))))
		add(of.Conversions, expr.Call(dialect.CountIf, meant))
		if g.Value != "" {
			number := catalog.When(meant,
				expr.Call(dialect.JSONDecimal, catalog.Row("properties"), expr.Arg(dialect.Text, g.Value)))
			multiples, rest := catalog.DecimalParts(number)
			add(of.Valued, expr.Call(dialect.CountIf, expr.IsNotNull(number)))
			add(of.Multiples, multiples)
			add(of.Rest, rest)
		}
		m.goals = append(m.goals, aggregates)
	}
	return !slices.ContainsFunc(m.steps.Parts[0].Metrics,
		func(of *catalog.BoundMetric) bool { return !expr.CanEval(of.Expr, ofRows) })
}

// goalRows has the groups of an answer about goals: a row for each goal in each row of the aggregates.
type goalRows struct {
	*Merge
	of countedRows
}

// countedRows are rows with the counts of aggregates.
type countedRows interface {
	Len() int
	Bucket(row int32) int64
	Has(part int) func(row int32) bool
	count(aggregate int, row int32) int64
}

var _ finish.Groups = goalRows{}

// split returns the row of the aggregates that a row is made of, and the number of its goal.
func (g goalRows) split(row int32) (of int32, goal int) {
	n := int32(len(g.goals))
	return row / n, int(row % n)
}

// Len returns the number of rows.
func (g goalRows) Len() int { return g.of.Len() * len(g.goals) }

// Rows returns all rows.
func (g goalRows) Rows() []int32 {
	rows := make([]int32, g.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// Key returns the name of the goal, which is the only key.
func (g goalRows) Key(row int32, _ int) string {
	_, goal := g.split(row)
	return g.p.Behaviour.Goals[goal].Name
}

// Bucket returns the number of the bucket of a row.
func (g goalRows) Bucket(row int32) int64 {
	of, _ := g.split(row)
	return g.of.Bucket(of)
}

// Has returns a function that reports whether a bucket has events. An answer without buckets has all goals.
func (g goalRows) Has(part int) func(row int32) bool {
	if g.p.Type.Shape != catalog.Series {
		return func(int32) bool { return true }
	}
	has := g.of.Has(part)
	return func(row int32) bool {
		of, _ := g.split(row)
		return has(of)
	}
}

// Metric returns a metric of the goals. It is null where it needs a value and the goal has none.
func (g goalRows) Metric(part, metric int) func(row int32) expr.Value {
	made := g.steps.Parts[part].Metrics[metric].Expr
	return func(row int32) expr.Value {
		of, goal := g.split(row)
		return expr.Eval(made, func(e expr.Expr) expr.Value {
			_, args, _ := e.Calls() // the only row of the goal
			_, column, _ := args[0].Column()
			if one, ok := g.goals[goal][expr.Ident(column)]; ok {
				return numberOrNull(g.of.count(one, of))
			}
			return expr.Value{Null: true}
		})
	}
}

// Numbers returns nil: there are few rows.
func (g goalRows) Numbers(int, int, int) []int64 { return nil }
