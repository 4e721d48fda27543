package merge

import (
	"strconv"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A merged has the groups of an answer, of partials. A row is the number of a key or, without keys, a bucket of the
// series, or the only one.
type merged struct {
	*Merge
	cache     *memory.Cache
	site      *memory.Partials
	sources   [][]state.Source // by aggregate
	rows      int
	first     int64                  // the number of the bucket of row 0
	texts     []string               // keys, by row
	values    [][]string             // the same taken apart, when they were asked for
	few       []int32                // the rows that are counted; nil: all
	counted   [][]int64              // what sums and sets count, and extremes are, by aggregate and row
	single    []int                  // how many rows were counted by themselves, by aggregate
	quantiles map[quantileOf][]int64 // by row
}

var _ finish.Groups = (*merged)(nil)

// A quantileOf is a quantile of an aggregate.
type quantileOf struct {
	aggregate int
	permille  int64
}

// newMerged returns the groups that the partials of g give. All of them were found.
func newMerged(g *Lookup) *merged {
	n := len(g.aggregates)
	of := &merged{Merge: g.Merge, cache: g.merger.Partials, site: g.Site, rows: 1, counted: make([][]int64, n),
		single:    make([]int, n),
		quantiles: map[quantileOf][]int64{}}
	of.place(g.Found)
	return of
}

// groups returns the groups of the answer. All partials of g were found.
func (g *Lookup) groups() finish.Groups {
	if len(g.goals) > 0 {
		return goalRows{g.Merge, newMerged(g)}
	}
	return newMerged(g)
}

// Len returns the number of rows.
func (g *merged) Len() int { return g.rows }

// Bucket returns the number of the bucket of a row.
func (g *merged) Bucket(row int32) int64 { return g.first + int64(row) }

// Key returns the i-th key of a row.
func (g *merged) Key(row int32, i int) string {
	if len(g.keys) == 1 {
		return g.texts[row]
	}
	if g.values[row] == nil {
		g.values[row] = state.SplitKey(g.texts[row], len(g.keys))
	}
	return g.values[row][i]
}

// Has returns a function that reports whether a part counts anything in a row.
func (g *merged) Has(part int) func(row int32) bool {
	i := g.parts[part].Count
	return func(row int32) bool { return g.count(i, row) > 0 }
}

// Metric returns a metric of a part in rows. It is null where its aggregates have no values.
func (g *merged) Metric(part, metric int) func(row int32) expr.Value {
	made := g.parts[part].metrics[metric]
	return func(row int32) expr.Value {
		return expr.Eval(made, func(e expr.Expr) expr.Value {
			if op, args, ok := e.Calls(); ok && op == dialect.Quantile {
				permille, _ := args[1].Constant()
				return numberOrNull(g.quantile(aggregateIn(args[0]), permille, row))
			}
			return numberOrNull(g.count(aggregateIn(e), row))
		})
	}
}

// Numbers returns a metric of a part in all rows. It returns nil if the metric is not only a count, and if so few of
// many rows are asked for that it is faster to count them one by one.
func (g *merged) Numbers(part, metric, rows int) []int64 {
	made := g.parts[part].metrics[metric]
	if _, _, is := made.Column(); !is || !g.aggregates[aggregateIn(made)].Kind.Counts() ||
		rows <= fewShown && 4*rows <= g.rows {
		return nil
	}
	return g.counts(aggregateIn(made))
}

const (
	fewRows  = 128 // how often a set is counted of a row by itself, before all rows are counted at once
	fewShown = 8   // rows for which all are not counted, where there are several times as many
)

// count returns the count of an aggregate in a row or, for an extreme, its value.
func (g *merged) count(i int, row int32) int64 {
	if g.counted[i] == nil && g.few == nil && g.aggregates[i].Kind.Lists() && len(g.keys) > 0 && g.single[i] < fewRows {
		g.single[i]++
		return g.countOne(i, row)
	}
	return g.counts(i)[row]
}

// countOne is count for a single row, with keys.
func (g *merged) countOne(i int, row int32) int64 {
	one := &g.aggregates[i]
	if one.Kind.Lists() {
		return g.cache.Count(row, g.site.Members(one.Kind, one.Members), g.sources[i])
	}
	return state.Value(one.Kind, row, g.sources[i])
}

// counts returns the counts of an aggregate in all rows.
func (g *merged) counts(i int) []int64 {
	if g.counted[i] == nil {
		switch one := &g.aggregates[i]; {
		case g.few != nil:
			g.counted[i] = make([]int64, g.rows)
			for _, row := range g.few {
				g.counted[i][row] = g.countOne(i, row)
			}
		case one.Kind == state.Sum:
			g.counted[i] = state.Sums(g.rows, g.sources[i])
		case one.Kind.Extreme():
			g.counted[i] = state.Extremes(one.Kind, g.rows, g.sources[i])
		default:
			g.counted[i] = g.cache.Counts(g.rows, g.site.Members(one.Kind, one.Members), g.sources[i])
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

// numberOrNull is a number, or null in place of None.
func numberOrNull(n int64) expr.Value {
	return expr.Value{Kind: dialect.Int, Int: n, Null: n == state.None}
}

// aggregateIn is the aggregate that a column of aggregateColumn stands for.
func aggregateIn(e expr.Expr) int {
	_, name, _ := e.Column()
	i, err := strconv.Atoi(name)
	if err != nil {
		return 0 // aggregateColumn writes numbers
	}
	return i
}
