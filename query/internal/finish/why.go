package finish

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Counted is the metric of a plan of a [plan.Why], by the values of its dimension; without one, by the empty value.
type Counted map[string]int64

// Count returns the metric of the rows of p, a plan of w. Rows without a value do not count.
func Count(w *plan.Why, p *plan.Plan, rows *Answered) (Counted, *ask.Error) {
	if rows.Len() > plan.MaxChangedValues {
		return nil, &ask.Error{Code: ask.TooLarge, Message: fmt.Sprintf(
			"%s has more than %d values in a period; leave it out of by, or add a filter", p.Group[0].ShownAs(),
			plan.MaxChangedValues)}
	}
	metric, counted := rows.ColumnAt(w.Metric(p)), make(Counted, rows.Len())
	for row := range rows.Len() {
		value := ""
		if len(p.Group) > 0 {
			if value = rows.ColumnAt(0).Text(row); value == "" {
				continue
			}
		}
		counted[value] = metric.Whole(row)
	}
	return counted, nil
}

// A Change is the metric in two periods.
type Change struct{ Current, Previous int64 }

// A changed is a row of an answer that explains a change.
type changed struct {
	dimension string
	place     int // of the dimension
	value     string
	Change
	weight float64 // as it is shown
}

// Changed makes the answer to p, which explains a change. whole is the metric of both periods, and by has those of each
// dimension.
func Changed(p *plan.Plan, whole Change, by []struct{ Now, Then Counted }) *Answered {
	var all []changed
	for i, dimension := range p.Why.By {
		var rows []changed
		add := func(value string) {
			c := Change{by[i].Now[value], by[i].Then[value]}
			if w := weight(whole, c); math.Abs(w) >= p.Why.MinWeight {
				rows = append(rows, changed{dimension.Dimension, i, value, c, w})
			}
		}
		for value := range by[i].Now {
			add(value)
		}
		for value := range by[i].Then {
			if _, both := by[i].Now[value]; !both {
				add(value)
			}
		}
		slices.SortFunc(rows, changed.compare)
		all = append(all, rows[:min(len(rows), p.Why.PerDimension)]...)
	}
	slices.SortFunc(all, changed.compare)
	shown := all[:min(len(all), p.Limit)]
	a := &Answered{More: len(shown) < len(all)}
	a.Table = changedTable(p.Columns(), whole, shown)
	return a
}

// compare orders rows: the greatest weight first, then the greatest difference, each without its sign.
func (c changed) compare(o changed) int {
	size := func(n int64) int64 { return max(n, -n) }
	return cmp.Or(cmp.Compare(math.Abs(o.weight), math.Abs(c.weight)),
		cmp.Compare(size(o.Current-o.Previous), size(c.Current-c.Previous)),
		cmp.Compare(c.place, o.place), cmp.Compare(c.value, o.value))
}

// changedTable makes the table of rows.
func changedTable(outputs []catalog.Output, whole Change, rows []changed) answer.Table {
	n := len(rows)
	texts := [2][]string{make([]string, n), make([]string, n)}
	whole64 := [3][]int64{make([]int64, n), make([]int64, n), make([]int64, n)}
	floats, known := [2][]float64{make([]float64, n), make([]float64, n)}, make([]bool, n)
	for i, row := range rows {
		texts[0][i], texts[1][i] = row.dimension, row.value
		whole64[0][i], whole64[1][i], whole64[2][i] = row.Current, row.Previous, row.Current-row.Previous
		if known[i] = whole.Previous != 0; known[i] {
			floats[0][i] = float64(row.Previous) * float64(whole.Current) / float64(whole.Previous)
		}
		floats[1][i] = row.weight
	}
	columns := []store.Column{{Kind: dialect.Text, Texts: texts[0]}, {Kind: dialect.Text, Texts: texts[1]}}
	for _, ints := range whole64 {
		columns = append(columns, store.Column{Kind: dialect.Int, Ints: ints})
	}
	columns = append(columns, store.Column{Kind: dialect.Float, Floats: floats[0], Valid: known},
		store.Column{Kind: dialect.Float, Floats: floats[1]})
	return tableOf(outputs, n, columns)
}

func tableOf(outputs []catalog.Output, rows int, columns []store.Column) answer.Table {
	cells := make([]answer.Cells, len(outputs))
	for i := range outputs {
		cells[i] = answer.Cells{Output: &outputs[i], Column: columns[i]}
	}
	return answer.NewTable(rows, cells)
}

// Total returns the totals of an answer that explains a change.
func (c Change) Total() answer.Table {
	percent, known := answer.Change(c.Current, c.Previous)
	number := func(n int64) store.Column { return store.Column{Kind: dialect.Int, Ints: []int64{n}} }
	return tableOf(catalog.ChangeOutputs(), 1, []store.Column{number(c.Current), number(c.Previous),
		number(c.Current - c.Previous), {Kind: dialect.Float, Floats: []float64{percent}, Valid: []bool{known}}})
}

// weight says how surely the share of a value changed: the root of the G statistic of its table of two periods, with
// the sign of the change, as it is shown. Where shares are equal or a period has nothing it is 0.
func weight(whole, value Change) float64 {
	t, u, c, p := float64(whole.Current), float64(whole.Previous), float64(value.Current), float64(value.Previous)
	n, k := t+u, c+p
	sign := compareProducts(value.Current, whole.Previous, value.Previous, whole.Current)
	if t == 0 || u == 0 || sign == 0 {
		return 0
	}
	term := func(seen, expected float64) float64 {
		if seen == 0 {
			return 0
		}
		return seen * math.Log(seen/expected)
	}
	g := 2 * (term(c, k*t/n) + term(p, k*u/n) + term(t-c, (n-k)*t/n) + term(u-p, (n-k)*u/n))
	if w := answer.Rounded(math.Sqrt(max(g, 0)), 2); w != 0 {
		return float64(sign) * w
	}
	return 0
}

// compareProducts compares a times b with c times d. None is negative.
func compareProducts(a, b, c, d int64) int {
	high, low := bits.Mul64(uint64(a), uint64(b))
	otherHigh, otherLow := bits.Mul64(uint64(c), uint64(d))
	return cmp.Or(cmp.Compare(high, otherHigh), cmp.Compare(low, otherLow))
}
