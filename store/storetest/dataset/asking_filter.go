package dataset

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// fields lists the fields by which a question may be filtered.
type fields struct {
	names      []string
	properties bool
	deeds      bool // what people did
}

// addGroups adds groups of filters to q, or replaces its filters.
func (a *asker) addGroups(q *reference.Question, f fields) {
	if a.chance(25) {
		return
	}
	if !a.kind.NeedsSession && a.chance(50) {
		q.Filters = nil
	}
	q.Filters = append(q.Filters, a.tree(f, 0))
	if a.chance(20) {
		q.Filters = append(q.Filters, a.tree(f, 0))
	}
}

// tree returns a filter with depth groups around it.
func (a *asker) tree(f fields, depth int) reference.Filter {
	n := a.IntN(100)
	if depth >= 5 || n >= 47 {
		return a.leaf(f, depth)
	}
	var parts []reference.Filter
	for range 1 + a.IntN(3) {
		parts = append(parts, a.tree(f, depth+1))
	}
	switch {
	case n < 25:
		return reference.Filter{Or: parts}
	case n < 35:
		return reference.Filter{And: parts}
	default:
		return reference.Filter{Not: &parts[0]}
	}
}

func (a *asker) leaf(f fields, depth int) reference.Filter {
	switch n := a.IntN(100); {
	case n < 25 && f.properties:
		return a.propertyLeaf()
	case n < 50 && f.deeds:
		return reference.Filter{Did: a.deed(depth)}
	case n < 75:
		return a.textLeaf(pickFrom(a, f.names))
	default:
		return a.filter(pickFrom(a, f.names))
	}
}

// Key returns random filters of a key, of which one is a group: on sessions, or on rows.
func (w *Dataset) Key(rng *rand.Rand) []reference.Filter {
	a := &asker{Rand: rng, dataset: w, kind: reference.Type{Kind: store.KindWebsite}, asking: true}
	f := fields{properties: true, deeds: true,
		names: append(reference.SessionFields(), "path", "path", "title", "event_name", "namespace", "profile_id",
			"session_id")}
	for {
		a.anchor = a.sampleOf(a.another())
		if key := a.mandatoryGroup(f); key[0].Field == "" && key[0].Did == nil {
			return key
		}
	}
}

// mandatoryGroup returns a group of a key, on sessions or on rows.
func (a *asker) mandatoryGroup(f fields) []reference.Filter {
	session := fields{deeds: f.deeds}
	row := fields{properties: f.properties}
	for _, name := range f.names {
		switch {
		case slices.Contains(sessionFields, name):
			session.names = append(session.names, name)
		case name != "message" && name != "error_type" && name != "metric_name":
			row.names = append(row.names, name)
		}
	}
	one := row
	if len(row.names) == 0 || len(session.names) > 0 && a.chance(60) {
		one = session
	}
	if len(one.names) == 0 {
		return nil
	}
	tree := a.tree(one, 1)
	withoutRange(&tree)
	return []reference.Filter{tree}
}

// withoutRange replaces actions in the range by actions in the session.
func withoutRange(f *reference.Filter) {
	for i := range f.And {
		withoutRange(&f.And[i])
	}
	for i := range f.Or {
		withoutRange(&f.Or[i])
	}
	if f.Not != nil {
		withoutRange(f.Not)
	}
	if f.Did != nil {
		f.Did.In = "session"
	}
}

// textLeaf returns a condition with an operator that older questions do not have.
func (a *asker) textLeaf(field string) reference.Filter {
	op := pickFrom(a, []string{"ends_with", "not_starts_with", "not_ends_with", "matches", "matches", "not_matches"})
	from := a.anchor
	if strings.HasPrefix(op, "not_") == a.chance(90) {
		from = a.someoneElse(field, strings.HasPrefix(op, "not_"))
	}
	v := strings.ReplaceAll(from.text[field], "\x00", "")
	return reference.Filter{Field: field, Op: op, Values: []string{a.partFor(op, field, v)}}
}

// partFor returns a part of a value for an operator.
func (a *asker) partFor(op, field, v string) string {
	switch {
	case strings.HasSuffix(op, "matches"):
		return a.pattern(field, v)
	case strings.HasSuffix(op, "ends_with"):
		v = a.shownAs(field, v)
		letters := []rune(v)
		if len(letters) == 0 {
			return v
		}
		return cutText(string(letters[a.IntN(len(letters)):]), 300)
	case op == "eq" || op == "ne" || op == "in" || op == "not_in":
		return cutText(v, 300)
	}
	return cutText(a.part(field, v, strings.HasSuffix(op, "starts_with")), 300)
}

// shownAs returns the text of a value that filters on parts look at.
func (a *asker) shownAs(field, v string) string {
	switch {
	case field == "country":
		return countries[v]
	case field == "referrer" && named[v] != "" && a.chance(40):
		return named[v]
	}
	return v
}

// pattern returns a regular expression that usually matches a value.
func (a *asker) pattern(field, v string) string {
	v = cutText(a.shownAs(field, v), 60)
	part := a.part("", v, false)
	quoted := regexp.QuoteMeta(part)
	return pickFrom(a, []string{
		quoted, quoted, "^" + regexp.QuoteMeta(v) + "$", "(?i)" + regexp.QuoteMeta(strings.ToUpper(part)),
		strings.ToUpper(quoted),
		"^" + quoted, quoted + "$", "(" + quoted + "|signup)", "^$", "^.+$", `\d`, `[A-Z]`, `\p{L}{4,}`, `^[^/]*$`,
		`(?s)a.*b`, `\bdocs\b`, "(" + quoted + "){2}", `%|_`,
	})
}

// cutText returns the beginning of a text.
func cutText(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most])
	}
	return text
}

// propertyLeaf returns a condition on a property.
func (a *asker) propertyLeaf() reference.Filter {
	key, v := a.property()
	f := reference.Filter{Field: "property:" + key}
	switch n := a.IntN(100); {
	case n < 20:
		f.Op = pickFrom(a, []string{"exists", "not_exists"})
		if a.chance(60) { // keys whose values are often null or empty
			f.Field = pickFrom(a, []string{"property:total", "property:plan"})
		}
		return f
	case n < 35:
		f.Field, f.Op = "property:total", pickFrom(a, []string{"gt", "gte", "lt", "lte"})
		f.Values = []string{a.total()}
		return f
	case n < 50:
		f.Field, f.Op = "property:"+a.numberKey(), pickFrom(a, []string{"gt", "gte", "lt", "lte"})
		f.Values = []string{pickFrom(a, []string{
			"0", "-1", "1", "5", "12.3456", "12.34555", " 19.99 ", "19.9900", "1000", "999999999", "-999999999",
			"0.0001", "0.00005", "1000000000", "x", "", "true",
		})}
		return f
	}
	f.Op = pickFrom(a, reference.TextOperators())
	if v == "" && a.chance(70) {
		v = pickFrom(a, []string{"pro", "1", "signup"})
	}
	f.Values = []string{a.partFor(f.Op, "", v)}
	if f.Op == "in" || f.Op == "not_in" {
		_, other := a.property()
		f.Values = append(f.Values, cutText(other, 300))
	}
	return f
}

// property returns the key of a property of an event, and the text of its value.
func (a *asker) property() (key, text string) {
	if a.chance(8) {
		return pickFrom(a, []string{"missing", "Plan", "a.b", "plan ", strings.Repeat("k", 128)}), ""
	}
	for range 100 {
		var all map[string]json.RawMessage
		e := pickFrom(a, a.events())
		if json.Unmarshal([]byte(e.Properties), &all) != nil || len(all) == 0 {
			continue
		}
		var keys []string
		for k := range all {
			if k != "" && utf8.RuneCountInString(k) <= 128 {
				keys = append(keys, k)
			}
		}
		if len(keys) == 0 {
			continue
		}
		slices.Sort(keys)
		key = pickFrom(a, keys)
		if json.Unmarshal(all[key], &text) != nil {
			text = string(all[key])
		}
		return key, strings.ReplaceAll(text, "\x00", "")
	}
	return "plan", "pro"
}

// total returns the number of an order, at which comparisons change.
func (a *asker) total() string {
	if a.chance(50) {
		return pickFrom(a, []string{"19.99", "19.99", "19.9900", "19.98995"})
	}
	for range 1000 {
		var one struct {
			Total json.Number `json:"total"`
		}
		e := pickFrom(a, a.events())
		if e.Name != "" && json.Unmarshal([]byte(e.Properties), &one) == nil && one.Total != "" &&
			!strings.ContainsAny(one.Total.String(), "eE") {
			return one.Total.String()
		}
	}
	return "12.3456"
}

// propertyField returns a property as a field, often the plan.
func (a *asker) propertyField() string {
	if a.chance(50) {
		return "property:plan"
	}
	key, _ := a.property()
	return "property:" + key
}

// numberKey returns the key of a property that often is a decimal.
func (a *asker) numberKey() string {
	if a.chance(10) {
		return "missing"
	}
	return pickFrom(a, []string{"total", "total", "total", "total", "price", "qty", "n", "a", "plan"})
}

// deed returns what a session or a visitor did.
func (a *asker) deed(depth int) *reference.Did {
	return &reference.Did{Action: a.action(depth),
		In: pickFrom(a, []string{"", "session", "session", "range", "range"})}
}

// action returns the events that a goal, a step or a filter with depth groups around it is about.
func (a *asker) action(depth int) reference.Action {
	events := a.events()
	e := pickFrom(a, events)
	for range 20 {
		if e.Kind != store.Exit && (e.Kind != store.Pageview || a.chance(40)) {
			break
		}
		e = pickFrom(a, events)
	}
	op := "eq"
	if a.chance(35) {
		op = pickFrom(a, reference.TextOperators())
	}
	text := func(field, v string) *reference.Text {
		return &reference.Text{Op: op, Values: []string{a.partFor(op, field, strings.ReplaceAll(v, "\x00", ""))}}
	}
	var action reference.Action
	switch {
	case e.Kind == store.Pageview:
		action.Page = text("path", e.Path)
	case e.Kind == store.Click:
		action.Click = text("href", e.Href)
	case a.chance(40):
		action.Event = text("event_name", pickFrom(a, []string{signup, orderPaid}))
	default:
		action.Event = text("event_name", e.Name)
	}
	if a.chance(25) {
		action.Filters = []reference.Filter{a.tree(fields{names: []string{"path", "title", "event_name", "namespace",
			"profile_id", "session_id"}, properties: true}, max(depth, 3))}
	}
	return action
}
