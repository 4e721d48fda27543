package finish

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Groups are what the parts of an answer have by its keys. Rows have the numbers from 0 on. Those of a series are buckets; others
// have keys.
type Groups interface {
	// Len returns the number of rows.
	Len() int
	// Rows returns the rows that may be in the answer, in any order. The caller may change the slice.
	Rows() []int32
	// Key returns the i-th key of a row.
	Key(row int32, i int) string
	// Bucket returns the number of the bucket of a row of a series.
	Bucket(row int32) int64
	// Has returns a function that reports whether a part has a row.
	Has(part int) func(row int32) bool
	// Metric returns a function for a metric of a part, to be called for rows that the part has.
	Metric(part, metric int) func(row int32) expr.Value
	// Numbers returns a metric of a part in all rows, if it is a count, which is 0 in rows that the part does not have. It returns nil
	// if the metric is no count, or if it takes longer than to call the function of Metric for that many rows.
	Numbers(part, metric, rows int) []int64
}

// Run carries out steps on of. It returns the rows that the statement of the steps returns: of a series in any order and not filled.
// among has the values that steps.Among refers to, sorted.
func Run(steps *plan.Steps, of Groups, among [][]string) *store.Rows {
	r := &run{Steps: steps, of: of, rows: of.Len(), columns: map[string]column{}, sums: map[string]expr.Value{}}
	r.bind()
	rows := r.shown()
	for _, c := range steps.Columns {
		r.sumOverAll(c.E, rows)
	}
	if len(steps.Among) > 0 {
		rows = slices.DeleteFunc(rows, func(row int32) bool { return !r.isAmong(row, among) })
	}
	return r.output(r.page(rows))
}

// A run carries out steps.
type run struct {
	*plan.Steps
	of      Groups
	rows    int                   // of the groups; rows with higher numbers were added
	added   [][]string            // the keys of added rows
	has     []func(int32) bool    // by part: the part has the row
	columns map[string]column     // of the relation j, by name
	sums    map[string]expr.Value // over all rows, by the text of what is summed
}

// A column is a column of the relation j.
type column struct {
	value   func(row int32) expr.Value
	numbers func(rows int) []int64 // see Groups.Numbers
}

func noNumbers(int) []int64 { return nil }

// bind finds the columns of the relation j.
func (r *run) bind() {
	r.columns[string(catalog.BucketColumn)] = column{func(row int32) expr.Value { return expr.IntValue(r.of.Bucket(row)) }, noNumbers}
	for i, f := range r.Keys {
		r.columns[f.Name] = column{func(row int32) expr.Value { return expr.TextValue(r.key(row, i)) }, noNumbers}
	}
	for i, part := range r.Parts {
		r.has = append(r.has, r.hasOf(i))
		for j, m := range part.Metrics {
			r.columns[string(m.Alias())] = r.metric(i, j, m)
		}
	}
}

// metric is a metric, with 0 or null in rows that its part does not have.
func (r *run) metric(part, metric int, m *catalog.BoundMetric) column {
	none, has, value, numbers := expr.Value{Null: true}, r.has[part], r.of.Metric(part, metric), noNumbers
	if m.Zero {
		none = expr.IntValue(0)
		numbers = func(rows int) []int64 { return r.of.Numbers(part, metric, rows) }
	}
	return column{func(row int32) expr.Value {
		if !has(row) {
			return none
		}
		return value(row)
	}, numbers}
}

// hasOf returns a function that reports whether a part has a row, which may be an added one.
func (r *run) hasOf(part int) func(row int32) bool {
	if r.Single {
		return func(int32) bool { return true }
	}
	has := r.of.Has(part)
	return func(row int32) bool { return int(row) < r.rows && has(row) }
}

func (r *run) key(row int32, i int) string {
	if int(row) >= r.rows {
		return r.added[int(row)-r.rows][i]
	}
	return r.of.Key(row, i)
}

// keys are the first n keys of a row.
func (r *run) keys(row int32, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = r.key(row, i)
	}
	return all
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

// zeroRows adds the rows of values that are not among those that exist.
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

// valueOf returns a function for an expression over the relation j.
func (r *run) valueOf(e expr.Expr) func(row int32) expr.Value {
	if c, ok := r.column(e); ok {
		return c.value
	}
	return func(row int32) expr.Value {
		return expr.Eval(e, func(e expr.Expr) expr.Value {
			if op, args, ok := e.Calls(); ok && op == dialect.SumOver {
				return r.sums[args[0].String()]
			}
			if c, ok := r.column(e); ok {
				return c.value(row)
			}
			return expr.Value{Null: true}
		})
	}
}

// column returns the column of the relation j that e is.
func (r *run) column(e expr.Expr) (column, bool) {
	_, name, ok := e.Column()
	if !ok {
		return column{}, false
	}
	found, ok := r.columns[name]
	return found, ok
}

// numbersOf returns numbers of e in rows of the groups, or nil.
func (r *run) numbersOf(e expr.Expr, rows int) []int64 {
	if c, ok := r.column(e); ok {
		return c.numbers(rows)
	}
	return nil
}

// sumOverAll computes the sums over rows that e has.
func (r *run) sumOverAll(e expr.Expr, rows []int32) {
	expr.ReplaceCalls(e, func(op dialect.Op) bool { return op == dialect.SumOver }, func(_ dialect.Op, args []expr.Expr) expr.Expr {
		name := args[0].String()
		if _, known := r.sums[name]; !known {
			r.sums[name] = r.sum(args[0], rows)
		}
		return args[0]
	})
}

// sum adds up a whole number of all rows. It is null if that is null in all of them.
func (r *run) sum(e expr.Expr, rows []int32) expr.Value {
	sum, value, numbers := expr.Value{Kind: dialect.Int, Null: true}, r.valueOf(e), r.numbersOf(e, len(rows))
	for _, row := range rows {
		if int(row) < len(numbers) {
			sum = expr.IntValue(sum.Int + numbers[row])
		} else if v := value(row); !v.Null {
			sum = expr.IntValue(sum.Int + v.Int)
		}
	}
	return sum
}
