package merge

import (
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A merged computes the rows of an answer from partials. A row is the number of a key or, without
// keys, a bucket of the series, or the only one.
type merged struct {
	*Merge
	cache     *memory.Cache
	site      *memory.Shelf
	sources   [][]state.Source // by aggregate
	rows      int
	first     int64                  // the number of the bucket of row 0
	texts     []string               // keys, by row; more than rows where types want some of which nothing counts
	values    [][]string             // the same taken apart, when they were asked for
	few       []int32                // the rows that are counted; nil: all
	counted   [][]int64              // what sums and sets count, and extremes are, by aggregate and row
	single    []int                  // how many rows were counted by themselves, by aggregate
	quantiles map[quantileOf][]int64 // by row
	totals    bool                   // there is a row even where nothing counts
	columns   map[string]func(row int32) expr.Value
	numbers   map[string]int        // columns that are the count of an aggregate, by that
	sumOver   map[string]expr.Value // of what was summed over all rows
}

// A quantileOf is a quantile of an aggregate.
type quantileOf struct {
	leaf     int
	permille int64
}

// finish makes the rows that the statement of m's plan would give.
func (m *Merge) finish(cache *memory.Cache, site *memory.Shelf, found [][]*state.Partial, among [][]string) *store.Rows {
	g := &merged{Merge: m, cache: cache, site: site, rows: 1, counted: make([][]int64, len(m.leaves)), single: make([]int, len(m.leaves)),
		totals: len(m.keys) == 0 && m.p.Type.Shape == catalog.Totals, numbers: map[string]int{}, sumOver: map[string]expr.Value{}, quantiles: map[quantileOf][]int64{}}
	g.place(found)
	g.bind()
	shown := g.shown()
	for _, e := range m.p.Type.OutputExprs {
		g.sumOverAll(e, shown)
	}
	if m.p.OfKeys {
		shown = slices.DeleteFunc(shown, func(row int32) bool { return !g.isAmong(row, among) })
	}
	return g.output(g.page(shown))
}

// key are the values of a row's keys.
func (g *merged) key(row int32) []string {
	if g.values[row] == nil {
		g.values[row] = state.SplitKey(g.texts[row], len(g.keys))
	}
	return g.values[row]
}

const (
	fewRows  = 128 // how often a set is counted of a row by itself, before all rows are counted at once
	fewShown = 8   // rows for which all are not counted, where there are several times as many
)

// count returns the count of an aggregate in a row or, for an extreme, its value.
func (g *merged) count(i int, row int32) int64 {
	if g.counted[i] == nil && g.few == nil && g.leaves[i].Kind.Lists() && len(g.keys) > 0 && g.single[i] < fewRows {
		g.single[i]++
		return g.countOne(i, row)
	}
	return g.counts(i)[row]
}

// countOne is count for a single row, with keys.
func (g *merged) countOne(i int, row int32) int64 {
	leaf := &g.leaves[i]
	if leaf.Kind.Lists() {
		return g.cache.Count(row, g.site.Members(leaf.Kind, leaf.Members), g.sources[i])
	}
	return state.Value(leaf.Kind, row, g.sources[i])
}

// counts returns the counts of an aggregate in all rows.
func (g *merged) counts(i int) []int64 {
	if g.counted[i] == nil {
		switch leaf := &g.leaves[i]; {
		case g.few != nil:
			g.counted[i] = make([]int64, g.rows)
			for _, row := range g.few {
				g.counted[i][row] = g.countOne(i, row)
			}
		case leaf.Kind == state.Sum:
			g.counted[i] = state.Sums(g.rows, g.sources[i])
		case leaf.Kind.Extreme():
			g.counted[i] = state.Extremes(leaf.Kind, g.rows, g.sources[i])
		default:
			g.counted[i] = g.cache.Counts(g.rows, g.site.Members(leaf.Kind, leaf.Members), g.sources[i])
		}
	}
	return g.counted[i]
}

// quantile returns a quantile of an aggregate in a row. Without keys it computes all rows at once.
func (g *merged) quantile(i int, permille int64, row int32) int64 {
	if len(g.keys) > 0 {
		return state.Quantile(row, permille, g.sources[i])
	}
	of := quantileOf{i, permille}
	if g.quantiles[of] == nil {
		g.quantiles[of] = state.Quantiles(g.rows, permille, g.sources[i])
	}
	return g.quantiles[of][row]
}

// numbersOf returns the numbers of a column in all rows, except rows that g.texts has in addition. It returns nil if the column
// is not only a count, and if so few of many rows are shown that it is faster to count them one by one.
func (g *merged) numbersOf(e expr.Expr, shown int) []int64 {
	if _, name, ok := e.Column(); ok && (shown > fewShown || 4*shown > g.rows) {
		if leaf, ok := g.numbers[name]; ok {
			return g.counts(leaf)
		}
	}
	return nil
}

// has reports whether a part counts anything in a row.
func (g *merged) has(of *mergedPart, row int32) bool {
	return g.totals || int(row) < g.rows && g.count(of.Count, row) > 0
}

// bind finds what the columns of the relation j of a statement are in rows.
func (g *merged) bind() {
	g.columns = map[string]func(int32) expr.Value{
		string(catalog.BucketColumn): func(row int32) expr.Value { return expr.IntValue(g.first + int64(row)) },
	}
	for i, f := range g.keys {
		g.columns[f.Name] = func(row int32) expr.Value { return expr.TextValue(g.key(row)[i]) }
		if len(g.keys) == 1 {
			g.columns[f.Name] = func(row int32) expr.Value { return expr.TextValue(g.texts[row]) }
		}
	}
	for _, of := range g.parts {
		for m, made := range of.metrics {
			g.columns[string(m.Alias())] = func(row int32) expr.Value { return g.metric(of, m, made, row) }
			if _, _, is := made.Column(); is && m.Zero && g.leaves[leafOf(made)].Kind.Counts() {
				g.numbers[string(m.Alias())] = leafOf(made)
			}
		}
	}
}

// metric is a metric in a row: where its table counts nothing 0 or null, as it says.
func (g *merged) metric(of *mergedPart, m *catalog.BoundMetric, made expr.Expr, row int32) expr.Value {
	if !g.has(of, row) {
		if m.Zero {
			return expr.IntValue(0)
		}
		return expr.Value{Null: true}
	}
	return expr.Eval(made, func(e expr.Expr) expr.Value {
		if op, args, ok := e.Calls(); ok && op == dialect.Quantile {
			permille, _ := args[1].Constant()
			return numberOrNull(g.quantile(leafOf(args[0]), permille, row))
		}
		return numberOrNull(g.count(leafOf(e), row))
	})
}

// numberOrNull is a number, or null in place of None.
func numberOrNull(n int64) expr.Value {
	return expr.Value{Kind: dialect.Int, Int: n, Null: n == state.None}
}

// leafOf is the aggregate that a column of aggregateColumn stands for.
func leafOf(e expr.Expr) int {
	_, name, _ := e.Column()
	i, err := strconv.Atoi(name)
	if err != nil {
		return 0 // aggregateColumn writes numbers
	}
	return i
}

// value is a column of the answer, or an expression over such, in a row.
func (g *merged) value(e expr.Expr, row int32) expr.Value {
	return expr.Eval(e, func(e expr.Expr) expr.Value {
		if op, args, ok := e.Calls(); ok && op == dialect.SumOver {
			return g.sumOver[args[0].String()]
		}
		_, name, _ := e.Column()
		if column := g.columns[name]; column != nil {
			return column(row)
		}
		return expr.Value{Null: true}
	})
}

// valueOf gives what value is of an expression in rows: for many rows.
func (g *merged) valueOf(e expr.Expr) func(row int32) expr.Value {
	if _, name, ok := e.Column(); ok && g.columns[name] != nil {
		return g.columns[name]
	}
	return func(row int32) expr.Value { return g.value(e, row) }
}

// sumOverAll computes what e asks of all rows that are shown.
func (g *merged) sumOverAll(e expr.Expr, shown []int32) {
	expr.ReplaceCalls(e, func(op dialect.Op) bool { return op == dialect.SumOver }, func(_ dialect.Op, args []expr.Expr) expr.Expr {
		name := args[0].String()
		if _, known := g.sumOver[name]; !known {
			sum, numbers := expr.Value{Kind: dialect.Int, Null: true}, g.numbersOf(args[0], len(shown))
			for _, row := range shown {
				if int(row) < len(numbers) {
					sum = expr.IntValue(sum.Int + numbers[row])
				} else if v := g.value(args[0], row); !v.Null {
					sum = expr.IntValue(sum.Int + v.Int)
				}
			}
			g.sumOver[name] = sum
		}
		return args[0]
	})
}
