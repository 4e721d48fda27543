package ask

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A Funnel is the chain of steps that a parameter asks about.
type Funnel struct {
	Steps  []Step `json:"steps"`
	Window string `json:"window,omitempty"`
	Within string `json:"within,omitempty"`

	Order   string      `json:"order,omitempty"`
	Exclude []Exclusion `json:"exclude,omitzero"`
}

// A Library has what is saved by name for one subject, in the order in which answers show it, and which query types
// take it.
type Library struct {
	OfGoals, OfSteps []string // the query types that take goals, and those that take the steps of a funnel

	Goals    []Goal
	Funnels  map[string]Funnel
	Segments map[string][]Filter
}

// UsesSaved reports whether q names something that is saved: Parameter.Saved or Filter.Segment.
func (q *Request) UsesSaved() bool {
	if slices.ContainsFunc(q.Filters, hasSegment) {
		return true
	}
	return slices.ContainsFunc(q.Parameters, func(p Parameter) bool {
		return p.Saved != nil ||
			slices.ContainsFunc(p.actions(),
				func(a *Action) bool { return slices.ContainsFunc(a.Filters, hasSegment) }) ||
			slices.ContainsFunc(p.Filters, hasSegment)
	})
}

func hasSegment(f Filter) bool {
	return f.Segment != "" || slices.ContainsFunc(f.Parts(), hasSegment) || f.Did != nil &&
		slices.ContainsFunc(f.Did.Filters, hasSegment)
}

// actions are the actions that p asks about.
func (p *Parameter) actions() (all []*Action) {
	for i := range p.Goals {
		all = append(all, &p.Goals[i].Action)
	}
	for i := range p.Steps {
		all = append(all, &p.Steps[i].Action)
	}
	for i := range p.Exclude {
		all = append(all, &p.Exclude[i].Action)
	}
	for _, a := range []*Action{p.Start, p.Return} {
		if a != nil {
			all = append(all, a)
		}
	}
	if p.Metric != nil && p.Metric.Goal != nil {
		all = append(all, &p.Metric.Goal.Action)
	}
	return all
}

// Resolve returns q with what it names in l in place of the names, or all mistakes in the names. It shares memory with
// q only where nothing is replaced.
func (q *Request) Resolve(l *Library) (Request, Errors) {
	r := resolver{library: l}
	done := *q
	done.Filters = r.filters(InField("filters"), q.Filters)
	done.Parameters = slices.Clone(q.Parameters)
	for i := range done.Parameters {
		r.parameter(&done.Parameters[i], i)
	}
	return done, r.Sorted()
}

type resolver struct {
	Issues
	library *Library
}

func (r *resolver) parameter(p *Parameter, i int) {
	at := func(field string) FieldPath { return InParameter(i, field) }
	p.Filters = r.filters(at("filters"), p.Filters)
	p.Goals, p.Steps, p.Exclude = slices.Clone(p.Goals), slices.Clone(p.Steps), slices.Clone(p.Exclude)
	if p.Start != nil {
		p.Start = new(*p.Start)
	}
	if p.Return != nil {
		p.Return = new(*p.Return)
	}
	if p.Metric != nil && p.Metric.Goal != nil {
		goal := *p.Metric.Goal
		goal.Filters = r.filters(at("metric").Member("goal").Member("filters"), goal.Filters)
		p.Metric = &ChangedMetric{Goal: &goal}
	}
	if p.Saved != nil {
		r.saved(p, at("saved"))
	}
	for j := range p.Goals {
		p.Goals[j].Filters = r.filters(at("goals").Item(j).Member("filters"), p.Goals[j].Filters)
	}
	for j := range p.Steps {
		p.Steps[j].Filters = r.filters(at("steps").Item(j).Member("filters"), p.Steps[j].Filters)
	}
	for j := range p.Exclude {
		p.Exclude[j].Filters = r.filters(at("exclude").Item(j).Member("filters"), p.Exclude[j].Filters)
	}
	if p.Start != nil {
		p.Start.Filters = r.filters(at("start").Member("filters"), p.Start.Filters)
	}
	if p.Return != nil {
		p.Return.Filters = r.filters(at("return").Member("filters"), p.Return.Filters)
	}
}

// saved replaces p.Saved: by goals, which are added to those of p, or by the steps of a funnel.
func (r *resolver) saved(p *Parameter, at FieldPath) {
	names := p.Saved
	p.Saved = nil
	switch l := r.library; {
	case slices.Contains(l.OfGoals, p.Name):
		r.goals(p, names, at)
	case slices.Contains(l.OfSteps, p.Name):
		r.funnel(p, names, at)
	default:
		r.addText(at, "belongs to "+mistake.And(slices.Concat(l.OfGoals, l.OfSteps)...))
	}
}

func (r *resolver) goals(p *Parameter, names []string, at FieldPath) {
	if len(names) == 0 { // all of them
		if len(r.library.Goals) == 0 {
			r.addf(at, "no goals are saved for this website")
		}
		p.Goals = append(p.Goals, r.library.Goals...)
		return
	}
	known := make([]string, len(r.library.Goals))
	for i := range known {
		known[i] = r.library.Goals[i].Name
	}
	for _, name := range names {
		if i := slices.Index(known, name); i >= 0 {
			p.Goals = append(p.Goals, r.library.Goals[i])
		} else {
			r.unknown(at, "goal", name, known)
		}
	}
}

func (r *resolver) funnel(p *Parameter, names []string, at FieldPath) {
	switch {
	case len(names) != 1:
		r.addText(at, mistake.Want("the name of one funnel", "several"))
		return
	case p.Steps != nil:
		r.addf(at, "has the steps of a funnel, so steps must be left out")
		return
	}
	f, ok := r.library.Funnels[names[0]]
	if !ok {
		r.unknown(at, "funnel", names[0], keysOf(r.library.Funnels))
		return
	}
	p.Steps = slices.Clone(f.Steps)
	if p.Window == "" {
		p.Window = f.Window
	}
	if p.Within == "" {
		p.Within = f.Within
	}
	if p.Order == "" {
		p.Order = f.Order
	}
	if p.Exclude == nil {
		p.Exclude = slices.Clone(f.Exclude)
	}
}

// filters returns all with each segment as a group. Groups without a segment stay as they are.
func (r *resolver) filters(at FieldPath, all []Filter) []Filter {
	if !slices.ContainsFunc(all, hasSegment) {
		return all
	}
	all = slices.Clone(all)
	for i := range all {
		f, here := &all[i], at.Item(i)
		switch {
		case f.Segment != "":
			saved, ok := r.library.Segments[f.Segment]
			if !ok {
				r.unknown(here.Member("segment"), "segment", f.Segment, keysOf(r.library.Segments))
				continue
			}
			*f = Filter{And: saved}
		case f.And != nil:
			f.And = r.filters(here.Member("and"), f.And)
		case f.Or != nil:
			f.Or = r.filters(here.Member("or"), f.Or)
		case f.Not != nil:
			f.Not = &r.filters(here.Member("not"), []Filter{*f.Not})[0]
		case f.Did != nil:
			did := *f.Did
			did.Filters = r.filters(here.Member("did").Member("filters"), did.Filters)
			f.Did = &did
		}
	}
	return all
}

func (r *resolver) unknown(at FieldPath, what, name string, known []string) {
	r.Add(at, Unknown(Invalid, what, name, known))
}

func keysOf[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// CheckResolved adds a mistake for each saved goal, funnel or segment that q still names: the engine itself does not
// know them, and there are none of several websites.
func CheckResolved(q *Request, several bool, list *Issues) {
	why := notSaved
	if several {
		why = "is saved for one website, so it cannot be used with several"
	}
	refuse := func(at FieldPath, all []Filter) {
		if slices.ContainsFunc(all, hasSegment) {
			list.addText(at, why)
		}
	}
	refuse(InField("filters"), q.Filters)
	for i := range q.Parameters {
		p, at := &q.Parameters[i], func(field string) FieldPath { return InParameter(i, field) }
		if p.Saved != nil {
			list.addText(at("saved"), why)
		}
		refuse(at("filters"), p.Filters)
		for _, a := range p.actions() {
			refuse(at(""), a.Filters)
		}
	}
}

const notSaved = "nothing is saved by name here"

// CheckNoSegments adds a mistake if all has a segment. Use it for filters outside requests, such as those of keys.
func CheckNoSegments(at FieldPath, all []Filter, list *Issues) {
	if slices.ContainsFunc(all, hasSegment) {
		list.addText(at, notSaved)
	}
}

// checkSegment checks the name of a segment, wherever it stands.
func checkSegment(at FieldPath, name string, list *Issues) {
	if strings.TrimSpace(name) != name {
		list.addf(at, "must not begin or end with a blank")
	}
	checkText(at, name, list)
}
