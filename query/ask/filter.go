package ask

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/internal/pattern"
)

// A Filter is a condition on rows. It is a leaf, with Field, Op and Values, or exactly one of And, Or and Not. A list of filters
// holds where all of them do.
type Filter struct {
	Field  string // one of Info.Filters, or property:KEY for the property KEY of the row
	Op     Op
	Values []string // one value, for In and NotIn 1 to 500, for Exists and NotExists none; empty texts match what is absent
	And    []Filter // not empty, unless nil
	Or     []Filter // likewise
	Not    *Filter
}

// Parts are the filters that f is a group of, and nil for a leaf.
func (f *Filter) Parts() []Filter {
	switch {
	case f.And != nil:
		return f.And
	case f.Or != nil:
		return f.Or
	case f.Not != nil:
		return []Filter{*f.Not}
	}
	return nil
}

// Op is the comparison that a filter makes. The set is closed. Ne, and operators whose names begin with Not, hold wherever their
// opposites do not, also for absent values.
type Op string

// The operators.
const (
	Eq            Op = "eq"
	Ne            Op = "ne"
	Contains      Op = "contains"
	NotContains   Op = "not_contains"
	StartsWith    Op = "starts_with"
	NotStartsWith Op = "not_starts_with"
	EndsWith      Op = "ends_with"
	NotEndsWith   Op = "not_ends_with"
	Matches       Op = "matches" // a regular expression of package regexp, anywhere in the text
	NotMatches    Op = "not_matches"
	In            Op = "in"
	NotIn         Op = "not_in"
	Gt            Op = "gt" // of decimals in properties; does not hold where either side is none
	Gte           Op = "gte"
	Lt            Op = "lt"
	Lte           Op = "lte"
	Exists        Op = "exists" // of properties: the row has one that is not null
	NotExists     Op = "not_exists"
)

// PropertyPrefix begins the names of fields that are properties of rows.
const PropertyPrefix = "property:"

// maxKey is the largest number of characters in the key of a property.
const maxKey = 128

// PropertyKey returns the key of the property that a field is, and whether it is one.
func PropertyKey(field string) (key string, ok bool) {
	key, ok = strings.CutPrefix(field, PropertyPrefix)
	return key, ok && key != "" && utf8.RuneCountInString(key) <= maxKey
}

// TextOperators lists the operators for all fields as the documentation does.
func TextOperators() []Op {
	return []Op{Eq, Ne, Contains, NotContains, StartsWith, NotStartsWith, EndsWith, NotEndsWith, Matches, NotMatches, In, NotIn}
}

// PropertyOperators lists the further operators for properties.
func PropertyOperators() []Op { return []Op{Gt, Gte, Lt, Lte, Exists, NotExists} }

// AllOperators lists the operators for properties.
func AllOperators() []Op { return append(TextOperators(), PropertyOperators()...) }

// known reports whether op is one of the operators.
func (op Op) known() bool { return slices.Contains(AllOperators(), op) }

// many reports whether op takes several values, and not one.
func (op Op) many() bool { return op == In || op == NotIn }

// none reports whether op takes no value.
func (op Op) none() bool { return op == Exists || op == NotExists }

func operatorNames(all []Op) []string {
	names := make([]string, len(all))
	for i, op := range all {
		names[i] = string(op)
	}
	return names
}

// maxNesting is the largest number of groups around a leaf.
const maxNesting = 5

// CheckFilters tells all that is wrong with filters themselves, whatever type they are for.
func CheckFilters(at FieldPath, all []Filter, list *Issues) {
	if n := countLeaves(all); n > MaxFilters {
		list.addText(at, mistake.AtMost(MaxFilters, "filters", n))
		return
	}
	for i := range all {
		checkFilter(at.Item(i), &all[i], 0, list)
	}
}

// countLeaves returns the number of leaves in all, through all groups.
func countLeaves(all []Filter) (n int) {
	for i := range all {
		if parts := all[i].Parts(); parts != nil {
			n += countLeaves(parts)
			continue
		}
		n++
	}
	return n
}

// Leaves are the leaves of f, which is at that place, with their places.
func Leaves(at FieldPath, f *Filter) iter.Seq2[FieldPath, *Filter] {
	return func(yield func(FieldPath, *Filter) bool) { eachLeaf(at, f, yield) }
}

func eachLeaf(at FieldPath, f *Filter, yield func(FieldPath, *Filter) bool) bool {
	switch {
	case f.And != nil:
		return eachLeafOf(at.Member("and"), f.And, yield)
	case f.Or != nil:
		return eachLeafOf(at.Member("or"), f.Or, yield)
	case f.Not != nil:
		return eachLeaf(at.Member("not"), f.Not, yield)
	}
	return yield(at, f)
}

func eachLeafOf(at FieldPath, all []Filter, yield func(FieldPath, *Filter) bool) bool {
	for i := range all {
		if !eachLeaf(at.Item(i), &all[i], yield) {
			return false
		}
	}
	return true
}

// checkFilter checks f, which has depth groups around it.
func checkFilter(at FieldPath, f *Filter, depth int, list *Issues) {
	kinds := 0
	for _, is := range []bool{f.Field != "" || f.Op != "" || f.Values != nil, f.And != nil, f.Or != nil, f.Not != nil} {
		if is {
			kinds++
		}
	}
	switch {
	case list.Full():
	case kinds > 1:
		list.addf(at, "must be one of a condition, and, or and not, not several")
	case f.Parts() != nil:
		checkGroup(at, f, depth, list)
	default:
		CheckLeaf(at, f, list)
	}
}

func checkGroup(at FieldPath, f *Filter, depth int, list *Issues) {
	name := "and"
	if f.Or != nil {
		name = "or"
	}
	switch inside := at.Member(name); {
	case depth == maxNesting:
		list.addf(at, "is nested too deeply: at most %d groups may be around a condition", maxNesting)
	case f.Not != nil:
		checkFilter(at.Member("not"), f.Not, depth+1, list)
	case len(f.Parts()) == 0:
		list.addf(inside, "must hold at least one filter")
	default:
		for i := range f.Parts() {
			checkFilter(inside.Item(i), &f.Parts()[i], depth+1, list)
		}
	}
}

// CheckLeaf tells all that is wrong with the leaf f itself, whatever type it is for.
func CheckLeaf(at FieldPath, f *Filter, list *Issues) {
	checkField(at.Member("field"), f.Field, list)
	here, allowed := at.Member("op"), TextOperators()
	if strings.HasPrefix(f.Field, PropertyPrefix) {
		allowed = AllOperators()
	}
	switch names := operatorNames(allowed); {
	case f.Op == "":
		list.Add(here, Error{Message: mistake.Required + ": " + mistake.Or(names...), Allowed: names})
	case !f.Op.known():
		list.Add(here, Unknown(Invalid, "operator", string(f.Op), names))
	case !slices.Contains(allowed, f.Op):
		list.Add(here, Error{Message: string(f.Op) + " is for properties only, such as property:total", Allowed: names})
	}
	here = at.Member("value")
	switch known := f.Op.known(); {
	case known && f.Op.none() && len(f.Values) > 0:
		list.addf(here, "must be left out for %s", f.Op)
	case known && f.Op.many() && len(f.Values) == 0:
		list.addf(here, "must hold at least one value for %s", f.Op)
	case known && !f.Op.many() && !f.Op.none() && len(f.Values) != 1:
		list.addText(here, mistake.Want("one value for "+string(f.Op), strconv.Itoa(len(f.Values))))
	}
	list.atMost(here, "values", maxValues, len(f.Values))
	for _, v := range f.Values[:min(len(f.Values), maxValues)] {
		checkText(here, v, list)
	}
	if (f.Op == Matches || f.Op == NotMatches) && len(f.Values) == 1 && !list.At(here) {
		if _, err := pattern.Parse(f.Values[0]); err != nil {
			list.addf(here, "%s", err)
		}
	}
}

// checkField checks the name of a field.
func checkField(at FieldPath, name string, list *Issues) {
	key, property := strings.CutPrefix(name, PropertyPrefix)
	switch _, ok := PropertyKey(name); {
	case name == "":
		list.addText(at, mistake.Required)
	case property && key == "":
		list.addf(at, "must name a property, such as property:plan")
	case property && !ok:
		list.addf(at, "may have at most %d characters after %s", maxKey, PropertyPrefix)
	}
	checkText(at, name, list)
}
