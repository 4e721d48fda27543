package query

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// holds is c as an expression over value, what a row has of c.Field. Negative
// operators are the negation of positive ones, so an absent value passes them.
func (c condition) holds(value expr.Expr) expr.Expr {
	switch c.Op {
	case Ne:
		c.Op = Eq
	case NotIn:
		c.Op = In
	case NotContains:
		c.Op = Contains
	default:
		return c.match(value)
	}
	return expr.Not(c.match(value))
}

func (c condition) match(value expr.Expr) expr.Expr {
	switch c.Field.Match {
	case byCountry:
		return c.oneOfNamed(value)
	case byReferrer:
		if wholeValue(c.Op) {
			return c.oneOfNamed(value)
		}
		return expr.Or(c.compare(value, []string{strings.ToLower(c.Values[0])}), c.oneOfNamed(value))
	case anyCase:
		return c.compare(expr.Call(dialect.Lower, value), c.Values)
	}
	return c.compare(value, c.Values)
}

// oneOfNamed binds a list of its own wherever c is held against a value.
func (c condition) oneOfNamed(value expr.Expr) expr.Expr { return oneOf(value, slices.Clone(c.named)) }

func (c condition) compare(value expr.Expr, values []string) expr.Expr {
	switch c.Op {
	case Contains:
		return expr.Call(dialect.Contains, value, expr.Arg(dialect.Text, values[0]))
	case StartsWith:
		return expr.Call(dialect.StartsWith, value, expr.Arg(dialect.Text, values[0]))
	}
	return oneOf(value, values)
}

func oneOf(value expr.Expr, values []string) expr.Expr {
	if len(values) == 1 {
		return expr.Eq(value, expr.Arg(dialect.Text, values[0]))
	}
	return expr.Call(dialect.OneOf, value, expr.Arg(dialect.Texts, values))
}

// countries are the codes that c names: by code or name in any case, or, for parts
// of texts, by name. The empty text stands for no country.
func (c condition) countries() []string {
	names, whole := c.names(), wholeValue(c.Op)
	found := []string{}
	if names("") {
		found = append(found, "")
	}
	for _, known := range country.All() {
		if names(known.Name) || whole && names(known.Code) {
			found = append(found, known.Code)
		}
	}
	return found
}

// names returns whether c, by a whole value or the part of one, names what is called so
// in any case.
func (c condition) names() func(name string) bool {
	part := strings.ToLower(c.Values[0])
	switch c.Op {
	case Contains, NotContains:
		return func(name string) bool { return strings.Contains(strings.ToLower(name), part) }
	case StartsWith:
		return func(name string) bool { return strings.HasPrefix(strings.ToLower(name), part) }
	}
	values := make(map[string]bool, len(c.Values))
	for _, v := range c.Values {
		values[strings.ToLower(v)] = true
	}
	return func(name string) bool { return values[strings.ToLower(name)] }
}

// domains are those of the sources that c names. Direct traffic has an empty one, and a
// source that is not listed is called like its domain.
func (c condition) domains() []string {
	names := c.names()
	found := []string{}
	byName := map[string][]string{}
	for _, src := range append([]referrer.Source{{Name: "direct"}}, referrer.Sources()...) {
		if names(src.Name) {
			lower := strings.ToLower(src.Name)
			found, byName[lower] = append(found, src.Domain), append(byName[lower], src.Domain)
		}
	}
	if !wholeValue(c.Op) {
		return found
	}
	found = found[:0]
	for _, v := range c.Values {
		found = append(append(found, referrer.Domain(v, "")), byName[strings.ToLower(v)]...)
	}
	return found
}
