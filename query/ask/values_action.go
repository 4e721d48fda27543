package ask

import (
	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/internal/synonym"
)

// This file reads what query types ask about in addition to filters: actions, goals, steps, and metrics of the caller's
// choice. Fields are functions, since actions have filters, and filters have actions.

// fieldsOf returns the fields of an object that has an action, with depth groups around it, and further fields.
func fieldsOf[T any](depth int, of func(*T) *Action, more ...body.Field[T]) body.Fields[T] {
	text := func(name string, field func(*Action) **Text) body.Field[T] {
		return body.Custom(name, func(t *T) **Text { return field(of(t)) }, readTextTest)
	}
	return body.Of(append([]body.Field[T]{
		text("event", func(a *Action) **Text { return &a.Event }),
		text("page", func(a *Action) **Text { return &a.Page }),
		text("click", func(a *Action) **Text { return &a.Click }),
		body.Custom("filters", func(t *T) *[]Filter { return &of(t).Filters },
			func(m body.Mistakes, at FieldPath, v body.Value, into *[]Filter) { *into = readGroup(m, at, v, depth) }),
	}, more...)...).Knowing(synonym.OfNames())
}

// readAction reads an action outside of filters.
func readAction(m body.Mistakes, at FieldPath, v body.Value, into **Action) {
	body.ReadObject(m, at, v, fieldsOf(0, func(a *Action) *Action { return a }), into)
}

func didMembers(depth int) body.Fields[Did] {
	return fieldsOf(depth, func(d *Did) *Action { return &d.Action },
		body.Text("in", func(d *Did) *string { return &d.In }))
}

func goalMembers() body.Fields[Goal] {
	return fieldsOf(0, func(g *Goal) *Action { return &g.Action },
		body.Text("name", func(g *Goal) *string { return &g.Name }),
		body.Text("value", func(g *Goal) *string { return &g.Value }))
}

func stepMembers() body.Fields[Step] {
	return fieldsOf(0, func(s *Step) *Action { return &s.Action },
		body.Text("name", func(s *Step) *string { return &s.Name }))
}

func exclusionMembers() body.Fields[Exclusion] {
	return fieldsOf(0, func(e *Exclusion) *Action { return &e.Action },
		body.Custom("after", func(e *Exclusion) *int { return &e.After }, readStep),
		body.Custom("before", func(e *Exclusion) *int { return &e.Before }, readStep))
}

// readStep reads the number of a step.
func readStep(m body.Mistakes, at FieldPath, v body.Value, into *int) {
	var number *int
	if body.ReadWhole(m, at, v, &number); number != nil {
		*into = *number
	}
}

// metricMembers are the fields of a metric that is not only a name.
var metricMembers = body.Of(
	body.Text("metric", func(m *ChosenMetric) *string { return &m.Name }),
	body.Text("property", func(m *ChosenMetric) *string { return &m.Property }),
	body.Text("as", func(m *ChosenMetric) *string { return &m.As }),
).Knowing(synonym.OfNames())

// readMetrics reads an array of metrics, each by its name or as an object.
func readMetrics(m body.Mistakes, at FieldPath, v body.Value, into *[]ChosenMetric) {
	if v.Kind() != "an array" {
		body.WrongKind(m, at, `an array of metrics, such as ["visitors"]`, v)
		return
	}
	items := v.Items()
	all := make([]ChosenMetric, min(len(items), MaxMetrics))
	for i, item := range items[:len(all)] {
		switch item.Kind() {
		case "a string":
			all[i].Name, _ = item.Text()
		case "an object":
			metricMembers.Into(m, at.Item(i), item, &all[i])
		default:
			m.Wrong(at.Item(i), mistake.Want("the name of a metric or an object", item.Kind()), "")
		}
	}
	body.AtMost(m, at, "metrics", MaxMetrics, len(items))
	*into = all
}

// A sentText is a test of a text, and what is known of its values.
type sentText struct {
	Text
	sent sentValues
}

// textMembers are the fields of a test of a text.
var textMembers = body.Of(
	body.Text("op", func(t *sentText) *string { return (*string)(&t.Op) }),
	body.Custom("value", func(t *sentText) *sentText { return t },
		func(m body.Mistakes, at FieldPath, v body.Value, t *sentText) {
			t.Values, t.sent = readValues(m, at, v)
		}),
).Knowing(synonym.OfNames())

// readTextTest reads a text, which stands for the same with eq, or an operator with its value.
func readTextTest(m body.Mistakes, at FieldPath, v body.Value, into **Text) {
	if s, ok := v.Text(); ok {
		*into = &Text{Op: Eq, Values: []string{s}}
		return
	}
	if v.Kind() != "an object" {
		body.WrongKind(m, at, `a text or an object such as {"op":"starts_with","value":"/docs"}`, v)
		return
	}
	var t sentText
	textMembers.Into(m, at, v, &t)
	checkSent(m, at.Member("value"), t.Op, t.sent)
	*into = &t.Text
}
