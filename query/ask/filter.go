package ask

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/pattern"
)

// A Filter is a condition on rows. It is a leaf, with Field, Op and Values, or exactly one of And, Or, Not and Did. A
// list of filters holds where all of them do.
type Filter struct {
	Field string // one of Info.Filters, or property:KEY for the property KEY of the row
	Op    Op
	// one value, for In and NotIn 1 to 500, for Exists and NotExists none; empty texts match what is absent
	Values []string
	And    []Filter // not empty, unless nil
	Or     []Filter // likewise
	Not    *Filter
	Did    *Did
	// Segment is the name of filters that are saved for the subject: see [Request.Resolve].
	Segment string
}

// Did is a condition on what else the person of a row did.
type Did struct {
	Action
	In string `json:"in,omitempty"` // InSession or InRange; empty means InSession
}

// The values of Did.In: where the action is looked for.
const (
	InSession = "session" // in the session of the row, at any time; does not hold for rows without a session
	// among all events of the visitor of the row in the range; does not hold for rows without a visitor
	InRange = "range"
)

// Parts are the filters that f is a group of, and nil for a leaf and for Did.
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

// Op is the comparison that a filter makes. The set is closed. Ne, and operators whose names begin with Not, hold
// wherever their opposites do not, also for absent values.
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
	return []Op{Eq, Ne, Contains, NotContains, StartsWith, NotStartsWith, EndsWith, NotEndsWith, Matches, NotMatches,
		In, NotIn}
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
		checkFilter(at.Item(i), &all[i], filterPlace{}, list)
	}
}

// A filterPlace is the place of a filter.
type filterPlace struct {
	depth    int  // groups around it
	inAction bool // it is a filter of an action
}

// countLeaves returns the number of leaves in all, through all groups. Did is one, and those of its filters count, too.
func countLeaves(all []Filter) (n int) {
	for i := range all {
		switch f := &all[i]; {
		case f.Parts() != nil:
			n += countLeaves(f.Parts())
		case f.Did != nil:
			n += 1 + countLeaves(f.Did.Filters)
		default:
			n++
		}
	}
	return n
}

// Leaves are the leaves of f, which is at that place, with their places. Did is one of them.
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

func checkFilter(at FieldPath, f *Filter, place filterPlace, list *Issues) {
	kinds := 0
	for _, is := range []bool{f.Field != "" || f.Op != "" || f.Values != nil, f.And != nil, f.Or != nil, f.Not != nil,
		f.Did != nil, f.Segment != ""} {
		if is {
			kinds++
		}
	}
	switch {
	case list.Full():
	case kinds > 1:
		list.addf(at, "must be one of a condition, and, or, not, did and segment, not several")
	case f.Segment != "":
		checkSegment(at.Member("segment"), f.Segment, list)
	case f.Parts() != nil:
		checkGroup(at, f, place, list)
	case f.Did != nil && place.inAction:
		list.addf(at.Member("did"), "cannot stand inside the filters of an action")
	case f.Did != nil:
		f.Did.check(at.Member("did"), place.depth, list)
	default:
		CheckLeaf(at, f, list)
	}
}

func checkGroup(at FieldPath, f *Filter, place filterPlace, list *Issues) {
	name := "and"
	if f.Or != nil {
		name = "or"
	}
	switch inside := at.Member(name); {
	case place.depth == maxNesting:
		list.addf(at, "is nested too deeply: at most %d groups may be around a condition", maxNesting)
	case f.Not != nil:
		checkFilter(at.Member("not"), f.Not, place.inGroup(), list)
	case len(f.Parts()) == 0:
		list.addf(inside, "must hold at least one filter")
	default:
		for i := range f.Parts() {
			checkFilter(inside.Item(i), &f.Parts()[i], place.inGroup(), list)
		}
	}
}

func (p filterPlace) inGroup() filterPlace {
	p.depth++
	return p
}

// CheckLeaf tells all that is wrong with the leaf f itself, whatever type it is for.
func CheckLeaf(at FieldPath, f *Filter, list *Issues) {
	checkField(at.Member("field"), f.Field, list)
	allowed := TextOperators()
	if strings.HasPrefix(f.Field, PropertyPrefix) {
		allowed = AllOperators()
	}
	checkValues(at, f.Op, f.Values, allowed, list)
}

// checkValues checks an operator, which must be among allowed, and its values.
func checkValues(at FieldPath, op Op, values []string, allowed []Op, list *Issues) {
	here := at.Member("op")
	switch names := operatorNames(allowed); {
	case op == "":
		list.Add(here, Error{Message: mistake.Required + ": " + mistake.Or(names...), Allowed: names})
	case !op.known():
		list.Add(here, Unknown(Invalid, "operator", string(op), names))
	case !slices.Contains(allowed, op):
		list.Add(here, Error{Message: string(op) + " is for properties only, such as property:total", Allowed: names})
	}
	here = at.Member("value")
	switch known := op.known(); {
	case known && op.none() && len(values) > 0:
		list.addf(here, "must be left out for %s", op)
	case known && op.many() && len(values) == 0:
		list.addf(here, "must hold at least one value for %s", op)
	case known && !op.many() && !op.none() && len(values) != 1:
		list.addText(here, mistake.Want("one value for "+string(op), strconv.Itoa(len(values))))
	}
	body.AtMost(list, here, "values", maxValues, len(values))
	for _, v := range values[:min(len(values), maxValues)] {
		checkText(here, v, list)
	}
	if (op == Matches || op == NotMatches) && len(values) == 1 && !list.At(here) {
		if _, err := pattern.Parse(values[0]); err != nil {
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
