package plan

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
)

// A Why says which plans an answer is made of that explains the change of a metric, and which of its rows are shown.
// Each plan has a column of the metric, and Other is the same plan about the other period.
type Why struct {
	Whole        *Plan // of all rows together
	By           []ChangeBy
	MinWeight    float64
	PerDimension int
}

// A ChangeBy is a dimension whose values may explain a change. Its plan has a row for each value, in no order.
type ChangeBy struct {
	Dimension string
	Plan      *Plan
}

// MaxChangedValues is the largest number of values of one dimension in one period.
const MaxChangedValues = 100_000

// Metric returns the place of the metric among the columns of a plan of w.
func (w *Why) Metric(p *Plan) int {
	if p.Behaviour != nil {
		return len(p.Group) + p.Type.OutputIndex("visitors")
	}
	return len(p.Group)
}

// plans returns all plans of w, including plans for the other period.
func (w *Why) plans() (all []*Plan) {
	if w == nil {
		return nil
	}
	add := func(p *Plan) { all = append(all, p, p.Other.Plan) }
	add(w.Whole)
	for _, by := range w.By {
		add(by.Plan)
	}
	return all
}

// appendKey appends a text that equal ones share and no others.
func (w *Why) appendKey(b []byte) []byte {
	if w == nil {
		return append(b, '-')
	}
	b = keytext.Numbers(b, int64(math.Float64bits(w.MinWeight)), int64(w.PerDimension), int64(len(w.By)))
	b = w.Whole.AppendKey(b)
	for _, by := range w.By {
		b = by.Plan.AppendKey(keytext.Texts(b, by.Dimension))
	}
	return b
}

// why gives plan what it explains a change by. p is the i-th parameter, which is answered as o says.
func (v *resolver) why(i int, p ask.Parameter, o ask.GivenOptions, plan *Plan, list *ask.Issues) {
	v.checkWhyOptions(&o, plan, list)
	if len(list.Errors) > 0 {
		return
	}
	w := &Why{MinWeight: ask.DefaultMinWeight, PerDimension: cmp.Or(p.PerDimension, ask.DefaultPerDimension)}
	if p.MinWeight != nil {
		w.MinWeight = *p.MinWeight
	}
	if w.Whole = v.partOfWhy(i, p, o, "", list); w.Whole == nil {
		return
	}
	for j, name := range p.Why.Candidates(v.access.Websites != nil) {
		if !explains(p.Metric, name) {
			list.Add(ask.InParameter(i, "by").Item(j), ask.Error{Code: ask.BadGroup,
				Message: mistake.Quote(name) + " is for goals only, whose rows are events"})
			continue
		}
		var wrong ask.Issues
		of := v.partOfWhy(i, p, o, name, &wrong)
		for _, e := range wrong.Errors {
			list.Add(ask.InParameter(i, "by").Item(j), *e)
		}
		if of != nil {
			w.By = append(w.By, ChangeBy{name, of})
		}
	}
	plan.Why = w
}

// explains reports whether values of a dimension can explain the change of m. Properties and names of events are those
// of single events, which only goals count.
func explains(m *ask.ChangedMetric, dimension string) bool {
	return m.Goal != nil || dimension != "event_name" && !strings.HasPrefix(dimension, ask.PropertyPrefix)
}

// checkWhyOptions adds to list what the options of a plan lack that explains a change, and those that it does not take.
func (v *resolver) checkWhyOptions(o *ask.GivenOptions, plan *Plan, list *ask.Issues) {
	if plan.Other == nil && len(list.Errors) == 0 {
		list.Add(o.At("compare"), ask.Error{Code: ask.BadRange,
			Message: plan.Type.Name + " compares two periods; add compare"})
	}
	if plan.Limit > ask.MaxWhyRows {
		list.Add(o.At("limit"), ask.Error{
			Message: fmt.Sprintf("must be between 1 and %d for %s, not %d", ask.MaxWhyRows, plan.Type.Name, plan.Limit)})
	}
	refuse := func(option string) {
		list.Add(o.At(option), ask.Error{Message: fmt.Sprintf("is not for %s", plan.Type.Name)})
	}
	if o.Page > 1 {
		refuse("page")
	}
	if o.Own("granularity") {
		refuse("granularity")
	}
}

// partOfWhy returns the plan of the metric of p by a dimension, or over all rows if it is empty; nil after a mistake.
func (v *resolver) partOfWhy(i int, p ask.Parameter, o ask.GivenOptions, dimension string, list *ask.Issues) *Plan {
	one := ask.Parameter{StartDate: p.StartDate, EndDate: p.EndDate, Options: p.Options}
	o.Limit, o.Page, o.SortBy, o.SortOrder, o.GroupBy, o.Totals = nil, 0, "", "", nil, nil
	if dimension != "" || p.Metric.Goal != nil {
		o.SortBy = catalog.DifferenceOrder // all rows, in no order
	}
	var ty *catalog.BoundType
	if goal := p.Metric.Goal; goal == nil {
		one.Metrics = []ask.ChosenMetric{{Name: p.Metric.Name}}
		if dimension != "" {
			one.Dimensions = []string{dimension}
		}
		ty = v.types.Choose(catalog.DatasetNamed(ask.DefaultDataset), &one, i, list)
	} else {
		counted := *goal
		counted.Name, counted.Value = "goal", ""
		if one.Goals = []ask.Goal{counted}; dimension != "" {
			o.GroupBy = []string{dimension}
		}
		if ty = v.types.Goals(); ty == nil {
			list.Add(ask.InParameter(i, "metric"), ask.Error{Message: "no query type of this program counts goals"})
		}
	}
	if ty == nil {
		return nil
	}
	found := v.plan(i, one, ty, o, list)
	if len(list.Errors) > 0 {
		return nil
	}
	return found
}
