package finish

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Groups are the values of the parts of an answer by its keys. Rows have the numbers from 0 on. Rows of a series are
// buckets; others have keys.
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
	// Numbers returns a metric of a part in all rows, if it is a count, which is 0 in rows that the part does not have.
	// It returns nil if the metric is not a count, or if it takes longer than to call the function of Metric for that
	// many rows.
	Numbers(part, metric, rows int) []int64
}

// A joined is the relation j: the parts of an answer, joined by its keys.
type joined struct {
	of      Groups
	rows    int                   // of the groups; rows with higher numbers were added
	added   [][]string            // the keys of added rows
	has     []func(int32) bool    // by part: the part has the row
	columns map[string]column     // by name
	sums    map[string]expr.Value // over all rows, by the text of what is summed
}

// A column is a column of the relation j.
type column struct {
	value   func(row int32) expr.Value
	numbers func(rows int) []int64 // see Groups.Numbers
}

func noNumbers(int) []int64 { return nil }

// join joins the parts of steps.
func join(steps *plan.Steps, of Groups) *joined {
	j := &joined{of: of, rows: of.Len(), columns: map[string]column{}, sums: map[string]expr.Value{}}
	j.columns[string(catalog.BucketColumn)] = column{func(row int32) expr.Value { return expr.IntValue(of.Bucket(row)) }, noNumbers}
	for i, f := range steps.Keys {
		j.columns[string(f.Alias())] = column{func(row int32) expr.Value { return expr.TextValue(j.key(row, i)) },
			noNumbers}
	}
	for i, part := range steps.Parts {
		j.has = append(j.has, j.hasOf(i, steps.Single))
		for k, m := range part.Metrics {
			j.columns[string(m.Alias())] = j.metric(i, k, m)
		}
	}
	return j
}

// metric is a metric, with 0 or null in rows that its part does not have.
func (j *joined) metric(part, metric int, m *catalog.BoundMetric) column {
	none, has, value, numbers := expr.Value{Null: true}, j.has[part], j.of.Metric(part, metric), noNumbers
	if m.Zero {
		none = expr.IntValue(0)
		numbers = func(rows int) []int64 { return j.of.Numbers(part, metric, rows) }
	}
	return column{func(row int32) expr.Value {
		if !has(row) {
			return none
		}
		return value(row)
	}, numbers}
}

// hasOf returns a function that reports whether a part has a row, which may be an added one. With single it has the
// only row.
func (j *joined) hasOf(part int, single bool) func(row int32) bool {
	if single {
		return func(int32) bool { return true }
	}
	has := j.of.Has(part)
	return func(row int32) bool { return int(row) < j.rows && has(row) }
}

func (j *joined) key(row int32, i int) string {
	if int(row) >= j.rows {
		return j.added[int(row)-j.rows][i]
	}
	return j.of.Key(row, i)
}

// keys are the first n keys of a row.
func (j *joined) keys(row int32, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = j.key(row, i)
	}
	return all
}

// valueOf returns a function for an expression over the relation j.
func (j *joined) valueOf(e expr.Expr) func(row int32) expr.Value {
	if c, ok := j.column(e); ok {
		return c.value
	}
	return func(row int32) expr.Value {
		return expr.Eval(e, func(e expr.Expr) expr.Value {
			if op, args, ok := e.Calls(); ok && op == dialect.SumOver {
				return j.sums[args[0].String()]
			}
			if c, ok := j.column(e); ok {
				return c.value(row)
			}
			return expr.Value{Null: true}
		})
	}
}

// column returns the column of the relation j that e is.
func (j *joined) column(e expr.Expr) (column, bool) {
	_, name, ok := e.Column()
	if !ok {
		return column{}, false
	}
	found, ok := j.columns[name]
	return found, ok
}

// numbersOf returns numbers of e in rows of the groups, or nil.
func (j *joined) numbersOf(e expr.Expr, rows int) []int64 {
	if c, ok := j.column(e); ok {
		return c.numbers(rows)
	}
	return nil
}

// sumOverAll computes the sums over rows that e has.
func (j *joined) sumOverAll(e expr.Expr, rows []int32) {
	expr.ReplaceCalls(e, func(op dialect.Op) bool { return op == dialect.SumOver },
		func(_ dialect.Op, args []expr.Expr) expr.Expr {
			name := args[0].String()
			if _, known := j.sums[name]; !known {
				j.sums[name] = j.sum(args[0], rows)
			}
			return args[0]
		})
}

// sum adds up a whole number of all rows. It is null if that is null in all of them.
func (j *joined) sum(e expr.Expr, rows []int32) expr.Value {
	sum, value, numbers := expr.Value{Kind: dialect.Int, Null: true}, j.valueOf(e), j.numbersOf(e, len(rows))
	for _, row := range rows {
		if int(row) < len(numbers) {
			sum = expr.IntValue(sum.Int + numbers[row])
		} else if v := value(row); !v.Null {
			sum = expr.IntValue(sum.Int + v.Int)
		}
	}
	return sum
}
