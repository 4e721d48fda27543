package finish

import (
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// KeysOf are the values that the rows found of p have in each of their keys.
func KeysOf(p *plan.Plan, found *Answered) [][]string {
	var values [][]string
	for i := range len(p.Group) + len(p.Keys()) {
		values = append(values, found.values(len(p.Group), plan.KeyOf(i)))
	}
	return values
}

// Beside returns, for each row of an answer to p, the row of the other period with the same keys or in the
// corresponding bucket. previous has no row if the other period has none.
func Beside(p *plan.Plan, now, then *Answered) (previous, changed answer.Table) {
	begun, at := p.Other.Begun(), map[string]int{}
	for row := range then.Len() {
		if date := then.date(row); date == "" || begun[date] {
			at[then.key(row, len(p.Group), date)] = row
		}
	}
	rows := make([]int, now.Len())
	for row := range rows {
		found, ok := at[now.key(row, len(p.Group), p.Other.Label(now.date(row)))]
		if !ok {
			found = -1
		}
		rows[row] = found
	}
	previous = then.Pick(rows)
	same := previous
	if len(p.Other.Unequal) > 0 {
		for row := range rows {
			if slices.Contains(p.Other.Unequal, now.date(row)) {
				rows[row] = -1
			}
		}
		same = then.Pick(rows)
	}
	return previous, answer.Changes(&now.Table, &same)
}

// date is the bucket of a row of a series; empty in all others.
func (a *Answered) date(row int) string {
	if c := a.Column(catalog.DateColumn); c != nil && c.Format == catalog.Date {
		return c.Text(row)
	}
	return ""
}

// key tells rows apart, also between periods: the values of groupBy, of the dimensions, and date.
func (a *Answered) key(row, groups int, date string) string {
	values := make([]string, 0, groups+len(a.keys)+1)
	for i := range groups {
		values = append(values, a.ColumnAt(i).Text(row))
	}
	for i := range a.keys {
		values = append(values, a.keyText(i, row))
	}
	return state.JoinKey(append(values, date))
}

func (a *Answered) keyText(i, row int) string {
	c := &a.keys[i]
	if c.Kind == dialect.Int && !c.Null(row) {
		return strconv.FormatInt(c.Ints[row], 10)
	}
	return c.Text(row)
}

// values returns the different values of one key of the rows of a. Fields of groupBy come first.
func (a *Answered) values(groups int, key plan.KeyOf) []string {
	found := make([]string, a.Len())
	for row := range found {
		if int(key) < groups {
			found[row] = a.ColumnAt(int(key)).Text(row)
		} else {
			found[row] = a.keyText(int(key)-groups, row)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
