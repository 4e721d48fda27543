package flags

import (
	"regexp"
	"slices"
	"strings"
)

// A matcher is a prepared rule: the way of matching is chosen, and lists are stored as sets.
type matcher struct {
	enabled bool
	on      Attribute
	field   string
	matches func(m *matcher, c *Context) bool

	operator Operator
	value    any
	text     string // text of value
	pattern  *regexp.Regexp
	limit    float64
	split    split            // for percentages
	values   map[any]struct{} // the set of values or batch values
	batch    []string
}

// compile returns the matcher of r. The package documentation lists the cases. The first one that fits is used.
func compile(r *Rule, percentage split, known patterns) matcher {
	m := matcher{enabled: r.Enabled, on: r.On, field: r.Field, operator: r.Operator, value: scalar(r.Value),
		matches: never}
	m.text = textOf(m.value)
	limit, numeric := m.value.(float64)
	switch {
	case r.Batch && len(r.BatchValues) > 0:
		m.batch, m.values, m.matches = r.BatchValues, setOf(r.BatchValues), matchBatch
	case r.Operator.readsValue() && (r.On == OnUserID || r.On == OnEmail || r.On == OnProperty && r.Field != ""):
		if m.matches = matchRead; r.Operator == Matches {
			m.pattern = known.of(m.value)
		}
	case r.On == OnUserID || r.On == OnEmail:
		m.values, m.matches = setOf(r.Values), matchID
	case r.On == OnProperty && r.Field != "":
		m.values, m.matches = setOf(r.Values), matchProperty
	case r.On == OnProperty && numeric:
		m.limit, m.split, m.matches = limit, percentage, matchPercentage
	}
	return m
}

func never(*matcher, *Context) bool { return false }

func matchPercentage(m *matcher, c *Context) bool { return m.split.below(c.person(), m.limit) }

// subject returns the text of the attribute that m compares, and whether it is present.
func (m *matcher) subject(c *Context) (string, bool) {
	switch m.on {
	case OnUserID:
		return c.UserID, c.UserID != ""
	case OnEmail:
		return c.Email, c.Email != ""
	}
	v := c.property(m.field)
	return textOf(v), v != nil
}

func matchBatch(m *matcher, c *Context) bool {
	text, there := m.subject(c)
	_, in := m.values[text]
	switch m.operator {
	case In, Equals:
		return there && in
	case NotIn:
		return !there || !in
	}
	return there && slices.ContainsFunc(m.batch, func(v string) bool { return compare(m.operator, text, v) })
}

func matchID(m *matcher, c *Context) bool {
	text, there := m.subject(c)
	if !there {
		return false
	}
	_, in := m.values[text]
	switch m.operator {
	case In:
		return in
	case NotIn:
		return !in
	}
	value, ok := m.value.(string)
	return ok && compare(m.operator, text, value)
}

func matchProperty(m *matcher, c *Context) bool {
	v := c.property(m.field)
	switch m.operator {
	case Exists:
		return v != nil
	case NotExists:
		return v == nil
	case In:
		return m.lists(v)
	case NotIn:
		return !m.lists(v)
	case Equals:
		return isScalar(v) && v == m.value
	case Contains:
		return v != nil && m.value != nil && strings.Contains(textOf(v), m.text)
	}
	return false
}

// lists reports whether v equals one of the values.
func (m *matcher) lists(v any) bool {
	if !isScalar(v) {
		return false
	}
	_, in := m.values[v]
	return in
}

// compare applies a text operator.
func compare(o Operator, text, with string) bool {
	switch o {
	case Equals:
		return text == with
	case Contains:
		return strings.Contains(text, with)
	case StartsWith:
		return strings.HasPrefix(text, with)
	case EndsWith:
		return strings.HasSuffix(text, with)
	}
	return false
}

// isScalar reports whether v has a type with equality.
func isScalar(v any) bool {
	switch v.(type) {
	case string, float64, bool:
		return true
	}
	return false
}

// setOf returns the set of values in list that have equality; nil for an empty list.
func setOf[T any](list []T) map[any]struct{} {
	if len(list) == 0 {
		return nil
	}
	set := make(map[any]struct{}, len(list))
	for _, one := range list {
		if v := scalar(one); isScalar(v) {
			set[v] = struct{}{}
		}
	}
	return set
}
