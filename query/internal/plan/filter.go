package plan

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/pattern"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// conditions are the filters of a request on the fields they name, once for all of its
// parameters, since names take time to look up. A leaf on no field is empty, and refused later.
func conditions(types *catalog.Registry, all []ask.Filter) []Condition {
	found := make([]Condition, len(all))
	for i := range all {
		found[i] = conditionOf(types.FieldNamed, &all[i])
	}
	return found
}

// conditionOf is f on the fields that it names.
func conditionOf(named func(string) *catalog.Field, f *ask.Filter) Condition {
	if field := named(f.Field); f.Parts() == nil && field != nil {
		return ConditionOn(field, *f)
	}
	var c Condition
	switch {
	case f.And != nil:
		c.Group = AllOf
	case f.Or != nil:
		c.Group = AnyOf
	case f.Not != nil:
		c.Group = NoneOf
	}
	for _, part := range f.Parts() {
		c.Parts = append(c.Parts, conditionOf(named, &part))
	}
	return c
}

// ConditionOn is f, a leaf, on a field, with its values in the form in which the field's own are
// compared.
func ConditionOn(field *catalog.Field, f ask.Filter) Condition {
	c := Condition{Field: field, Op: f.Op, Values: make([]string, len(f.Values)), OnEvents: !field.Session && (catalog.EventList.Has(field) || field.IsProperty())}
	for i, v := range f.Values {
		c.Values[i] = normalise(field.Match, f.Op, v)
	}
	switch field.Match {
	case catalog.ByCountry:
		c.Codes = c.countries()
	case catalog.ByReferrer:
		if !wholeValue(f.Op) && !byPattern(f.Op) {
			c.Values = partsOfSource(f.Values[0])
		}
		c.Codes = c.domains()
	case catalog.Exact, catalog.AnyCase, catalog.ByPath:
	}
	c.wrong = c.meaningless()
	return c
}

// Leaves are the conditions on single fields that c is made of.
func (c *Condition) Leaves() iter.Seq[*Condition] {
	return func(yield func(*Condition) bool) { c.eachLeaf(yield) }
}

func (c *Condition) eachLeaf(yield func(*Condition) bool) bool {
	if c.Group == Leaf {
		return yield(c)
	}
	for i := range c.Parts {
		if !c.Parts[i].eachLeaf(yield) {
			return false
		}
	}
	return true
}

// All reports whether of is true of the fields of all leaves of c.
func (c *Condition) All(of func(*catalog.Field) bool) bool {
	for leaf := range c.Leaves() {
		if !of(leaf.Field) {
			return false
		}
	}
	return true
}

// OfSession reports whether c depends on sessions alone: it has the same value for all rows of one.
func (c *Condition) OfSession() bool {
	return c.All(func(f *catalog.Field) bool { return f.Session })
}

// Mixed reports whether c depends on both sessions and single rows.
func (c *Condition) Mixed() bool {
	return !c.OfSession() && !c.All(func(f *catalog.Field) bool { return !f.Session })
}

// normalise writes a value as the stored ones are written. Countries and sources keep
// theirs: what they are held against is more than a text.
func normalise(how catalog.Match, op ask.Op, value string) string {
	if ordered(op) {
		return decimalText(value)
	}
	if byPattern(op) {
		if canonical, err := pattern.Parse(value); err == nil { // as it was checked to be
			return canonical
		}
		return value
	}
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

// byPattern reports whether op takes a regular expression.
func byPattern(op ask.Op) bool { return op == ask.Matches || op == ask.NotMatches }

// Holds is c as an expression over what a row has of each of its fields.
func (c Condition) Holds(value func(*catalog.Field) expr.Expr) expr.Expr {
	if c.Group == Leaf {
		of := value(c.Field)
		if c.Negated() {
			return expr.Not(c.match(of))
		}
		return c.match(of)
	}
	parts := make([]expr.Expr, len(c.Parts))
	for i, part := range c.Parts {
		parts[i] = part.Holds(value)
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

// Passes reports whether a row with these values of fields passes c, as the expression of Holds does.
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
	case catalog.AnyCase:
		if c.Op != ask.Matches {
			value = strings.ToLower(value)
		}
	}
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
		for _, src := range append([]referrer.Source{{Name: "Direct"}}, referrer.Sources()...) {
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

// refuse adds the meaningless values of the leaf c to list.
func (c *Condition) refuse(at ask.FieldPath, code ask.Code, list *ask.Issues) {
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

// leaves are the leaves of all, in the order of [ask.Leaves].
func leaves(all []Condition) (found []*Condition) {
	for i := range all {
		found = slices.AppendSeq(found, all[i].Leaves())
	}
	return found
}

// CheckAccessFilters adds the mistakes in the mandatory filters of an access to list.
func CheckAccessFilters(all []ask.Filter, list *ask.Issues) {
	in := ask.InField("filters")
	ask.CheckFilters(in, all, list)
	if len(list.Errors) > 0 {
		return
	}
	for i := range all {
		at, c := in.Item(i), conditionOf(accessField, &all[i])
		known := true
		for leaf := range c.Leaves() {
			known = known && leaf.Field != nil
		}
		if known && c.Mixed() {
			list.Add(at, ask.Error{Message: mixedAccess})
		}
		conditions := leaves([]Condition{c})
		for place := range ask.Leaves(at, &all[i]) {
			if conditions[0].Field != nil {
				conditions[0].refuse(place, ask.Invalid, list)
			}
			conditions = conditions[1:]
		}
	}
}

// accessField returns the field called name, which may be a property.
func accessField(name string) *catalog.Field {
	if f := catalog.FieldNamed(name); f != nil {
		return f
	}
	return catalog.PropertyNamed(name)
}

// mixedAccess says why a mandatory filter is refused. It could be read to cut rows or whole sessions.
const mixedAccess = "mixes fields of sessions, such as country, with fields of rows, such as path; a mandatory filter removes either whole sessions or rows"

// countryNames returns the English names of all countries.
func countryNames() []string {
	names := make([]string, 0, len(countries))
	for _, c := range countries[1:] {
		names = append(names, c.Name)
	}
	return names
}

// isPart reports whether what c asks for is a part of name, for texts in any case.
func (c Condition) isPart(name string) bool {
	c.Negated()
	if c.Op == ask.Matches {
		return compares(c.Op, name, c.Values[0])
	}
	return compares(c.Op, strings.ToLower(name), strings.ToLower(c.Values[0]))
}
