package finish

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// series is the rows that a store has for a series, by combination of groupBy and bucket. Goals are like combinations.
type series struct {
	plan          *plan.Plan
	rows          *store.Rows
	buckets       []calendar.Bucket
	combinations  [][]string // in the order of rows; one empty one without groupBy
	combinationOf []int      // combination of each row
	at            [][]int    // by combination and bucket, the row or -1
}

// finishSeries fills, orders and pages the rows of a series.
func finishSeries(p *plan.Plan, rows *store.Rows) (*Answered, *ask.Error) {
	s := &series{plan: p, rows: rows, buckets: calendar.Buckets(p.Range, p.Grain)}
	if mistake := s.assign(); mistake != nil {
		return nil, mistake
	}
	whole := s.fill()
	shown, more := pageOf(p, whole.Sorted(p.Sort))
	found := &Answered{Table: whole.Pick(shown), More: more}
	if ofGoals(p) {
		found.keys = []answer.Cells{*found.Column(goalName)}
	}
	return found, nil
}

// pageOf returns the rows of p's page of sorted, and whether more rows follow.
func pageOf(p *plan.Plan, sorted []int) (shown []int, more bool) {
	from, to := min(p.Offset, len(sorted)), len(sorted)
	if p.Limit > 0 {
		to = min(from+p.Limit, to)
	}
	return sorted[from:to], from < to && to < len(sorted)
}

// assign finds the combinations and puts every row into its bucket.
func (s *series) assign() *ask.Error {
	date := slices.IndexFunc(s.plan.Columns(), func(c catalog.Output) bool { return c.Format == catalog.Date })
	if date < 0 || s.rows.Columns[date].Kind != dialect.Int {
		return plan.Broken("%s has no column of bucket numbers", s.plan.Type.Name)
	}
	if s.rows.Len > ask.MaxLimit {
		return tooManyRows(fmt.Sprintf("more than %d", ask.MaxLimit))
	}
	s.combine()
	if n := len(s.combinations) * len(s.buckets); n > ask.MaxLimit {
		return tooManyRows(fmt.Sprintf("%d (%d combinations in %d buckets)", n, len(s.combinations), len(s.buckets)))
	}
	for range s.combinations {
		s.at = append(s.at, slices.Repeat([]int{-1}, len(s.buckets)))
	}
	numbers := s.rows.Columns[date].Ints
	for row, c := range s.combinationOf {
		b, found := slices.BinarySearchFunc(s.buckets, numbers[row], func(b calendar.Bucket, number int64) int {
			return cmp.Compare(b.Number, number)
		})
		if !found || s.at[c][b] >= 0 {
			return plan.Broken("the store returned bucket %d outside the range or twice", numbers[row])
		}
		s.at[c][b] = row
	}
	return nil
}

func tooManyRows(count string) *ask.Error {
	return &ask.Error{Code: ask.TooManyRows,
		Message: fmt.Sprintf("The series would have %s rows, and at most %d are allowed; "+
			"ask for a shorter range or daily granularity, group by fewer fields, or filter to fewer values", count,
			ask.MaxLimit)}
}

// combine finds the combinations, in order, and which one each row has.
func (s *series) combine() {
	s.combinationOf = make([]int, s.rows.Len)
	if ofGoals(s.plan) {
		s.combineGoals()
		return
	}
	if len(s.plan.Group) == 0 {
		s.combinations = [][]string{{}}
		return
	}
	byKey := map[string][]string{}
	keys := make([]string, s.rows.Len)
	for row := range keys {
		values := make([]string, len(s.plan.Group))
		for i := range values {
			if c := &s.rows.Columns[i]; !c.Null(row) {
				values[i] = c.Texts[row]
			}
		}
		keys[row] = state.JoinKey(values)
		byKey[keys[row]] = values
	}
	s.combinations = slices.SortedFunc(maps.Values(byKey), slices.Compare)
	index := make(map[string]int, len(s.combinations))
	for i, values := range s.combinations {
		index[state.JoinKey(values)] = i
	}
	for row, key := range keys {
		s.combinationOf[row] = index[key]
	}
}

// fill makes the table of all buckets in order, each with all combinations in order.
func (s *series) fill() answer.Table {
	n := len(s.buckets) * len(s.combinations)
	stored, dates := make([]int, 0, n), make([]string, 0, n)
	for b := range s.buckets {
		for c := range s.combinations {
			stored, dates = append(stored, s.at[c][b]), append(dates, s.buckets[b].Label)
		}
	}
	cols := s.plan.Columns()
	columns := make([]answer.Cells, 0, len(cols))
	for i := range cols {
		cells := answer.Cells{Output: &cols[i], Column: store.Column{Kind: dialect.Text}}
		switch group := slices.IndexFunc(s.plan.Group,
			func(f *catalog.Field) bool { return f.ShownAs() == cells.Name }); {
		case group >= 0:
			for range s.buckets {
				for _, combination := range s.combinations {
					cells.Texts = append(cells.Texts, combination[group])
				}
			}
		case cells.Format == catalog.Date:
			cells.Texts = dates
		case ofGoals(s.plan) && cells.Name == goalName:
			for range s.buckets {
				for _, goal := range s.combinations {
					cells.Texts = append(cells.Texts, goal[0])
				}
			}
		default:
			cells.Column = s.rows.Columns[i]
			cells = cells.Pick(stored)
			switch {
			case s.plan.Type.IsShare(i - len(s.plan.Group)):
				noShares(&cells.Column, stored)
			case ofGoals(s.plan) && cells.Name == goalValue:
				s.fillValues(cells.Column, stored)
			}
		}
		columns = append(columns, cells)
	}
	return answer.NewTable(n, columns)
}

// noShares sets the shares of rows that were added to 0, unless all shares are null.
func noShares(shares *store.Column, stored []int) {
	any := false
	for row := range stored {
		any = any || !shares.Null(row)
	}
	for row, from := range stored {
		if any && from < 0 {
			shares.Valid[row] = true
		}
	}
}
