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
func (c Condition) holds(value expr.Expr) expr.Expr {
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

func (c Condition) match(value expr.Expr) expr.Expr {
	switch c.Field.Match {
	case Country:
		return oneOf(value, c.countries())
	case ReferrerSite:
		return c.matchReferrer(value)
	case Folded:
		return c.compare(expr.Call(dialect.Lower, value), c.Values)
	}
	return c.compare(value, c.Values)
}

func (c Condition) compare(value expr.Expr, values []string) expr.Expr {
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
func (c Condition) countries() []string {
	found := []string{}
	if c.accepts("", "") {
		found = append(found, "")
	}
	for _, known := range country.All() {
		if c.accepts(known.Code, known.Name) {
			found = append(found, known.Code)
		}
	}
	return found
}

func (c Condition) accepts(code, name string) bool {
	switch c.Op {
	case Contains:
		return strings.Contains(strings.ToLower(name), strings.ToLower(c.Values[0]))
	case StartsWith:
		return strings.HasPrefix(strings.ToLower(name), strings.ToLower(c.Values[0]))
	}
	return slices.ContainsFunc(c.Values, func(v string) bool {
		return strings.EqualFold(v, code) || strings.EqualFold(v, name)
	})
}

// matchReferrer holds c against the domain of a source and its name. Names are in
// the list of sources, so they become domains here; a source that is not listed is
// called like its domain.
func (c Condition) matchReferrer(domain expr.Expr) expr.Expr {
	if c.Op == Contains || c.Op == StartsWith {
		part := strings.ToLower(c.Values[0])
		test := strings.Contains
		if c.Op == StartsWith {
			test = strings.HasPrefix
		}
		named := namedSources(func(name string) bool { return test(name, part) })
		return expr.Or(c.compare(domain, []string{part}), oneOf(domain, named))
	}
	domains := []string{}
	for _, v := range c.Values {
		domains = append(domains, referrer.Domain(v, ""))
		lower := strings.ToLower(v)
		domains = append(domains, namedSources(func(name string) bool { return name == lower })...)
	}
	return oneOf(domain, domains)
}

// namedSources are the domains of the sources whose name, in lower case, passes. That of
// direct traffic is empty.
func namedSources(passes func(name string) bool) []string {
	found := []string{}
	if passes("direct") {
		found = append(found, "")
	}
	for _, src := range referrer.Sources() {
		if passes(strings.ToLower(src.Name)) {
			found = append(found, src.Domain)
		}
	}
	return found
}
