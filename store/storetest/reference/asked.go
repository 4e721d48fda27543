package reference

import (
	"fmt"
	"strings"
)

// A Metric is one column of a choice of metrics.
type Metric struct {
	Name     string // a metric of the dataset, or with Property one of PropertyMetrics
	Property string // the key of a property; empty means a metric of the dataset
	As       string // the name of the column; empty means Name, or Name_Property for a property
}

// An Action describes events: the events that match the one of Event, Page and Click that is not nil, and all
// Filters.
type Action struct {
	Event   *Text // the name of a custom event
	Page    *Text // the path of a pageview
	Click   *Text // the address of a clicked link
	Filters []Filter
}

// A Text is a condition on a text.
type Text struct {
	Op     string // an operator for texts
	Values []string
}

// A Goal is an action whose events and visitors are counted.
type Goal struct {
	Name string
	Action
	Value string // the key of a property whose decimals are added up; may be empty
}

// A Step is one step of a funnel.
type Step struct {
	Name string // empty means the text of the action
	Action
}

// An Exclusion is an action that ends a chain between step After, counted from 1, and the next one.
type Exclusion struct {
	Action
	After int
}

// Did is a condition on the other events of a row's session or visitor.
type Did struct {
	Action
	In string // session or range; empty means session
}

// PropertyMetrics lists the metrics of a property.
func PropertyMetrics() []string {
	return []string{"sum", "avg", "min", "max", "median", "p75", "p90", "p95", "p99", "count", "distinct"}
}

// Column returns the name of m's column.
func (m Metric) Column() string {
	switch {
	case m.As != "":
		return m.As
	case m.Property == "":
		return m.Name
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, m.Name+"_"+m.Property)
}

// String returns what a matches without its filters: the text, or the operator and the text.
func (a Action) String() string {
	for _, t := range []*Text{a.Event, a.Page, a.Click} {
		switch {
		case t == nil:
		case t.Op == "eq":
			return strings.Join(t.Values, ",")
		default:
			return t.Op + " " + strings.Join(t.Values, ",")
		}
	}
	return ""
}

// describe returns a with its filters, for failure messages.
func (a Action) describe() string {
	text := "nothing"
	for kind, t := range map[string]*Text{"event": a.Event, "page": a.Page, "click": a.Click} {
		if t != nil {
			text = fmt.Sprintf("%s %s %q", kind, t.Op, t.Values)
		}
	}
	for _, f := range a.Filters {
		text += fmt.Sprintf(" with %v", f)
	}
	return text
}

// describe returns the parts of q that only choices of metrics and some types have, for failure messages.
func (q Question) describe() string {
	var b strings.Builder
	for _, m := range q.Metrics {
		fmt.Fprintf(&b, ", metric %+v", m)
	}
	if len(q.Dimensions) > 0 {
		fmt.Fprintf(&b, ", dimensions %q", q.Dimensions)
	}
	if q.Totals {
		b.WriteString(", totals")
	}
	for _, g := range q.Goals {
		fmt.Fprintf(&b, ", goal %q is %s of %q", g.Name, g.describe(), g.Value)
	}
	for _, s := range q.Steps {
		fmt.Fprintf(&b, ", step %q is %s", s.Name, s.describe())
	}
	for name, text := range map[string]string{"window": q.Window, "within": q.Within, "order": q.Order} {
		if text != "" {
			fmt.Fprintf(&b, ", %s %s", name, text)
		}
	}
	for _, e := range q.Exclude {
		fmt.Fprintf(&b, ", excluding %s after step %d", e.describe(), e.After)
	}
	if q.Rolling {
		b.WriteString(", rolling")
	}
	if w := q.Why; w != nil {
		fmt.Fprintf(&b, ", why %s by %q", w.Metric, w.By)
		if w.Goal != nil {
			b.WriteString(", of " + w.Goal.describe())
		}
		if w.MinWeight != nil {
			fmt.Fprintf(&b, ", weight %g", *w.MinWeight)
		}
		fmt.Fprintf(&b, ", %d per dimension", w.PerDimension)
	}
	for name, a := range map[string]*Action{"start": q.Start, "return": q.Return} {
		if a != nil {
			fmt.Fprintf(&b, ", %s is %s", name, a.describe())
		}
	}
	for name, path := range map[string]*string{"from": q.From, "to": q.To} {
		if path != nil {
			fmt.Fprintf(&b, ", %s %q", name, *path)
		}
	}
	return b.String()
}
