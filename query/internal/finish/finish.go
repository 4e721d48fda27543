// Package finish makes answers of the rows that a statement or a merge gives for a plan. A merge lets it make the rows,
// too.
//
//	rows := finish.Run(plan.StepsOf(p), groups, nil)         // as the statement of p returns them
//	found, mistake := finish.Finish(p, rows)                 // a series is filled, ordered and paged here
//	found = finish.ByDifference(p, found, then)              // the page of an answer that is ordered by it
//	previous, changes := finish.Beside(p, found, then)       // the corresponding rows of the other period
//	meta := finish.ResultMeta(p, found.Len(), found.More)
//
// It is pure.
package finish

import (
	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// An Answered plan has the table of the answer and hidden values: the keys of the rows, and whether more rows follow.
type Answered struct {
	answer.Table
	keys []answer.Cells
	More bool
}

// Finish makes the answer to p from the rows of its statement. Rows of a series come as the database has them: they are
// filled, ordered and paged here. All other rows come ordered and paged, with one row more than the limit if there is
// one.
func Finish(p *plan.Plan, rows *store.Rows) (*Answered, *ask.Error) {
	if mistake := checkRows(p, rows); mistake != nil {
		return nil, mistake
	}
	if mistake := checkBounds(p, rows); mistake != nil {
		return nil, mistake
	}
	switch {
	case p.Type.Cohorts():
		return finishCohorts(p, rows)
	case p.Type.Shape == catalog.Series:
		return finishSeries(p, rows)
	}
	a, shown, limit := &Answered{}, rows.Len, p.Limit*p.Block()
	if limit > 0 && shown > limit && p.Difference == nil {
		shown, a.More = limit, true
	}
	cols := p.Columns()
	columns := make([]answer.Cells, len(cols))
	for i := range cols {
		if cols[i].Format == catalog.Date {
			rows.Columns[i] = bucketLabels(rows.Columns[i], p)
		}
		columns[i] = answer.Cells{Output: &cols[i], Column: rows.Columns[i]}
	}
	a.Table = answer.NewTable(shown, columns)
	for i := range p.Keys() {
		a.keys = append(a.keys, answer.Cells{Column: rows.Columns[len(cols)+i]})
	}
	return a, nil
}

// checkRows holds an answer against what was asked for.
func checkRows(p *plan.Plan, rows *store.Rows) *ask.Error {
	cols := p.Columns()
	if got, want := len(rows.Columns), len(cols)+len(p.Keys()); got != want {
		return plan.Broken("the store returned %d columns, not %d", got, want)
	}
	for i := range rows.Columns {
		c := &rows.Columns[i]
		var n int
		switch c.Kind {
		case dialect.Int:
			n = len(c.Ints)
		case dialect.Float:
			n = len(c.Floats)
		case dialect.Text:
			n = len(c.Texts)
		}
		if n < rows.Len || c.Valid != nil && len(c.Valid) < rows.Len {
			return plan.Broken("column %d has %d values for %d rows", i, n, rows.Len)
		}
		if i >= len(cols) {
			continue
		}
		if (cols[i].Format == catalog.String || cols[i].Format == catalog.JSON) != (c.Kind == dialect.Text) {
			return plan.Broken("column %q of format %s has kind %d", cols[i].Name, cols[i].Format, c.Kind)
		}
	}
	return nil
}

// bucketLabels turns bucket numbers into dates.
func bucketLabels(numbers store.Column, p *plan.Plan) store.Column {
	texts := make([]string, len(numbers.Ints))
	for i, n := range numbers.Ints {
		texts[i] = calendar.Label(n, p.Grain, p.Range.Zone)
	}
	return store.Column{Kind: dialect.Text, Texts: texts, Valid: numbers.Valid}
}
