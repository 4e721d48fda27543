package ask

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/internal/synonym"
)

// A sentFilter is a filter, what is known of its values, and the number of groups around it.
type sentFilter struct {
	Filter
	sent  sentValues
	depth int
}

// sentValues says whether values were sent, and as an array.
type sentValues struct{ array, has bool }

// nestedFilters has the fields of a filter.
var nestedFilters body.Nested[sentFilter]

// filterMembers returns the fields of a filter.
func filterMembers() body.Fields[sentFilter] { return nestedFilters.Of(newFilterMembers) }

func newFilterMembers() body.Fields[sentFilter] {
	whole := func(f *sentFilter) *sentFilter { return f }
	return body.Of(
		body.Text("field", func(f *sentFilter) *string { return &f.Field }),
		body.Text("op", func(f *sentFilter) *string { return (*string)(&f.Op) }),
		body.Custom("value", whole, func(m body.Mistakes, at FieldPath, v body.Value, f *sentFilter) {
			f.Values, f.sent = readValues(m, at, v)
		}),
		body.Custom("and", whole, func(m body.Mistakes, at FieldPath, v body.Value, f *sentFilter) {
			f.And = readGroup(m, at, v, f.depth+1)
		}),
		body.Custom("or", whole, func(m body.Mistakes, at FieldPath, v body.Value, f *sentFilter) {
			f.Or = readGroup(m, at, v, f.depth+1)
		}),
		body.Custom("not", whole, func(m body.Mistakes, at FieldPath, v body.Value, f *sentFilter) {
			if !v.Null() {
				not := readFilter(m, at, v, f.depth+1)
				f.Not = &not
			}
		}),
		body.Custom("did", whole, func(m body.Mistakes, at FieldPath, v body.Value, f *sentFilter) {
			if body.ReadObject(m, at, v, didMembers(f.depth), &f.Did); f.Did == nil && !v.Null() {
				f.Did = &Did{} // a leaf of this kind all the same
			}
		}),
		body.Text("segment", func(f *sentFilter) *string { return &f.Segment }),
	).Knowing(synonym.OfNames())
}

// someFilters says what filters are, by an example.
const someFilters = `an array of filters, such as [{"field":"country","op":"eq","value":"DE"}]`

// readFilters reads an array of filters. An address has it as JSON.
func readFilters(m body.Mistakes, at FieldPath, v body.Value, into *[]Filter) {
	if !v.IsJSON() {
		if wrong := mistake.JSON(v.Raw()); wrong != "" {
			m.Wrong(at, fmt.Sprintf("must be %s in JSON: %s", someFilters,
				strings.Replace(wrong, "The body", "the text", 1)), "")
			return
		}
		v = body.JSON(bytes.TrimSpace(v.Raw()))
	}
	*into = readGroup(m, at, v, 0)
}

// readGroup reads an array of filters that has depth groups around it. CheckFilters tells that these are too many.
func readGroup(m body.Mistakes, at FieldPath, v body.Value, depth int) []Filter {
	if v.Kind() != "an array" {
		body.WrongKind(m, at, someFilters, v)
		if depth > 0 && !v.Null() {
			return []Filter{} // a group all the same
		}
		return nil
	}
	all := []Filter{}
	if depth > maxNesting {
		return all
	}
	items := v.Items()
	for i, item := range items[:min(len(items), MaxFilters)] {
		all = append(all, readFilter(m, at.Item(i), item, depth))
	}
	body.AtMost(m, at, "filters", MaxFilters, len(items))
	return all
}

func readFilter(m body.Mistakes, at FieldPath, v body.Value, depth int) Filter {
	if v.Kind() != "an object" {
		m.Wrong(at, mistake.Want(`an object such as {"field":"country","op":"eq","value":"DE"}`, v.Kind()), "")
		return Filter{}
	}
	if depth > maxNesting {
		return Filter{}
	}
	f := sentFilter{depth: depth}
	filterMembers().Into(m, at, v, &f)
	if f.Parts() == nil && f.Did == nil && f.Segment == "" {
		checkSent(m, at.Member("value"), f.Op, f.sent)
	}
	return f.Filter
}

// checkSent reports values that were not sent in the form that op takes.
func checkSent(m body.Mistakes, at FieldPath, op Op, sent sentValues) {
	switch {
	case op.none():
	case !sent.has:
		m.Wrong(at, mistake.Required, "")
	case !op.known():
		// The operator says whether one value is meant or several.
	case op.many() && !sent.array:
		m.Wrong(at, mistake.Want("an array for "+string(op), "one value"), "")
	case !op.many() && sent.array:
		m.Wrong(at, fmt.Sprintf("must be one value for %s, not an array; use in or not_in for several", op), "")
	}
}

// readValues reads a scalar or an array of scalars.
func readValues(m body.Mistakes, at FieldPath, v body.Value) (values []string, sent sentValues) {
	sent = sentValues{has: !v.Null(), array: v.Kind() == "an array"}
	if !sent.array {
		if s, ok := v.Scalar(); ok {
			return []string{s}, sent
		}
		body.WrongKind(m, at, "a string or an array of strings", v)
		return nil, sent
	}
	items := v.Items()
	for i, item := range items {
		s, ok := item.Scalar()
		if !ok {
			m.Wrong(at, "must hold strings, not "+item.Kind(), "")
		}
		if i < maxValues {
			values = append(values, s)
		}
	}
	body.AtMost(m, at, "values", maxValues, len(items))
	return values, sent
}
