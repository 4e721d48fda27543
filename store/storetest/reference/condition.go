package reference

import (
	"regexp"
	"slices"
)

// A condition is a filter in the form in which it is compared with rows.
type condition struct {
	Filter                 // with the values in the form of the stored texts
	pattern *regexp.Regexp // of matches and not_matches
	limit   int64          // of gt, gte, lt and lte, in ten-thousandths
	none    bool           // the value of gt, gte, lt or lte is no decimal
	parts   []*condition   // of And, Or and Not
	deed    *deed          // of Did
}

// A deed is an action in the form in which it is compared with rows.
type deed struct {
	what    *condition // on the name, path or address of the event; nil means any pageview or custom event
	pick    func(*row) bool
	filters []*condition
}

// A scope has the rows of other events, for filters on what else a visitor did in the range.
type scope struct {
	site   *site
	period *period
}

// prepare returns the conditions of filters, which were checked.
func (n *names) prepare(filters []Filter) []*condition {
	var list []*condition
	for _, f := range filters {
		list = append(list, n.condition(f))
	}
	return list
}

func (n *names) condition(f Filter) *condition {
	c := &condition{Filter: f}
	switch {
	case f.And != nil:
		c.parts = n.prepare(f.And)
	case f.Or != nil:
		c.parts = n.prepare(f.Or)
	case f.Not != nil:
		c.parts = n.prepare([]Filter{*f.Not})
	case f.Did != nil:
		c.deed = n.deed(&f.Did.Action)
	case f.Op == "matches" || f.Op == "not_matches":
		c.pattern = regexp.MustCompile(f.Values[0]) // checked before
	case slices.Contains([]string{"gt", "gte", "lt", "lte"}, f.Op):
		n, ok := decimalOfText(f.Values[0])
		c.limit, c.none = n, !ok
	default:
		c.Values = n.stored(f)
	}
	return c
}

// deed returns the events that an action describes. Nil describes all pageviews and custom events.
func (n *names) deed(a *Action) *deed {
	d := &deed{pick: func(r *row) bool { return r.kind == pageview || r.named() }}
	if a == nil {
		return d
	}
	on := func(field string, t *Text, pick func(*row) bool) {
		if t != nil {
			d.what, d.pick = n.condition(Filter{Field: field, Op: t.Op, Values: t.Values}), pick
		}
	}
	on("event_name", a.Event, (*row).named)
	on("path", a.Page, of(pageview))
	on("href", a.Click, of(click))
	d.filters = n.prepare(a.Filters)
	return d
}

// is reports whether r is one of the events of d. Events with $ names never are.
func (n *names) is(d *deed, r *row) bool {
	if !r.counted() || !d.pick(r) || d.what != nil && !n.holds(d.what, r, scope{}) {
		return false
	}
	return n.allHold(d.filters, r, scope{})
}

func (n *names) allHold(list []*condition, r *row, in scope) bool {
	for _, c := range list {
		if !n.holds(c, r, in) {
			return false
		}
	}
	return true
}

// holds reports whether c holds for r.
func (n *names) holds(c *condition, r *row, in scope) bool {
	isPart := func(part *condition) bool { return n.holds(part, r, in) }
	switch {
	case c.And != nil:
		return n.allHold(c.parts, r, in)
	case c.Or != nil:
		return slices.ContainsFunc(c.parts, isPart)
	case c.Not != nil:
		return !isPart(c.parts[0])
	case c.Did != nil:
		return n.done(c, r, in)
	}
	if key, ok := propertyKey(c.Field); ok && slices.Contains(PropertyOperators(), c.Op) {
		return c.holdsFor(r.values[key])
	}
	return n.compares(c, r.get(c.Field))
}

// holdsFor reports whether c, with an operator for properties only, holds for a property.
func (c *condition) holdsFor(p propertyValue) bool {
	switch c.Op {
	case "exists":
		return p.kind != noProperty
	case "not_exists":
		return p.kind == noProperty
	}
	n, ok := decimalOf(p)
	if !ok || c.none {
		return false
	}
	switch c.Op {
	case "gt":
		return n > c.limit
	case "gte":
		return n >= c.limit
	case "lt":
		return n < c.limit
	default:
		return n <= c.limit
	}
}

// done reports whether the session or the visitor of r did what c says.
func (n *names) done(c *condition, r *row, in scope) bool {
	if c.Did.In != "range" {
		return r.filed != nil && slices.ContainsFunc(r.filed.events, func(e *row) bool { return n.is(c.deed, e) })
	}
	return r.Visitor() != "" && slices.ContainsFunc(in.site.byVisitor[r.Visitor()], func(e *row) bool {
		return in.period.holds(e.at) && n.is(c.deed, e)
	})
}

// fields returns the fields of all leaves of f, except those about other events.
func (f Filter) fields() []string {
	var list []string
	for _, part := range f.parts() {
		list = append(list, part.fields()...)
	}
	if f.Field != "" {
		list = append(list, f.Field)
	}
	return list
}

// parts returns the filters of a group.
func (f Filter) parts() []Filter {
	list := slices.Concat(f.And, f.Or)
	if f.Not != nil {
		list = append(list, *f.Not)
	}
	return list
}

// asksDeeds reports whether f asks what else somebody did.
func (f Filter) asksDeeds() bool {
	return f.Did != nil || slices.ContainsFunc(f.parts(), Filter.asksDeeds)
}
