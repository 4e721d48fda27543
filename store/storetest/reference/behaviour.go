package reference

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

const (
	mostGoals   = 20
	mostSteps   = 10
	mostCohorts = 60 // buckets of retention
)

// BehaviourTypes returns the types that ask what people do, goals, goals_trends, funnel, retention and paths, and why.
func BehaviourTypes() []Type {
	list := []Type{
		{
			Name: "goals", GroupBy: groupable(), answer: (*evaluation).goals,
			Columns: slices.Concat(columns(Name, "name"),
				metrics("visitors", "conversions", "conversion_rate", "value", "avg_value")),
		},
		{
			Name: "goals_trends", Series: true, answer: (*evaluation).goalTrends,
			Columns: slices.Concat(columns(Date, "date"), columns(Name, "name"),
				metrics("visitors", "conversions", "value")),
		},
		{
			Name: "funnel", GroupBy: groupable(), fixed: true, answer: (*evaluation).funnel,
			Columns: slices.Concat(columns(Code, "step"), columns(Name, "name"),
				metrics("visitors", "conversion_rate", "step_rate", "dropoff", "median_seconds")),
		},
		{
			Name: "retention", Series: true, answer: (*evaluation).retention,
			Columns: slices.Concat(columns(Date, "date"), columns(Code, "period"),
				metrics("cohort_size", "visitors", "percentage")),
		},
		{
			Name: "paths", GroupBy: groupable(), answer: (*evaluation).paths, Columns: slices.Concat(
				columns(Name, "from_path", "to_path"), metrics("transitions", "sessions", "visitors", "percentage")),
		},
		{Name: "why", Columns: whyColumns(), fixed: true},
	}
	for i := range list {
		list[i].Kind, list[i].Filters = store.KindWebsite, SessionFields()
		list[i].bySession, list[i].noTotals = true, true
		if list[i].Name == "why" {
			list[i].Filters, list[i].bySession = rowFields(), false
		}
	}
	return list
}

// groupsGoals reports whether goals may be grouped by a field: a field of sessions, a property or the event's name.
func groupsGoals(field string) bool {
	_, property := propertyKey(field)
	return property || field == "event_name" || slices.Contains(sessionFields, field)
}

// checkParts checks the parts of q that only some types have. q asks for the type t.
func (t *Type) checkParts(q *Question) error {
	actions, err := t.actions(q)
	if err != nil {
		return err
	}
	n := leaves(q.Filters)
	for _, a := range actions {
		if err := a.check(0); err != nil {
			return err
		}
		n += leaves(a.Filters)
	}
	if n > mostLeaves {
		return fmt.Errorf("%w: %d leaves", ErrFilter, n)
	}
	_, err = q.window()
	switch {
	case err != nil:
		return err
	case !slices.Contains([]string{"", "visitor", "session"}, q.Within):
		return fmt.Errorf("%w: within %q", ErrPart, q.Within)
	case t.Name == "retention" && q.Grain == "hourly":
		return fmt.Errorf("%w: retention by hour", ErrPart)
	case !t.flagFilters() || !slices.ContainsFunc(q.Filters, mixesOutcomes):
		return nil
	}
	return fmt.Errorf("%w: a group selects both exposures and outcomes", ErrFilter)
}

func (t *Type) flagFilters() bool { return t.Name == "flag_outcomes" }

// mixesOutcomes reports whether f is about the name or namespace of outcomes and about something else.
func mixesOutcomes(f Filter) bool {
	fields := f.fields()
	return !f.choosesOutcomes() && (slices.Contains(fields, "event_name") || slices.Contains(fields, "namespace"))
}

// actions returns the actions of q, as far as the type has them.
func (t *Type) actions(q *Question) ([]*Action, error) {
	var list []*Action
	names := map[string]bool{}
	for i := range q.Goals {
		g := &q.Goals[i]
		if g.Name == "" || names[g.Name] {
			return nil, fmt.Errorf("%w: goals need different names", ErrPart)
		}
		names[g.Name] = true
		list = append(list, &g.Action)
	}
	for i := range q.Steps {
		list = append(list, &q.Steps[i].Action)
	}
	for i := range q.Exclude {
		list = append(list, &q.Exclude[i].Action)
	}
	for _, a := range []*Action{q.Start, q.Return} {
		if a != nil {
			list = append(list, a)
		}
	}
	if q.Why != nil && q.Why.Goal != nil {
		list = append(list, q.Why.Goal)
	}
	least, most := map[string]int{"goals": 1, "goals_trends": 1}[t.Name], mostGoals
	if n := len(q.Goals); n < least || n > most {
		return nil, fmt.Errorf("%w: %d goals", ErrPart, n)
	}
	least, most = map[string]int{"funnel": 2}[t.Name], mostSteps
	if n := len(q.Steps); n < least || n > most {
		return nil, fmt.Errorf("%w: %d steps", ErrPart, n)
	}
	return list, nil
}

// window returns the longest time from the first step of a funnel to the last in milliseconds, or 0 for no bound.
func (q *Question) window() (int64, error) {
	if q.Window == "" {
		return 0, nil
	}
	digits, unit := q.Window[:len(q.Window)-1], q.Window[len(q.Window)-1:]
	n, err := strconv.ParseUint(digits, 10, 32)
	of := map[string]time.Duration{"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[unit]
	if window := time.Duration(n) * of; err == nil && window >= time.Minute && window <= 90*24*time.Hour {
		return window.Milliseconds(), nil
	}
	return 0, fmt.Errorf("%w: window %q", ErrPart, q.Window)
}

// deeds returns the events of the steps of q.
func (a *evaluation) deeds() []*deed {
	var list []*deed
	for i := range a.q.Steps {
		list = append(list, a.names.deed(&a.q.Steps[i].Action))
	}
	return list
}
