package ask

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// DefaultDataset is the dataset of a choice of metrics that names none.
const DefaultDataset = "pageviews"

// A ChosenMetric is one column of a parameter that chooses its own.
type ChosenMetric struct {
	// of the dataset, or with Property one of sum, avg, min, max, median, p75, p90, p95, p99, count, distinct
	Name     string
	Property string // the key of a property; empty: a metric of the dataset
	As       string // the name of the column, of letters, digits and _; empty: Name, or with Property NAME_KEY
}

// An Action says which events are meant: those that pass the one of Event, Page and Click that is not nil, and all
// Filters. Custom events whose names begin with $ are never meant.
type Action struct {
	Event   *Text    `json:"event,omitempty"`  // the name of a custom event
	Page    *Text    `json:"page,omitempty"`   // the path of a pageview
	Click   *Text    `json:"click,omitempty"`  // the address of a clicked link
	Filters []Filter `json:"filters,omitzero"` // on fields of rows and on properties; groups are allowed
}

// A Text is a test of a text.
type Text struct {
	Op     Op // one of TextOperators
	Values []string
}

// A Goal is an action whose events and visitors are counted.
type Goal struct {
	Name string `json:"name,omitempty"` // required, and different from those of the other goals
	Action
	Value string `json:"value,omitempty"` // the key of a property whose decimals are added up; empty: none
}

// A Step is one of a funnel.
type Step struct {
	Name string `json:"name,omitempty"` // empty means what the step matches: Action.String
	Action
}

// An Exclusion is an event that ends the chains of a funnel: a chain with such an event between its events of two
// neighbouring steps does not count.
type Exclusion struct {
	Action
	After  int `json:"after"`  // the number of the step before, from 1
	Before int `json:"before"` // the number of the step behind: After + 1
}

// String returns what a matches, without its filters: the text, or the operator and the text.
func (a *Action) String() string {
	for _, t := range []*Text{a.Event, a.Page, a.Click} {
		switch {
		case t == nil:
		case t.Op == Eq:
			return strings.Join(t.Values, ",")
		default:
			return string(t.Op) + " " + strings.Join(t.Values, ",")
		}
	}
	return ""
}

// The values of Parameter.Within: to whom the events of a chain belong.
const (
	WithinVisitor = "visitor"
	WithinSession = "session"
)

// AnyOrder is the value of Parameter.Order of a funnel whose steps count in any order.
const AnyOrder = "any"

// MaxWindow is the longest window of a funnel.
const MaxWindow = 90 * 24 * time.Hour

// ParseWindow returns the window of a funnel, which is a whole number followed by m, h or d, from 1m to 90d.
func ParseWindow(text string) (window time.Duration, ok bool) {
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}
	if text == "" {
		return 0, false
	}
	unit := units[text[len(text)-1]]
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 32)
	if err != nil || unit == 0 || n == 0 || n > uint64(MaxWindow/unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// columnName is what callers may call columns.
var columnName = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// checkChoice adds the mistakes in the metrics and dimensions that p, the i-th parameter, chooses.
func checkChoice(p *Parameter, i int, list *Issues) {
	at := func(field string) FieldPath { return InParameter(i, field) }
	checkText(at("dataset"), p.Dataset, list)
	if p.Dataset != "" && len(p.Metrics) == 0 || p.Metrics != nil && len(p.Metrics) == 0 {
		list.addf(at("metrics"), "must name at least one metric")
	}
	body.AtMost(list, at("metrics"), "metrics", MaxMetrics, len(p.Metrics))
	for j, m := range p.Metrics[:min(len(p.Metrics), MaxMetrics)] {
		m.check(at("metrics").Item(j), list)
	}
	if p.Dimensions != nil && p.Metrics == nil {
		list.addf(at("dimensions"), "belong to metrics; a query type takes groupBy")
	}
	body.AtMost(list, at("dimensions"), "dimensions", MaxDimensions, len(p.Dimensions))
	for j, name := range p.Dimensions[:min(len(p.Dimensions), MaxDimensions)] {
		checkField(at("dimensions").Item(j), name, list)
	}
}

func (m *ChosenMetric) check(at FieldPath, list *Issues) {
	if m.Name == "" {
		list.addf(at, "must name a metric")
	}
	checkText(at.Member("metric"), m.Name, list)
	checkKey(at.Member("property"), m.Property, list)
	if m.As != "" && !columnName.MatchString(m.As) {
		list.addText(at.Member("as"), mistake.Want("1 to 64 letters, digits or _", mistake.Quote(m.As)))
	}
}

// checkKey checks the key of a property, which may be absent.
func checkKey(at FieldPath, key string, list *Issues) {
	if _, ok := PropertyKey(PropertyPrefix + key); !ok && key != "" {
		list.addf(at, "may have at most %d characters", maxKey)
	}
	checkText(at, key, list)
}

// checkSubjects adds the mistakes in what p, the i-th parameter, asks about: goals, steps, start and return, from and
// to.
func checkSubjects(p *Parameter, i int, list *Issues) {
	at := func(field string) FieldPath { return InParameter(i, field) }
	if p.Goals != nil && len(p.Goals) == 0 {
		list.addf(at("goals"), "must have at least one goal")
	}
	body.AtMost(list, at("goals"), "goals", MaxGoals, len(p.Goals))
	leaves := countLeaves(p.Filters)
	for j := range p.Goals[:min(len(p.Goals), MaxGoals)] {
		checkGoal(at("goals"), p.Goals, j, list)
		leaves += countLeaves(p.Goals[j].Filters)
	}
	if p.Steps != nil && len(p.Steps) < MinSteps {
		list.addf(at("steps"), "must have at least %d steps, not %d", MinSteps, len(p.Steps))
	}
	body.AtMost(list, at("steps"), "steps", MaxSteps, len(p.Steps))
	for j := range p.Steps[:min(len(p.Steps), MaxSteps)] {
		checkText(at("steps").Item(j).Member("name"), p.Steps[j].Name, list)
		p.Steps[j].check(at("steps").Item(j), 0, list)
		leaves += countLeaves(p.Steps[j].Filters)
	}
	if _, ok := ParseWindow(p.Window); !ok && p.Window != "" {
		list.addText(at("window"),
			mistake.Want("a whole number of m, h or d from 1m to 90d, such as 7d", mistake.Quote(p.Window)))
	}
	if p.Within != "" && p.Within != WithinVisitor && p.Within != WithinSession {
		list.Add(at("within"), Unknown(Invalid, "owner of events", p.Within, []string{WithinVisitor, WithinSession}))
	}
	if p.Order != "" && p.Order != AnyOrder {
		list.Add(at("order"), Unknown(Invalid, "order", p.Order, []string{AnyOrder}))
	}
	if p.Order == AnyOrder && p.Exclude != nil {
		list.addf(at("exclude"), "needs steps in their order; leave out order")
	}
	body.AtMost(list, at("exclude"), "exclusions", MaxExclusions, len(p.Exclude))
	for j := range p.Exclude[:min(len(p.Exclude), MaxExclusions)] {
		checkExclusion(at("exclude").Item(j), &p.Exclude[j], len(p.Steps), list)
		leaves += countLeaves(p.Exclude[j].Filters)
	}
	if p.Start != nil {
		p.Start.check(at("start"), 0, list)
		leaves += countLeaves(p.Start.Filters)
	}
	if p.Return != nil {
		p.Return.check(at("return"), 0, list)
		leaves += countLeaves(p.Return.Filters)
	}
	if p.From != nil {
		checkText(at("from"), *p.From, list)
	}
	if p.To != nil {
		checkText(at("to"), *p.To, list)
	}
	if leaves > MaxFilters {
		list.addf(at(""), "may have at most %d filters, counted with those of goals and steps, not %d", MaxFilters,
			leaves)
	}
}

// checkExclusion adds the mistakes in an exclusion of a funnel with so many steps, or with saved ones if that is 0.
func checkExclusion(at FieldPath, e *Exclusion, steps int, list *Issues) {
	e.check(at, 0, list)
	last := MaxSteps - 1
	if steps > 0 {
		last = steps - 1
	}
	if e.After < 1 || e.After > last {
		list.addf(at.Member("after"), "must be the number of a step, from 1 to %d, not %d", last, e.After)
	}
	if e.Before != e.After+1 {
		list.addf(at.Member("before"), "must be after + 1, not %d", e.Before)
	}
}

// checkGoal adds the mistakes in the i-th of goals.
func checkGoal(at FieldPath, goals []Goal, i int, list *Issues) {
	g, here := &goals[i], at.Item(i)
	if g.Name == "" {
		list.addText(here.Member("name"), mistake.Required)
	}
	checkText(here.Member("name"), g.Name, list)
	checkKey(here.Member("value"), g.Value, list)
	g.check(here, 0, list)
	for j := range i {
		if goals[j].Name == g.Name && g.Name != "" {
			list.addf(here.Member("name"), "is that of goals[%d], too: %s", j, mistake.Quote(g.Name))
		}
	}
}

// check adds the mistakes in a, which has depth groups around it.
func (a *Action) check(at FieldPath, depth int, list *Issues) {
	given := 0
	test := func(name string, t *Text) {
		if t != nil {
			given++
			checkValues(at.Member(name), t.Op, t.Values, TextOperators(), list)
		}
	}
	test("event", a.Event)
	test("page", a.Page)
	test("click", a.Click)
	if given != 1 {
		list.addf(at, "must have exactly one of event, page and click, not %d", given)
	}
	if n := countLeaves(a.Filters); n > MaxFilters {
		list.addText(at.Member("filters"), mistake.AtMost(MaxFilters, "filters", n))
		return
	}
	for i := range a.Filters {
		checkFilter(at.Member("filters").Item(i), &a.Filters[i], filterPlace{depth, true}, list)
	}
}

func (d *Did) check(at FieldPath, depth int, list *Issues) {
	d.Action.check(at, depth, list)
	if d.In != "" && d.In != InSession && d.In != InRange {
		list.Add(at.Member("in"), Unknown(Invalid, "place of events", d.In, []string{InSession, InRange}))
	}
}

// Parts are the names of what p asks about beside its name, options and a choice of metrics, such as goals, steps and
// window.
func (p *Parameter) Parts() []string {
	var names []string
	add := func(name string, given bool) {
		if given {
			names = append(names, name)
		}
	}
	add("goals", p.Goals != nil)
	add("steps", p.Steps != nil)
	add("window", p.Window != "")
	add("within", p.Within != "")
	add("order", p.Order != "")
	add("exclude", p.Exclude != nil)
	add("start", p.Start != nil)
	add("return", p.Return != nil)
	add("rolling", p.Rolling != nil)
	add("from", p.From != nil)
	add("to", p.To != nil)
	return append(names, p.Why.Parts()...)
}
