package ask

import "github.com/sightline-analytics/sightline/internal/mistake"

// This file reads what query types ask about beside filters: actions, goals, steps, and metrics of the caller's choice.

// actionMembers are the fields of an object that has an action, with depth groups around it. They are a function, as
// those of filters are.
func actionMembers[T any](depth int, of func(*T) *Action) []member[T] {
	text := func(name string, field func(*Action) **Text) member[T] {
		return member[T]{name, func(r *reader, at FieldPath, v fieldValue,
			into *T) {
			*field(of(into)) = r.textTest(at, v)
		}}
	}
	return []member[T]{
		text("event", func(a *Action) **Text { return &a.Event }),
		text("page", func(a *Action) **Text { return &a.Page }),
		text("click", func(a *Action) **Text { return &a.Click }),
		{"filters", func(r *reader, at FieldPath, v fieldValue, into *T) { of(into).Filters = r.group(at, v, depth) }},
	}
}

func itself(a *Action) *Action { return a }

func didMembers(depth int) []member[Did] {
	return append(actionMembers(depth, func(d *Did) *Action { return &d.Action }),
		member[Did]{"in", text(func(d *Did) *string { return &d.In })})
}

func goalMembers() []member[Goal] {
	return append(actionMembers(0, func(g *Goal) *Action { return &g.Action }),
		member[Goal]{"name", text(func(g *Goal) *string { return &g.Name })},
		member[Goal]{"value", text(func(g *Goal) *string { return &g.Value })})
}

func stepMembers() []member[Step] {
	return append(actionMembers(0, func(s *Step) *Action { return &s.Action }),
		member[Step]{"name", text(func(s *Step) *string { return &s.Name })})
}

// metricMembers are the fields of a metric that is not only a name.
var metricMembers = []member[ChosenMetric]{
	{"metric", text(func(m *ChosenMetric) *string { return &m.Name })},
	{"property", text(func(m *ChosenMetric) *string { return &m.Property })},
	{"as", text(func(m *ChosenMetric) *string { return &m.As })},
}

// metrics reads an array of metrics, each by its name or as an object.
func (r *reader) metrics(at FieldPath, v fieldValue) []ChosenMetric {
	if v.kind() != "an array" {
		r.wrong(at, `an array of metrics, such as ["visitors"]`, v)
		return nil
	}
	items := v.items()
	all := make([]ChosenMetric, min(len(items), MaxMetrics))
	for i, item := range items[:len(all)] {
		switch item.kind() {
		case "a string":
			all[i].Name, _ = item.str()
		case "an object":
			readObject(r, metricMembers, at.Item(i), item, &all[i])
		default:
			r.addText(at.Item(i), mistake.Want("the name of a metric or an object", item.kind()))
		}
	}
	r.atMost(at, "metrics", MaxMetrics, len(items))
	return all
}

// textTest reads a text, which stands for the same with eq, or an operator with its value.
func (r *reader) textTest(at FieldPath, v fieldValue) *Text {
	if s, ok := v.str(); ok {
		return &Text{Op: Eq, Values: []string{s}}
	}
	type sentText struct {
		Text
		sent sentValues
	}
	if v.kind() != "an object" {
		r.wrong(at, `a text or an object such as {"op":"starts_with","value":"/docs"}`, v)
		return nil
	}
	var t sentText
	readObject(r, []member[sentText]{
		{"op", func(r *reader, at FieldPath, v fieldValue, t *sentText) { t.Op = Op(r.text(at, v)) }},
		{"value", func(r *reader, at FieldPath, v fieldValue, t *sentText) { t.Values, t.sent = r.values(at, v) }},
	}, at, v, &t)
	r.checkSent(at.Member("value"), t.Op, t.sent)
	return &t.Text
}
