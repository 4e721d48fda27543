package query

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// series is the rows of a series on their way to a table.
type series struct {
	plan          *plan
	rows          *store.Rows
	columns       []column
	date          int // place of the column of buckets
	buckets       []calendar.Bucket
	combinations  [][]string // of groupBy, in ascending order; one empty one without groupBy
	combinationOf []int      // combination of each row
	at            [][]int    // by combination and bucket, the row or -1
}

// A seriesRow is one row of the answer: a combination in a bucket, and the row that the
// store has for it, or -1.
type seriesRow struct {
	combination, bucket, row int
}

func newSeries(p *plan, rows *store.Rows) *series {
	s := &series{plan: p, rows: rows, columns: p.columns(), buckets: calendar.Buckets(p.Range, p.Grain)}
	s.date = slices.IndexFunc(s.columns, func(c column) bool { return c.Format == Date })
	return s
}

// place finds the combinations and puts every row into its bucket.
func (s *series) assign() *Error {
	if s.date < 0 || s.rows.Columns[s.date].Kind != dialect.Int {
		return broken("%s has no column of bucket numbers", s.plan.Type.Name)
	}
	if s.rows.Len > MaxLimit {
		return tooManyRows(fmt.Sprintf("more than %d", MaxLimit))
	}
	s.combine()
	if n := len(s.combinations) * len(s.buckets); n > MaxLimit {
		return tooManyRows(fmt.Sprintf("%d (%d combinations in %d buckets)", n, len(s.combinations), len(s.buckets)))
	}
	for range s.combinations {
		s.at = append(s.at, slices.Repeat([]int{-1}, len(s.buckets)))
	}
	numbers := s.rows.Columns[s.date].Ints
	for row, c := range s.combinationOf {
		b, found := slices.BinarySearchFunc(s.buckets, numbers[row], func(b calendar.Bucket, number int64) int {
			return cmp.Compare(b.Number, number)
		})
		if !found || s.at[c][b] >= 0 {
			return broken("the store returned bucket %d outside the range or twice", numbers[row])
		}
		s.at[c][b] = row
	}
	return nil
}

func tooManyRows(count string) *Error {
	return &Error{Code: TooManyRows, Message: fmt.Sprintf("The series would have %s rows, and at most %d are allowed; "+
		"ask for a shorter range or daily granularity, group by fewer fields, or filter to fewer values", count, MaxLimit)}
}

// combine finds the combinations, in order, and which one each row has.
func (s *series) combine() {
	s.combinationOf = make([]int, s.rows.Len)
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
		keys[row] = joinKey(values)
		byKey[keys[row]] = values
	}
	s.combinations = slices.SortedFunc(maps.Values(byKey), slices.Compare)
	places := make(map[string]int, len(s.combinations))
	for i, values := range s.combinations {
		places[joinKey(values)] = i
	}
	for row, key := range keys {
		s.combinationOf[row] = places[key]
	}
}

// joinKey is one text for several, different for different ones.
func joinKey(values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, "%d:%s", len(v), v)
	}
	return b.String()
}

// ordered lists all spots of s in the order of its plan, then by date, then by
// combination.
func (s *series) ordered() []seriesRow {
	spots := make([]seriesRow, 0, len(s.combinations)*len(s.buckets))
	for b := range s.buckets {
		for c := range s.combinations {
			spots = append(spots, seriesRow{c, b, s.at[c][b]})
		}
	}
	var steps []func(a, b seriesRow) int
	for _, o := range s.plan.Sort {
		if step := s.compareBy(o); step != nil {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return spots
	}
	slices.SortStableFunc(spots, func(a, b seriesRow) int {
		for _, step := range steps {
			if d := step(a, b); d != 0 {
				return d
			}
		}
		return 0
	})
	return spots
}

// compareBy compares spots by one column, unrounded; null comes last either way.
func (s *series) compareBy(o order) func(a, b seriesRow) int {
	at := slices.IndexFunc(s.columns, func(c column) bool { return c.Name == o.column })
	var compare func(a, b seriesRow) int
	switch {
	case at < 0:
		return nil
	case at == s.date:
		compare = func(a, b seriesRow) int { return cmp.Compare(a.bucket, b.bucket) }
	case at < len(s.plan.Group):
		compare = func(a, b seriesRow) int {
			return cmp.Compare(s.combinations[a.combination][at], s.combinations[b.combination][at])
		}
	default:
		return s.compareValues(at, o.desc)
	}
	return func(a, b seriesRow) int { return directed(compare(a, b), o.desc) }
}

func (s *series) compareValues(at int, desc bool) func(a, b seriesRow) int {
	zero := s.columns[at].Zero || s.columns[at].Format == String
	c := &s.rows.Columns[at]
	return func(a, b seriesRow) int {
		nullA, nullB := isNull(c, a.row) && !zero, isNull(c, b.row) && !zero
		switch {
		case nullA && nullB:
			return 0
		case nullA:
			return 1
		case nullB:
			return -1
		}
		return directed(compareCells(c, a.row, b.row), desc)
	}
}

func isNull(c *store.Column, row int) bool { return row < 0 || c.Null(row) }

// compareCells compares two values of c; one that is not there is 0 or empty.
func compareCells(c *store.Column, a, b int) int {
	switch c.Kind {
	case dialect.Int:
		return cmp.Compare(cell(c, c.Ints, a), cell(c, c.Ints, b))
	case dialect.Float:
		return cmp.Compare(cell(c, c.Floats, a), cell(c, c.Floats, b))
	}
	return cmp.Compare(cell(c, c.Texts, a), cell(c, c.Texts, b))
}

func cell[T any](c *store.Column, values []T, row int) T {
	if isNull(c, row) {
		var nothing T
		return nothing
	}
	return values[row]
}

func directed(d int, desc bool) int {
	if desc {
		return -d
	}
	return d
}
