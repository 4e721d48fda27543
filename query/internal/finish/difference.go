package finish

import (
	"cmp"
	"math"
	"slices"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// ByDifference returns the page of an answer to p that is ordered by the difference of two periods, of all their rows.
// Rows that only then has count nothing, and have the texts of then.
func ByDifference(p *plan.Plan, now, then *Answered) *Answered {
	u := newUnion(p, now, then)
	order := make([]int, u.whole.Len())
	for row := range order {
		order[row] = row
	}
	slices.SortFunc(order, u.compare)
	shown, more := pageOf(p, order)
	page := &Answered{Table: u.whole.Pick(shown), More: more}
	for i := range u.whole.keys {
		page.keys = append(page.keys, u.whole.keys[i].Pick(shown))
	}
	return page
}

// A union has the rows of two periods: those of the answer, and behind them those that only the other has.
type union struct {
	plan  *plan.Plan
	whole Answered
	more  []difference // by row
}

// A difference is how much more a metric is in one period than in the other. Sums have at most four decimals.
type difference struct {
	tenThousandths int64
	about          float64 // of sums that are too large for that
}

func newUnion(p *plan.Plan, now, then *Answered) *union {
	at, only := map[string]int{}, []int{}
	for row := range now.Len() {
		at[now.key(row, len(p.Group), "")] = row
	}
	beside := slices.Repeat([]int{-1}, now.Len())
	for row := range then.Len() {
		if i, ok := at[then.key(row, len(p.Group), "")]; ok {
			beside[i] = row
		} else {
			only, beside = append(only, row), append(beside, row)
		}
	}
	u := &union{plan: p}
	cols := p.Columns()
	columns := make([]answer.Cells, len(cols))
	for i := range cols {
		gone := goneCells(p, i, then.ColumnAt(i), only)
		columns[i] = answer.Cells{Output: &cols[i], Column: appended(now.ColumnAt(i), now.Len(), gone, len(only))}
	}
	u.whole.Table = answer.NewTable(now.Len()+len(only), columns)
	for i := range now.keys {
		gone := then.keys[i].Pick(only)
		u.whole.keys = append(u.whole.keys,
			answer.Cells{Column: appended(&now.keys[i], now.Len(), &gone, len(only))})
	}
	metric := len(p.Group) + p.Type.OutputIndex(p.Difference.Column)
	for row, other := range beside {
		u.more = append(u.more, differenceOf(u.whole.ColumnAt(metric), row, then.ColumnAt(metric), other))
	}
	return u
}

// goneCells returns what the i-th column shows in rows that only the other period has: texts of its rows, and nothing
// counted or measured.
func goneCells(p *plan.Plan, i int, then *answer.Cells, only []int) *answer.Cells {
	gone := then.Pick(only)
	of := i - len(p.Group)
	if of < 0 || then.Format == catalog.String || then.Role == catalog.DimensionRole && then.Format == catalog.Integer {
		return &gone
	}
	valued := gone.Valid
	gone.Valid = make([]bool, len(only))
	for row := range only {
		switch {
		case then.Format == catalog.JSON:
			gone.Texts[row], gone.Valid[row] = "[]", true
		case p.Type.IsShare(of):
			gone.Floats[row], gone.Valid[row] = 0, true
		case p.Type.Table.Rows == catalog.GoalRows && then.Name == goalValue:
			gone.Floats[row], gone.Valid[row] = 0, valued == nil || valued[row]
		}
	}
	return &gone
}

// appended returns the first n cells of a, and behind them the first m of b.
func appended(a *answer.Cells, n int, b *answer.Cells, m int) store.Column {
	c := store.Column{Kind: a.Kind}
	switch a.Kind {
	case dialect.Int:
		c.Ints = slices.Concat(a.Ints[:n], b.Ints[:m])
	case dialect.Float:
		c.Floats = slices.Concat(a.Floats[:n], b.Floats[:m])
	case dialect.Text:
		c.Texts = slices.Concat(a.Texts[:n], b.Texts[:m])
	}
	if a.Valid == nil && b.Valid == nil {
		return c
	}
	c.Valid = slices.Repeat([]bool{true}, n+m)
	if a.Valid != nil {
		copy(c.Valid[:n], a.Valid)
	}
	if b.Valid != nil {
		copy(c.Valid[n:], b.Valid)
	}
	return c
}

// differenceOf returns how much more a metric is in a row of now than in a row of then; -1: there is none.
func differenceOf(now *answer.Cells, row int, then *answer.Cells, other int) difference {
	a, b := now.Number(row), 0.0
	if now.Kind == dialect.Int {
		n := now.Whole(row)
		if other >= 0 {
			n -= then.Whole(other)
		}
		return difference{about: float64(n), tenThousandths: n}
	}
	if other >= 0 {
		b = then.Number(other)
	}
	const exact, parts = 9e11, 10_000 // below it, a float holds four decimals
	if math.Abs(a) < exact && math.Abs(b) < exact {
		n := int64(math.Round(a*parts)) - int64(math.Round(b*parts))
		return difference{about: float64(n) / parts, tenThousandths: n}
	}
	return difference{about: a - b}
}

// compare orders two rows by the difference, and then by their keys.
func (u *union) compare(a, b int) int {
	p, x, y := u.plan, u.more[a], u.more[b]
	order := cmp.Or(cmp.Compare(x.about, y.about), cmp.Compare(x.tenThousandths, y.tenThousandths))
	if p.Difference.Desc {
		order = -order
	}
	if order != 0 {
		return order
	}
	var texts []*answer.Cells
	for i := range p.Group {
		texts = append(texts, u.whole.ColumnAt(i))
	}
	for _, name := range p.Type.TieBreak {
		texts = append(texts, u.whole.ColumnAt(len(p.Group)+p.Type.OutputIndex(name)))
	}
	for i := range u.whole.keys {
		texts = append(texts, &u.whole.keys[i])
	}
	for _, c := range texts {
		if order = compareCells(c, a, b); order != 0 {
			return order
		}
	}
	return 0
}

// compareCells orders two cells, ascending.
func compareCells(c *answer.Cells, a, b int) int {
	switch c.Kind {
	case dialect.Int:
		return cmp.Compare(c.Ints[a], c.Ints[b])
	case dialect.Float:
		return cmp.Compare(c.Floats[a], c.Floats[b])
	}
	return cmp.Compare(c.Texts[a], c.Texts[b])
}
