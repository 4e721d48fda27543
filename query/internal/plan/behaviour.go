package plan

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
)

// A Behaviour is what goals, funnels, retention and paths ask about. Each has its own part of it; the others are empty.
type Behaviour struct {
	Goals         []Goal
	Steps         []FunnelStep
	Window        time.Duration // from the first event of a chain to its last; 0: no bound
	WithinSession bool          // the events of a chain belong to one session, and not only to one visitor
	AnyOrder      bool          // of the steps
	Exclude       []Exclusion   // not with AnyOrder
	Start, Return *Action       // nil: any pageview or custom event
	Rolling       bool          // a return counts in all periods up to its own
	From, To      *string       // nil: any path
}

// A Goal is an [ask.Goal] on the fields that it names.
type Goal struct {
	Name string
	Action
	Value string // the key of a property; empty: none
}

// A FunnelStep is an [ask.Step] on the fields that it names.
type FunnelStep struct {
	Name string
	Action
}

// An Exclusion is an [ask.Exclusion] on the fields that it names.
type Exclusion struct {
	Action
	After int // the place of the step before, from 0
}

// GoalNames are the names of the goals, in the order of the request.
func (v *Behaviour) GoalNames() []string {
	names := make([]string, len(v.Goals))
	for i, g := range v.Goals {
		names[i] = g.Name
	}
	return names
}

// behaviour gives plan what the i-th parameter p asks about. It adds mistakes to list: parts that the type does not
// take, and those that it lacks.
func behaviour(i int, p *ask.Parameter, plan *Plan, list *ask.Issues) {
	ty, given := plan.Type, p.Parts()
	for _, part := range given {
		if !ty.Takes(part) {
			list.Add(ask.InParameter(i, part), ask.Error{Message: fmt.Sprintf("is not for %s", ty.Name)})
		}
	}
	for _, part := range ty.Needs {
		if !slices.Contains(given, part) {
			list.Add(ask.InParameter(i, part), ask.Error{Message: fmt.Sprintf("is required by %s", ty.Name)})
		}
	}
	if len(list.Errors) > 0 || len(ty.Needs)+len(ty.MayHave) == 0 || ty.Explains() {
		return
	}
	b := &Behaviour{WithinSession: p.Within == ask.WithinSession, From: pathOf(p.From), To: pathOf(p.To),
		AnyOrder: p.Order == ask.AnyOrder, Rolling: p.Rolling != nil && *p.Rolling}
	at := func(field string) ask.FieldPath { return ask.InParameter(i, field) }
	for j := range p.Goals {
		g := &p.Goals[j]
		b.Goals = append(b.Goals, Goal{g.Name, actionOf(at("goals").Item(j), &g.Action, list), g.Value})
	}
	for j := range p.Steps {
		s := &p.Steps[j]
		step := FunnelStep{s.Name, actionOf(at("steps").Item(j), &s.Action, list)}
		if step.Name == "" {
			step.Name = s.Action.String()
		}
		b.Steps = append(b.Steps, step)
	}
	for j := range p.Exclude {
		e := &p.Exclude[j]
		b.Exclude = append(b.Exclude, Exclusion{actionOf(at("exclude").Item(j), &e.Action, list), e.After - 1})
	}
	b.Window, _ = ask.ParseWindow(p.Window)
	for _, one := range []struct {
		field string
		sent  *ask.Action
		into  **Action
	}{{"start", p.Start, &b.Start}, {"return", p.Return, &b.Return}} {
		if one.sent != nil {
			action := actionOf(at(one.field), one.sent, list)
			*one.into = &action
		}
	}
	plan.Behaviour = b
}

// ends returns what From and To leave of the rows.
func (v *Behaviour) ends() (found []Only) {
	if v != nil && v.From != nil {
		found = append(found, Only{catalog.FromColumn, *v.From})
	}
	if v != nil && v.To != nil {
		found = append(found, Only{catalog.ToColumn, *v.To})
	}
	return found
}

// pathOf is a path as stored ones are written; nil for nil.
func pathOf(sent *string) *string {
	if sent == nil {
		return nil
	}
	path := normalise(catalog.ByPath, ask.Eq, *sent)
	return &path
}

// appendKey appends a text that equal ones share and no others.
func (v *Behaviour) appendKey(b []byte) []byte {
	if v == nil {
		return append(b, '-')
	}
	b = keytext.Numbers(b, int64(len(v.Goals)), int64(len(v.Steps)), v.Window.Milliseconds(), int64(len(v.Exclude)))
	for _, truth := range []bool{v.WithinSession, v.AnyOrder, v.Rolling} {
		b = strconv.AppendBool(b, truth)
	}
	for _, e := range v.Exclude {
		b = e.Action.AppendKey(keytext.Numbers(b, int64(e.After)))
	}
	for _, g := range v.Goals {
		b = g.Action.AppendKey(keytext.Texts(b, g.Name, g.Value))
	}
	for _, s := range v.Steps {
		b = s.Action.AppendKey(keytext.Texts(b, s.Name))
	}
	for _, a := range []*Action{v.Start, v.Return} {
		if a == nil {
			b = append(b, '-')
			continue
		}
		b = a.AppendKey(append(b, '+'))
	}
	for _, path := range []*string{v.From, v.To} {
		if path == nil {
			b = append(b, '-')
			continue
		}
		b = keytext.Texts(append(b, '+'), *path)
	}
	return b
}
