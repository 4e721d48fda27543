package finish

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// Columns of a series of goals: one tells them apart, the other is null for goals without a value and 0 where they were
// not reached.
const (
	goalName  = "name"
	goalValue = "value"
)

// ofGoals reports whether p is a series of goals: it has a row for each of them in each bucket.
func ofGoals(p *plan.Plan) bool {
	return p.Type.Shape == catalog.Series && p.Type.Table.Rows == catalog.GoalRows
}

// combineGoals makes a combination of each goal, in the order of the request. Rows that a caller puts in order are
// ordered by their names where they are equal.
func (s *series) combineGoals() {
	names := s.plan.Behaviour.GoalNames()
	if len(s.plan.Sort) > 0 {
		slices.SortFunc(names, strings.Compare)
	}
	at := map[string]int{}
	for i, name := range names {
		s.combinations = append(s.combinations, []string{name})
		at[name] = i
	}
	column := slices.IndexFunc(s.plan.Columns(), func(c catalog.Output) bool { return c.Name == goalName })
	for row := range s.combinationOf {
		s.combinationOf[row] = at[s.rows.Columns[column].Texts[row]]
	}
}

// fillValues makes values 0 in the buckets without a stored row, of goals that have a value.
func (s *series) fillValues(values store.Column, stored []int) {
	valued := map[string]bool{}
	for _, g := range s.plan.Behaviour.Goals {
		valued[g.Name] = g.Value != ""
	}
	for i, row := range stored {
		if row < 0 {
			values.Valid[i] = valued[s.combinations[i%len(s.combinations)][0]]
		}
	}
}
