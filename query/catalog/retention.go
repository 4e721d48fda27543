package catalog

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// MaxCohorts is the largest number of buckets of an answer with cohorts.
const MaxCohorts = 60

// The columns of retention beside the date.
const (
	PeriodColumn     = "period"
	CohortSizeColumn = "cohort_size"
	ReturnedColumn   = "visitors"
)

// cohortMetrics count the rows o: each visitor once in their cohort, and once for each period in which they returned. A
// row of an answer has both only in period 0, so package finish completes the others.
func cohortMetrics() []BoundMetric {
	of := func(c Output, e expr.Expr) BoundMetric { return BoundMetric{source: "cohorts", Output: c, Expr: e} }
	first := func(n int64) expr.Expr {
		return expr.Call(dialect.CountIf, expr.Eq(expr.Col("o", "first"), expr.Int(n)))
	}
	return []BoundMetric{
		of(countColumn(CohortSizeColumn, "Cohort",
			"Visitors whose first start event in the range lies in the bucket of the date"), first(1)),
		of(countColumn(ReturnedColumn, "Returned",
			"Visitors of the cohort with a return event in the period, not before their start event"), first(0)),
		of(NumberOutput(ShareColumn, "Retention", "%", "Visitors who returned, of the cohort"),
			percent(first(0), first(1))),
	}
}

// Cohorts reports whether rows of ty are cohorts: see [CohortRows].
func (ty *BoundType) Cohorts() bool { return ty.Table != nil && ty.Table.Rows == CohortRows }

// Granularities returns the granularities that ty takes. It is nil if rows have no date.
func (ty *BoundType) Granularities() []string {
	switch {
	case ty.Shape != Series:
		return nil
	case ty.Cohorts():
		return []string{"daily", "weekly", "monthly"}
	}
	return []string{"minute", "hourly", "daily", "weekly", "monthly"}
}

// ofCohorts reports whether the type has rows of cohorts.
func (b *typeBuilder) ofCohorts() bool {
	tb := TableNamed(b.ty.Source)
	return tb != nil && tb.Rows == CohortRows
}

// cohorts holds a type over cohorts against the only form that its rows can have.
func (b *typeBuilder) cohorts() {
	ty := b.ty
	if !b.ofCohorts() {
		return
	}
	columns := []string{DateColumn, PeriodColumn, CohortSizeColumn, ReturnedColumn, ShareColumn}
	if ty.Shape != Series || !slices.Equal(ty.Dimensions, []string{PeriodColumn}) ||
		!slices.Equal(ty.Columns, columns) {
		b.fault("a type over cohorts is a series with the dimension %s and the columns %s", PeriodColumn,
			strings.Join(columns, ", "))
	}
}
