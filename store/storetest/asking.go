package storetest

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// answeredShapes lists the shapes that the engine answers.
var answeredShapes = []string{"type", "type by property", "did", "all_time", "choice", "totals", "goals",
	"goals_trends", "paths", "retention", "funnel", "why"}

// shapes returns what q asks: the name of its type, choice or type, and also totals, did, all_time and type by property
// if it has them.
func shapes(q reference.Question) []string {
	var found []string
	switch {
	case q.Metrics != nil:
		found = append(found, "choice")
	case slices.ContainsFunc(reference.BehaviourTypes(), func(t reference.Type) bool { return t.Name == q.Type }):
		found = append(found, q.Type)
	default:
		found = append(found, "type")
		if slices.ContainsFunc(q.GroupBy,
			func(field string) bool { return strings.HasPrefix(field, query.PropertyPrefix) }) {
			found = append(found, "type by property")
		}
	}
	if q.Totals {
		found = append(found, "totals")
	}
	if q.Preset == reference.AllTime {
		found = append(found, "all_time")
	}
	if slices.ContainsFunc(slices.Concat(q.Filters, q.Mandatory), asksDeeds) {
		found = append(found, "did")
	}
	return found
}

func asksDeeds(f reference.Filter) bool {
	return f.Did != nil || f.Not != nil && asksDeeds(*f.Not) ||
		slices.ContainsFunc(slices.Concat(f.And, f.Or), asksDeeds)
}

// asking returns random questions about the dataset of a seed that the engine answers: all of them, or questions with
// this shape only.
func asking(seed uint64, only string) iter.Seq[reference.Question] {
	return func(yield func(reference.Question) bool) {
		w := dataset.New(seed)
		rng := rand.New(rand.NewPCG(seed, 3))
		for {
			q := w.Asking(rng)
			of := shapes(q)
			if slices.ContainsFunc(of, func(shape string) bool { return !slices.Contains(answeredShapes, shape) }) ||
				only != "" && !slices.Contains(of, only) {
				continue
			}
			if !yield(q) {
				return
			}
		}
	}
}

// Example returns a parameter with the type called name, and with all that such a parameter must have: see
// [reference.Example].
func Example(name string) query.Parameter {
	p, example := query.Parameter{Name: name}, reference.Example(name)
	giveParts(&p, example)
	p.Compare = query.Compare(example.Compare)
	return p
}

// giveParts gives p what q asks beside its type and options.
func giveParts(p *query.Parameter, q reference.Question) {
	p.Dataset, p.Dimensions, p.Window, p.Within, p.From, p.To = q.Dataset, q.Dimensions, q.Window, q.Within, q.From,
		q.To
	for _, m := range q.Metrics {
		p.Metrics = append(p.Metrics, query.ChosenMetric(m))
	}
	for i := range q.Goals {
		p.Goals = append(p.Goals,
			query.Goal{Name: q.Goals[i].Name, Action: *queryAction(&q.Goals[i].Action), Value: q.Goals[i].Value})
	}
	for i := range q.Steps {
		p.Steps = append(p.Steps, query.Step{Name: q.Steps[i].Name, Action: *queryAction(&q.Steps[i].Action)})
	}
	for i := range q.Exclude {
		e := &q.Exclude[i]
		p.Exclude = append(p.Exclude,
			query.Exclusion{Action: *queryAction(&e.Action), After: e.After, Before: e.After + 1})
	}
	p.Order = q.Order
	p.Start, p.Return = queryAction(q.Start), queryAction(q.Return)
	if q.Rolling {
		p.Rolling = new(true)
	}
	if w := q.Why; w != nil {
		p.Metric = &query.ChangedMetric{Name: w.Metric}
		if w.Goal != nil {
			p.Metric = &query.ChangedMetric{Goal: &query.Goal{Action: *queryAction(w.Goal)}}
		}
		p.By, p.MinWeight, p.PerDimension = w.By, w.MinWeight, w.PerDimension
	}
}

// queryAction returns a as the engine takes it, and nil for nil.
func queryAction(a *reference.Action) *query.Action {
	if a == nil {
		return nil
	}
	text := func(t *reference.Text) *query.Text {
		if t == nil {
			return nil
		}
		return &query.Text{Op: query.Op(t.Op), Values: t.Values}
	}
	return &query.Action{Event: text(a.Event), Page: text(a.Page), Click: text(a.Click),
		Filters: queryFilters(a.Filters)}
}
