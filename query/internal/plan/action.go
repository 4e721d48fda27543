package plan

import (
	"fmt"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// An Action is an [ask.Action] on the fields that it names.
type Action struct {
	Kind    store.EventKind
	Text    Condition   // on the name, the path or the address of the event
	Filters []Condition // on the event's own fields and properties
}

// Holds is true for the events under alias that a means.
func (a Action) Holds(event expr.Alias) expr.Expr {
	row := Row{Value: func(f *catalog.Field) expr.Expr { return f.Of(event) }}
	isKind := func(k store.EventKind) expr.Expr { return expr.Eq(expr.Col(event, "kind"), expr.Int(int64(k))) }
	all := []expr.Expr{isKind(a.Kind)}
	if a.Kind == store.Custom { // page events with names of their own are custom events, too
		all = []expr.Expr{expr.Or(isKind(store.PageEvent), isKind(store.Custom)),
			expr.Not(expr.Call(dialect.StartsWith, expr.Col(event, "name"), expr.Lit("$")))}
	}
	all = append(all, a.Text.Holds(row))
	for _, c := range a.Filters {
		all = append(all, c.Holds(row))
	}
	return expr.And(all...)
}

// AppendKey appends a text that equal actions share and no others.
func (a Action) AppendKey(b []byte) []byte {
	b = a.Text.AppendKey(keytext.Numbers(b, int64(a.Kind), int64(len(a.Filters))))
	for _, c := range a.Filters {
		b = c.AppendKey(b)
	}
	return b
}

// actionOf is a, which is at that place, on the fields that it names. It adds mistakes to list.
func actionOf(at ask.FieldPath, a *ask.Action, list *ask.Issues) Action {
	found := Action{Kind: store.Click, Filters: conditionsOf(eventField, a.Filters)}
	field, text := "href", a.Click
	switch {
	case a.Event != nil:
		found.Kind, field, text = store.Custom, "event_name", a.Event
	case a.Page != nil:
		found.Kind, field, text = store.Pageview, "path", a.Page
	}
	found.Text = ConditionOn(catalog.FieldNamed(field), ask.Filter{Field: field, Op: text.Op, Values: text.Values})
	if name := found.Text.Values[0]; found.Kind == store.Custom && text.Op == ask.Eq && strings.HasPrefix(name, "$") {
		found.Text.never = []never{{name, ""}} // see Holds
	}
	for i := range a.Filters {
		for here, f := range ask.Leaves(at.Member("filters").Item(i), &a.Filters[i]) {
			if list.Full() {
				return found
			}
			if eventField(f.Field) == nil {
				list.Add(here.Member("field"), ask.Refused(ask.BadFilter,
					fmt.Sprintf("an action cannot be filtered by %s", mistake.Quote(f.Field)), f.Field,
					catalog.EventFields()))
			}
		}
	}
	return found
}

// eventField returns the field called name that events have themselves, or nil.
func eventField(name string) *catalog.Field {
	if f := catalog.FieldNamed(name); f != nil && !f.Session && catalog.EventList.Has(f) {
		return f
	}
	return catalog.PropertyNamed(name)
}
