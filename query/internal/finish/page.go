package finish

import (
	"cmp"
	"slices"

	"github.com/sightline-analytics/sightline/query/internal/expr"
)

// An orderedRow is a row with the first value that rows are ordered by, if that is a number in all rows of the groups.
type orderedRow struct {
	row   int32
	first int64
}

// An ordering orders rows by one value.
type ordering struct {
	value func(row int32) expr.Value
	desc  bool
}

// compare orders two rows; null comes last in both directions.
func (o ordering) compare(a, b int32) int {
	v, w := o.value(a), o.value(b)
	order := v.Compare(w)
	if o.desc && !v.Null && !w.Null {
		return -order
	}
	return order
}

// page orders rows and cuts them.
func (r *run) page(rows []int32) []int32 {
	if len(r.Order) > 0 {
		rows = r.ordered(rows)
	}
	rows = rows[min(r.Offset, len(rows)):]
	if r.Limit > 0 {
		rows = rows[:min(r.Limit, len(rows))]
	}
	return rows
}

// ordered returns rows in their order, at least up to the last one of the page.
func (r *run) ordered(rows []int32) []int32 {
	var steps []ordering
	for _, s := range r.Order {
		steps = append(steps, ordering{r.valueOf(s.E), s.Desc})
	}
	numbers := r.numbersOf(r.Order[0].E, len(rows))
	all := make([]orderedRow, len(rows))
	for i, row := range rows {
		all[i].row = row
		if int(row) < len(numbers) { // it is 0 in rows that were added
			all[i].first = numbers[row]
		}
	}
	n := len(rows)
	if r.Limit > 0 {
		n = r.Offset + r.Limit
	}
	all = least(all, n, func(a, b orderedRow) int {
		for i, s := range steps {
			order := 0
			switch {
			case i > 0 || numbers == nil:
				order = s.compare(a.row, b.row)
			case s.desc:
				order = cmp.Compare(b.first, a.first)
			default:
				order = cmp.Compare(a.first, b.first)
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	rows = rows[:0]
	for _, one := range all {
		rows = append(rows, one.row)
	}
	return rows
}

// least are the first n of all in their order.
func least[T any](all []T, n int, compare func(a, b T) int) []T {
	if len(all) > 4*n {
		var kept []T
		full := false // then the last of kept is one that the others have to be before
		for _, one := range all {
			if full && compare(one, kept[n-1]) >= 0 {
				continue
			}
			if kept = append(kept, one); len(kept) == 2*n {
				slices.SortFunc(kept, compare)
				kept, full = kept[:n], true
			}
		}
		all = kept
	}
	slices.SortFunc(all, compare)
	return all[:min(n, len(all))]
}
