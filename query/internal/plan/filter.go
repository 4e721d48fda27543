package plan

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// conditions are the filters of a request on the fields they name, once for all of its
// parameters, since names take time to look up. One on no field is empty, and refused later.
func conditions(types *catalog.Registry, all []ask.Filter) []Condition {
	found := make([]Condition, len(all))
	for i, f := range all {
		if field := types.FieldNamed(f.Field); field != nil {
			found[i] = ConditionOn(field, f)
		}
	}
	return found
}

// ConditionOn is f on a field, with its values in the form in which the field's own are
// compared.
func ConditionOn(field *catalog.Field, f ask.Filter) Condition {
	c := Condition{Field: field, Op: f.Op, Values: make([]string, len(f.Values)), OnEvents: !field.Session && catalog.EventList.Has(field)}
	for i, v := range f.Values {
		c.Values[i] = normalise(field.Match, f.Op, v)
	}
	switch field.Match {
	case catalog.ByCountry:
		c.Codes = c.countries()
	case catalog.ByReferrer:
		if !wholeValue(f.Op) {
			c.Values = partsOfSource(f.Values[0])
		}
		c.Codes = c.domains()
	case catalog.Exact, catalog.AnyCase, catalog.ByPath:
	}
	c.wrong = c.meaningless()
	return c
}

// normalise writes a value as the stored ones are written. Countries and sources keep
// theirs: what they are held against is more than a text.
func normalise(how catalog.Match, op ask.Op, value string) string {
	switch how {
	case catalog.AnyCase:
		return strings.ToLower(value)
	case catalog.ByPath:
		switch {
		case !wholeValue(op):
			return address.Decode(value)
		case value != "":
			return address.Path(value)
		}
	}
	return value
}

// partsOfSource returns the forms in which sources may contain a part of an address, a name or
// a text: without https://, http:// and www. at its beginning, as it is and in ASCII.
func partsOfSource(value string) []string {
	value = strings.ToLower(value)
	for _, scheme := range []string{"https://", "http://"} {
		if rest, ok := strings.CutPrefix(value, scheme); ok {
			value = rest
			break
		}
	}
	value = strings.TrimPrefix(value, "www.")
	return slices.Compact([]string{value, address.ASCII(value)})
}

// wholeValue reports whether op compares values and not parts of them.
func wholeValue(op ask.Op) bool {
	return op == ask.Eq || op == ask.Ne || op == ask.In || op == ask.NotIn
}

// Holds is c as an expression over value, what a row has of c.Field.
func (c Condition) Holds(value expr.Expr) expr.Expr {
	if c.Negated() {
		return expr.Not(c.match(value))
	}
	return c.match(value)
}

// negations are the positive operators of which negative ones are the negation, so that an absent value passes these.
var negations = map[ask.Op]ask.Op{ask.Ne: ask.Eq, ask.NotIn: ask.In, ask.NotContains: ask.Contains}

// Negated makes a negative operator the positive one.
func (c *Condition) Negated() bool {
	positive, ok := negations[c.Op]
	if ok {
		c.Op = positive
	}
	return ok
}

// Passes reports whether a row with value passes c, as the expression of holds does.
func (c Condition) Passes(value string) bool { return c.Negated() != c.matches(value) }

func (c Condition) matches(value string) bool {
	switch c.Field.Match {
	case catalog.ByCountry:
		return slices.Contains(c.Codes, value)
	case catalog.ByReferrer:
		if slices.Contains(c.Codes, value) || wholeValue(c.Op) {
			return slices.Contains(c.Codes, value)
		}
	case catalog.AnyCase:
		value = strings.ToLower(value)
	}
	switch c.Op {
	case ask.Contains:
		return slices.ContainsFunc(c.Values, func(part string) bool { return strings.Contains(value, part) })
	case ask.StartsWith:
		return slices.ContainsFunc(c.Values, func(part string) bool { return strings.HasPrefix(value, part) })
	}
	return slices.Contains(c.Values, value)
}

func (c Condition) match(value expr.Expr) expr.Expr {
	switch c.Field.Match {
	case catalog.ByCountry:
		return c.inCodes(value)
	case catalog.ByReferrer:
		if wholeValue(c.Op) {
			return c.inCodes(value)
		}
		return expr.Or(c.compare(value, c.Values), c.inCodes(value))
	case catalog.AnyCase:
		return c.compare(expr.Call(dialect.Lower, value), c.Values)
	}
	return c.compare(value, c.Values)
}

// inCodes binds a separate list for each comparison of c with a value.
func (c Condition) inCodes(value expr.Expr) expr.Expr { return inList(value, slices.Clone(c.Codes)) }

func (c Condition) compare(value expr.Expr, values []string) expr.Expr {
	part, ok := map[ask.Op]dialect.Op{ask.Contains: dialect.Contains, ask.StartsWith: dialect.StartsWith}[c.Op]
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

// countries by code, after none: that one's code and name are empty.
var countries = append([]country.Country{{}}, country.All()...)

// countries returns the codes that c names: by code or usual name, or, for parts of texts, by
// English name.
func (c Condition) countries() []string {
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
		if code, ok := country.Code(v); ok || v == "" {
			found = append(found, code)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// domains returns the stored sources that c names: domains, and texts of campaigns. The stored
// source of direct traffic is empty. A value of a whole comparison may be an address, a host, a
// name or a text, and is also taken as it is, so that a value copied from a row finds it.
func (c Condition) domains() []string {
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
		found = append(found, sourcesNamed(v)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// sourcesNamed returns the stored sources that a whole value names.
func sourcesNamed(value string) []string {
	given := strings.TrimPrefix(strings.ToLower(value), "https://")
	if given == "" || given == "direct" {
		return []string{""}
	}
	found := []string{given}
	if host := referrer.Host(value); host != "" {
		found = append(found, host, referrer.Domain(value, ""))
	}
	if src, ok := referrer.Named(value); ok {
		found = append(found, src.Domain)
	}
	return found
}

// meaningless returns the values of c that name no country or no referrer: they would find no
// row, or all but none.
func (c Condition) meaningless() []string {
	var found []string
	if !wholeValue(c.Op) {
		return nil
	}
	for _, v := range c.Values {
		switch c.Field.Match {
		case catalog.ByCountry:
			if _, ok := country.Code(v); !ok && v != "" {
				found = append(found, v)
			}
		case catalog.ByReferrer:
			if v != "" && referrer.Host(v) == "" && (strings.IndexAny(v, "/?#") == 0 || strings.Contains(v, "://")) {
				found = append(found, v)
			}
		case catalog.Exact, catalog.AnyCase, catalog.ByPath:
		}
	}
	return found
}

// refuse adds the meaningless values of c to list.
func (c Condition) refuse(at ask.FieldPath, code ask.Code, list *ask.Issues) {
	for _, v := range c.wrong {
		if list.Full() { // looking for suggestions takes time
			return
		}
		e := ask.Error{Code: code, Message: ask.Quote(v) + " is not a referrer: use a host such as news.example, the name of a source such as Google, the text of a campaign, or direct"}
		if c.Field.Match == catalog.ByCountry {
			e = ask.Error{Code: code, Message: ask.Quote(v) + " is not a country", Suggestion: mistake.Nearest(v, countryNames(), nil)}
			if e.Suggestion != "" {
				e.Message += "; did you mean " + ask.Quote(e.Suggestion) + "?"
			}
		}
		list.Add(at.Member("value"), e)
	}
}

// CheckAccessFilter adds the mistakes in the i-th mandatory filter of an access to list.
func CheckAccessFilter(i int, f ask.Filter, list *ask.Issues) {
	at, before := ask.InField("filters").Item(i), len(list.Errors)
	ask.CheckFilter(at, f, list)
	if field := catalog.FieldNamed(f.Field); field != nil && len(list.Errors) == before {
		ConditionOn(field, f).refuse(at, ask.Invalid, list)
	}
}

// countryNames returns the English names of all countries.
func countryNames() []string {
	names := make([]string, 0, len(countries))
	for _, c := range countries[1:] {
		names = append(names, c.Name)
	}
	return names
}

// isPart reports whether the part of a name that c asks for is in name, in any case.
func (c Condition) isPart(name string) bool {
	name, part := strings.ToLower(name), strings.ToLower(c.Values[0])
	if c.Op == ask.StartsWith {
		return strings.HasPrefix(name, part)
	}
	return strings.Contains(name, part)
}
