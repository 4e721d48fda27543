package ask

import (
	"strconv"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// operators says of each operator whether it takes several values.
var operators = map[Op]bool{
	Eq: false, Ne: false, Contains: false, NotContains: false, StartsWith: false, In: true, NotIn: true,
}

// AllOperators lists the operators as the documentation does.
func AllOperators() []Op { return []Op{Eq, Ne, Contains, NotContains, StartsWith, In, NotIn} }

func operatorNames() []string {
	var names []string
	for _, op := range AllOperators() {
		names = append(names, string(op))
	}
	return names
}

// CheckFilter tells all that is wrong with f itself, whatever type it is for.
func CheckFilter(at FieldPath, f Filter, list *Issues) {
	at.part = "field"
	if f.Field == "" {
		list.addText(at, mistake.Required)
	}
	checkText(at, f.Field, list)
	at.part = "op"
	many, known := operators[f.Op]
	switch {
	case f.Op == "":
		list.Add(at, Error{Message: mistake.Required + ": " + mistake.Or(operatorNames()...), Allowed: operatorNames()})
	case !known:
		list.Add(at, Unknown(Invalid, "operator", string(f.Op), operatorNames()))
	}
	at.part = "value"
	switch {
	case known && many && len(f.Values) == 0:
		list.addf(at, "must hold at least one value for %s", f.Op)
	case known && !many && len(f.Values) != 1:
		list.addText(at, mistake.Want("one value for "+string(f.Op), strconv.Itoa(len(f.Values))))
	}
	list.atMost(at, "values", maxValues, len(f.Values))
	for _, v := range f.Values[:min(len(f.Values), maxValues)] {
		checkText(at, v, list)
	}
}
