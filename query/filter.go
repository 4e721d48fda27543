package query

import (
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
)

// operators says of each operator whether it takes several values.
var operators = map[Op]bool{
	Eq: false, Ne: false, Contains: false, NotContains: false, StartsWith: false, In: true, NotIn: true,
}

// operatorNames lists the operators as the documentation does.
func operatorNames() []string {
	var names []string
	for _, op := range []Op{Eq, Ne, Contains, NotContains, StartsWith, In, NotIn} {
		names = append(names, string(op))
	}
	return names
}

func atMostFilters(all []Filter, list *issues) {
	list.atMost(inField("filters"), "filters", maxFilters, len(all))
}

// checkFilter tells all that is wrong with f itself, whatever type it is for.
func checkFilter(at fieldPath, f Filter, list *issues) {
	at.part = "field"
	if f.Field == "" {
		list.addf(at, "is required")
	}
	checkText(at, f.Field, list)
	at.part = "op"
	many, known := operators[f.Op]
	switch {
	case f.Op == "":
		list.add(at, Error{Message: "is required: one of " + strings.Join(operatorNames(), ", "), Allowed: operatorNames()})
	case !known:
		list.add(at, unknown(Invalid, "operator", string(f.Op), operatorNames()))
	}
	at.part = "value"
	switch {
	case known && many && len(f.Values) == 0:
		list.addf(at, "must hold at least one value for %s", f.Op)
	case known && !many && len(f.Values) != 1:
		list.addf(at, "must be one value for %s", f.Op)
	}
	list.atMost(at, "values", maxValues, len(f.Values))
	for _, v := range f.Values[:min(len(f.Values), maxValues)] {
		checkText(at, v, list)
	}
}

// conditions are the filters of a request on the fields they name, once for all of its
// parameters, since names take time to look up. One on no field is empty, and refused later.
func conditions(all []Filter) []condition {
	found := make([]condition, len(all))
	for i, f := range all {
		if field := fieldNamed(f.Field); field != nil {
			found[i] = conditionOn(field, f)
		}
	}
	return found
}

// conditionOn is f on a field, with its values in the form in which the field's own are
// compared.
func conditionOn(field *field, f Filter) condition {
	c := condition{Field: field, Op: f.Op, Values: make([]string, len(f.Values)), onEvents: !field.Session && eventList.has(field)}
	for i, v := range f.Values {
		c.Values[i] = normalise(field.Match, f.Op, v)
	}
	switch field.Match {
	case byCountry:
		c.codes = c.countries()
	case byReferrer:
		c.codes = c.domains()
	case exact, anyCase, byPath:
	}
	return c
}

// normalise writes a value as the stored ones are written. Countries and sources keep
// theirs: what they are held against is more than a text.
func normalise(how match, op Op, value string) string {
	switch how {
	case anyCase:
		return strings.ToLower(value)
	case byPath:
		if wholeValue(op) && value != "" {
			return address.Path(value)
		}
	}
	return value
}

// wholeValue reports whether op compares values and not parts of them.
func wholeValue(op Op) bool { return op == Eq || op == Ne || op == In || op == NotIn }
