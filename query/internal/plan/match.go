package plan

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// wholeValue reports whether op compares values and not parts of them.
func wholeValue(op ask.Op) bool {
	return op == ask.Eq || op == ask.Ne || op == ask.In || op == ask.NotIn
}

// byPattern reports whether op takes a regular expression.
func byPattern(op ask.Op) bool { return op == ask.Matches || op == ask.NotMatches }

// A Row says what conditions ask about a row.
type Row struct {
	Value func(*catalog.Field) expr.Expr // what the row has of a field
	Did   func(*Did) expr.Expr           // whether its session or visitor did something; nil where nothing asks that
}

// Holds is c as an expression over a row.
func (c Condition) Holds(row Row) expr.Expr {
	if c.Did != nil {
		return row.Did(c.Did)
	}
	if c.Group == Leaf {
		negated := c.Negated()
		e := c.match(row.Value(c.Field))
		if c.Field.Letters != nil && !wholeValue(c.Op) {
			letters := row.Value(c.Field.Letters)
			e = expr.Or(e, expr.And(expr.Ne(letters, expr.Lit("")), c.compare(letters, c.Values)))
		}
		if negated {
			return expr.Not(e)
		}
		return e
	}
	parts := make([]expr.Expr, len(c.Parts))
	for i, part := range c.Parts {
		parts[i] = part.Holds(row)
	}
	switch c.Group {
	case AnyOf:
		return expr.Or(parts...)
	case NoneOf:
		return expr.Not(expr.Or(parts...))
	}
	return expr.And(parts...)
}

// Negated makes a negative operator the positive one.
func (c *Condition) Negated() bool {
	positive, ok := catalog.Opposite(c.Op)
	if ok {
		c.Op = positive
	}
	return ok
}

// Passes reports whether a row with these values of fields passes c, as the expression of Holds does. No leaf of c may
// ask what else people did.
func (c Condition) Passes(value func(*catalog.Field) string) bool {
	passes := func(part Condition) bool { return part.Passes(value) }
	switch c.Group {
	case AllOf:
		return !slices.ContainsFunc(c.Parts, func(part Condition) bool { return !passes(part) })
	case AnyOf:
		return slices.ContainsFunc(c.Parts, passes)
	case NoneOf:
		return !slices.ContainsFunc(c.Parts, passes)
	}
	return c.Negated() != c.matches(value(c.Field))
}

func (c Condition) matches(value string) bool {
	switch c.Field.Match {
	case catalog.ByCountry:
		return slices.Contains(c.Codes, value)
	case catalog.ByReferrer:
		if slices.Contains(c.Codes, value) || wholeValue(c.Op) {
			return slices.Contains(c.Codes, value)
		}
		return c.holds(value) || c.holds(address.Shown(value))
	case catalog.AnyCase:
		if c.Op != ask.Matches {
			value = strings.ToLower(value)
		}
	}
	return c.holds(value)
}

// holds reports whether value is, or has a part, as c says of one of its texts.
func (c Condition) holds(value string) bool {
	return slices.ContainsFunc(c.Values, func(part string) bool { return compares(c.Op, value, part) })
}

// compares reports whether a text is, or has a part, as a positive operator says.
func compares(op ask.Op, value, part string) bool {
	switch op {
	case ask.Contains:
		return strings.Contains(value, part)
	case ask.StartsWith:
		return strings.HasPrefix(value, part)
	case ask.EndsWith:
		return strings.HasSuffix(value, part)
	case ask.Matches:
		found, err := regexp.MatchString(part, value)
		return found && err == nil
	}
	return value == part
}

func (c Condition) match(value expr.Expr) expr.Expr {
	if c.Op == ask.Exists || ordered(c.Op) {
		return c.matchProperty(value)
	}
	switch c.Field.Match {
	case catalog.ByCountry:
		return c.inCodes(value)
	case catalog.ByReferrer:
		if wholeValue(c.Op) {
			return c.inCodes(value)
		}
		return expr.Or(c.compare(value, c.Values), c.inCodes(value))
	case catalog.AnyCase:
		if c.Op != ask.Matches {
			value = expr.Call(dialect.Lower, value)
		}
	}
	return c.compare(value, c.Values)
}

// inCodes binds a separate list for each comparison of c with a value.
func (c Condition) inCodes(value expr.Expr) expr.Expr { return inList(value, slices.Clone(c.Codes)) }

func (c Condition) compare(value expr.Expr, values []string) expr.Expr {
	part, ok := catalog.PartOperation(c.Op)
	if !ok {
		return inList(value, values)
	}
	var any []expr.Expr
	for _, v := range values {
		any = append(any, expr.Call(part, value, expr.Arg(dialect.Text, v)))
	}
	return expr.Or(any...)
}

func inList(value expr.Expr, values []string) expr.Expr {
	if len(values) == 1 {
		return expr.Eq(value, expr.Arg(dialect.Text, values[0]))
	}
	return expr.Call(dialect.InList, value, expr.Arg(dialect.Texts, values))
}

// isPart reports whether what c asks for is a part of name, for texts in any case.
func (c Condition) isPart(name string) bool {
	c.Negated()
	if c.Op == ask.Matches {
		return compares(c.Op, name, c.Values[0])
	}
	return compares(c.Op, strings.ToLower(name), strings.ToLower(c.Values[0]))
}
