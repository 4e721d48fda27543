package finish

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// finishCohorts makes the answer of a plan with cohorts. The rows have the number of the bucket of the cohort as date,
// and of a later one as period. The size of a cohort is in its own bucket alone. The answer has a row for every cohort
// with a visitor and every bucket since then that has begun.
func finishCohorts(p *plan.Plan, rows *store.Rows) (*Answered, *ask.Error) {
	cols := p.Columns()
	ints := func(name string) []int64 {
		return rows.Columns[slices.IndexFunc(cols, func(c catalog.Output) bool { return c.Name == name })].Ints
	}
	dates, periods, sizes, visitors := ints(catalog.DateColumn), ints(catalog.PeriodColumn),
		ints(catalog.CohortSizeColumn), ints(catalog.ReturnedColumn)
	size, returned := map[int64]int64{}, map[[2]int64]int64{}
	for row := range rows.Len {
		size[dates[row]] += sizes[row]
		returned[[2]int64{dates[row], periods[row]}] += visitors[row]
	}
	whole := newTriangle(cols)
	buckets := calendar.Buckets(p.Range, p.Grain) // those that have begun come first
	begun := p.Begun()
	for i, cohort := range begun {
		if size[cohort.Number] == 0 {
			continue
		}
		came := make([]int64, len(buckets)-i) // by period
		for n, later := range buckets[i:] {
			came[n] = returned[[2]int64{cohort.Number, later.Number}]
		}
		if p.Behaviour != nil && p.Behaviour.Rolling { // rows have visitors by the period of their last return
			for n := len(came) - 2; n >= 0; n-- {
				came[n] += came[n+1]
			}
		}
		for n, visitors := range came[:len(begun)-i] {
			whole.add(cohort, int64(n), size[cohort.Number], visitors)
		}
	}
	all := answer.NewTable(whole.rows, whole.cells)
	shown, more := pageOf(p, all.Sorted(p.Sort))
	found := &Answered{Table: all.Pick(shown), More: more}
	found.keys = []answer.Cells{*found.Column(catalog.PeriodColumn)} // rows of one date correspond by their period
	return found, nil
}

// A triangle has the columns of the rows of all cohorts, in their order.
type triangle struct {
	rows  int
	cells []answer.Cells
}

func newTriangle(cols []catalog.Output) *triangle {
	t := &triangle{}
	for i := range cols {
		kind := dialect.Int
		switch cols[i].Name {
		case catalog.DateColumn:
			kind = dialect.Text
		case catalog.ShareColumn:
			kind = dialect.Float
		}
		t.cells = append(t.cells, answer.Cells{Output: &cols[i], Column: store.Column{Kind: kind}})
	}
	return t
}

// add adds the row of a cohort, which is not empty, and a period.
func (t *triangle) add(cohort calendar.Bucket, period, size, visitors int64) {
	t.rows++
	for i := range t.cells {
		switch c := &t.cells[i].Column; t.cells[i].Name {
		case catalog.DateColumn:
			c.Texts = append(c.Texts, cohort.Label)
		case catalog.PeriodColumn:
			c.Ints = append(c.Ints, period)
		case catalog.CohortSizeColumn:
			c.Ints = append(c.Ints, size)
		case catalog.ReturnedColumn:
			c.Ints = append(c.Ints, visitors)
		case catalog.ShareColumn:
			c.Floats = append(c.Floats, 100*float64(visitors)/float64(size))
		}
	}
}
