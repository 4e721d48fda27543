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
func (c condition) oneOfNamed(value expr.Expr) expr.Expr { return oneOf(value, slices.Clone(c.codes)) }

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

// countries by code, after none: that one's code and name are empty.
var countries = append([]country.Country{{}}, country.All()...)

// countries are the codes that c names: by code or name in any case, or, for parts of
// texts, by name.
func (c condition) countries() []string {
	found := []string{}
	if !wholeValue(c.Op) {
		for _, known := range countries {
			if c.isPart(known.Name) {
				found = append(found, known.Code)
			}
		}
		return found
	}
	for _, v := range c.Values {
		is := func(known country.Country) bool {
			return strings.EqualFold(v, known.Code) || strings.EqualFold(v, known.Name)
		}
		if at := slices.IndexFunc(countries, is); at >= 0 {
			found = append(found, countries[at].Code)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// domains are those of the sources that c names. Direct traffic has an empty one, and a
// source that is not listed is called like its domain.
func (c condition) domains() []string {
	found := []string{}
	if !wholeValue(c.Op) {
		for _, src := range append([]referrer.Source{{Name: "direct"}}, referrer.Sources()...) {
			if c.isPart(src.Name) {
				found = append(found, src.Domain)
			}
		}
		return found
	}
	for _, v := range c.Values {
		found = append(found, referrer.Domain(v, ""))
		if strings.ToLower(v) == "direct" {
			found = append(found, "")
		} else if src, ok := referrer.Named(v); ok {
			found = append(found, src.Domain)
		}
	}
	return found
}

// isPart reports whether the part of a name that c asks for is in name, in any case.
func (c condition) isPart(name string) bool {
	name, part := strings.ToLower(name), strings.ToLower(c.Values[0])
	if c.Op == StartsWith {
		return strings.HasPrefix(name, part)
	}
	return strings.Contains(name, part)
}
