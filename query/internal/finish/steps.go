package finish

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Run carries out steps on of. It returns the rows that the statement of the steps returns: of a series in any order
// and not filled. among has the values that steps.Among refers to, sorted.
func Run(steps *plan.Steps, of Groups, among [][]string) *store.Rows {
	r := &run{steps, join(steps, of)}
	rows := r.shown()
	for _, c := range steps.Columns {
		r.sumOverAll(c.E, rows)
	}
	if len(steps.Among) > 0 {
		rows = slices.DeleteFunc(rows, func(row int32) bool { return !r.isAmong(row, among) })
	}
	return r.output(r.page(rows))
}

// A run carries out steps on the relation j.
type run struct {
	*plan.Steps
	*joined
}

// group tells combinations of groupBy apart.
func (r *run) group(row int32) string { return state.JoinKey(r.keys(row, r.Groups)) }

// shown returns the rows before any is left out for its keys or its place.
func (r *run) shown() []int32 {
	rows := r.existing()
	rows = append(rows, r.zeroRows(rows)...)
	groups, positive := r.shownGroups(), r.positive()
	if groups == nil && positive == nil {
		return rows
	}
	return slices.DeleteFunc(rows, func(row int32) bool {
		return groups != nil && !groups[r.group(row)] || slices.ContainsFunc(positive, func(of column) bool {
			v := of.value(row)
			return v.Null || v.Int <= 0
		})
	})
}

// existing returns the rows that the parts make.
func (r *run) existing() []int32 {
	leads := r.has
	if r.Lead != plan.AnyPart {
		leads = r.has[r.Lead : r.Lead+1]
	}
	return slices.DeleteFunc(r.of.Rows(), func(row int32) bool {
		return !slices.ContainsFunc(leads, func(has func(int32) bool) bool { return has(row) })
	})
}

// positive are the metrics that have to be above 0.
func (r *run) positive() (found []column) {
	for _, m := range r.Positive {
		found = append(found, r.columns[string(m.Alias())])
	}
	return found
}

// shownGroups returns the combinations of groupBy that are shown, or nil if all are.
func (r *run) shownGroups() map[string]bool {
	if r.ShownBy == plan.AnyPart {
		return nil
	}
	found := map[string]bool{}
	for row := range int32(r.rows) {
		if r.has[r.ShownBy](row) {
			found[r.group(row)] = true
		}
	}
	return found
}

// zeroRows adds the rows of values that do not exist yet.
func (r *run) zeroRows(exist []int32) (found []int32) {
	if len(r.ZeroValues) == 0 {
		return nil
	}
	there, groups := map[string]bool{}, map[string][]string{}
	if r.Groups == 0 {
		groups[""] = nil // there is one, of no values
	}
	for _, row := range exist {
		there[state.JoinKey(r.keys(row, len(r.Keys)))] = true
		groups[r.group(row)] = r.keys(row, r.Groups)
	}
	for _, group := range groups {
		for _, value := range r.ZeroValues {
			if key := append(slices.Clone(group), value); !there[state.JoinKey(key)] {
				found = append(found, int32(r.rows+len(r.added)))
				r.added = append(r.added, key)
			}
		}
	}
	return found
}

func (r *run) isAmong(row int32, among [][]string) bool {
	for _, a := range r.Among {
		if _, found := slices.BinarySearch(among[a.Key], r.key(row, int(a.Key))); !found {
			return false
		}
	}
	return true
}

// output makes columns of rows.
func (r *run) output(rows []int32) *store.Rows {
	out := &store.Rows{Len: len(rows)}
	for _, col := range r.Columns {
		c, value := store.Column{Kind: col.Kind}, r.valueOf(col.E)
		for n, row := range rows {
			v := value(row)
			if v.Null && c.Valid == nil {
				c.Valid = slices.Repeat([]bool{true}, len(rows))
			}
			if v.Null {
				c.Valid[n] = false
			}
			switch col.Kind {
			case dialect.Text:
				c.Texts = append(c.Texts, v.Text)
			case dialect.Float:
				c.Floats = append(c.Floats, v.Number())
			default:
				c.Ints = append(c.Ints, v.Int)
			}
		}
		out.Columns = append(out.Columns, c)
	}
	return out
}
