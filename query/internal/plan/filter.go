package plan

import (
	"iter"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/pattern"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// conditions are the filters of a request on the fields they name, once for all of its
// parameters, since names take time to look up. A leaf on no field is empty, and refused later.
func conditions(types *catalog.Registry, all []ask.Filter) []Condition {
	return conditionsOf(types.FieldNamed, all)
}

func conditionsOf(named func(string) *catalog.Field, all []ask.Filter) []Condition {
	found := make([]Condition, len(all))
	for i := range all {
		found[i] = conditionOf(named, &all[i])
	}
	return found
}

// conditionOf is f on the fields that it names.
func conditionOf(named func(string) *catalog.Field, f *ask.Filter) Condition {
	if f.Did != nil {
		return Condition{Did: didOf(ask.FieldPath{}, f.Did, &ask.Issues{})}
	}
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
	c := Condition{Field: field, Op: f.Op, Values: make([]string, len(f.Values)), OnEvents: !field.Session &&
		(catalog.EventList.Has(field) || field.IsProperty())}
	for i, v := range f.Values {
		c.Values[i] = normalise(field.Match, f.Op, field.Spelled(f.Op, v))
	}
	if field.IsProperty() && wholeValue(f.Op) {
		c.Values = spellings(c.Values)
	}
	switch field.Match {
	case catalog.ByCountry:
		c.Codes = c.countries()
	case catalog.ByReferrer:
		if !wholeValue(f.Op) && !byPattern(f.Op) {
			c.Values = partsOfSource(field.Spelled(f.Op, f.Values[0]))
		}
		c.Codes = c.domains()
	case catalog.Exact, catalog.AnyCase, catalog.ByPath:
	}
	c.wrong = c.meaningless()
	c.never = c.impossible()
	return c
}

// Leaves are the conditions that c is made of: on single fields, and on what else people did.
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

// leaves are the leaves of all, in the order of [ask.Leaves].
func leaves(all []Condition) (found []*Condition) {
	for i := range all {
		found = slices.AppendSeq(found, all[i].Leaves())
	}
	return found
}

// All reports whether all leaves of c are on fields of which of is true.
func (c *Condition) All(of func(*catalog.Field) bool) bool {
	for leaf := range c.Leaves() {
		if leaf.Did != nil || !of(leaf.Field) {
			return false
		}
	}
	return true
}

// OfSession reports whether c depends on sessions alone: it has the same value for all rows of one.
func (c *Condition) OfSession() bool {
	_, rows := c.depends()
	return !rows
}

// Mixed reports whether c depends on both sessions and single rows.
func (c *Condition) Mixed() bool {
	sessions, rows := c.depends()
	return sessions && rows
}

// depends reports whether c depends on sessions, and whether on single rows. What the visitor of a row did depends on
// the row.
func (c *Condition) depends() (sessions, rows bool) {
	for leaf := range c.Leaves() {
		of := leaf.Did != nil && !leaf.Did.InRange || leaf.Did == nil && leaf.Field.Session
		sessions, rows = sessions || of, rows || !of
	}
	return sessions, rows
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
