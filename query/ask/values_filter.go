package ask

import (
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A sentFilter is a filter, what is known of its values, and the number of groups around it.
type sentFilter struct {
	Filter
	sent  sentValues
	depth int
}

// sentValues says whether values were sent, and as an array.
type sentValues struct{ array, has bool }

// filterMembers are the fields of a filter. It is a function because filters hold filters.
func filterMembers() []member[sentFilter] {
	return []member[sentFilter]{
		{"field", text(func(f *sentFilter) *string { return &f.Field })},
		{"op", func(r *reader, at FieldPath, v fieldValue, f *sentFilter) { f.Op = Op(r.text(at, v)) }},
		{"value", func(r *reader, at FieldPath, v fieldValue, f *sentFilter) { f.Values, f.sent = r.values(at, v) }},
		{"and", func(r *reader, at FieldPath, v fieldValue, f *sentFilter) { f.And = r.group(at, v, f.depth+1) }},
		{"or", func(r *reader, at FieldPath, v fieldValue, f *sentFilter) { f.Or = r.group(at, v, f.depth+1) }},
		{"not", func(r *reader, at FieldPath, v fieldValue, f *sentFilter) {
			if v.kind() != "null" {
				not := r.filter(at, v, f.depth+1)
				f.Not = &not
			}
		}},
		{"did", func(r *reader, at FieldPath, v fieldValue, f *sentFilter) {
			if f.Did = object(r, at, v, didMembers(f.depth)); f.Did == nil && v.kind() != "null" {
				f.Did = &Did{} // a leaf of this kind all the same
			}
		}},
		{"segment", text(func(f *sentFilter) *string { return &f.Segment })},
	}
}

// someFilters says what filters are, by an example.
const someFilters = `an array of filters, such as [{"field":"country","op":"eq","value":"DE"}]`

// filters reads an array of filters; an address has it as JSON.
func (r *reader) filters(at FieldPath, v fieldValue) []Filter {
	if v.json == nil {
		v.json = []byte(strings.TrimSpace(v.text))
		if wrong := mistake.JSON([]byte(v.text)); wrong != "" {
			r.addf(at, "must be %s in JSON: %s", someFilters, strings.Replace(wrong, "The body", "the text", 1))
			return nil
		}
	}
	return r.group(at, v, 0)
}

// group reads an array of filters that has depth groups around it. CheckFilters tells that these are too many.
func (r *reader) group(at FieldPath, v fieldValue, depth int) []Filter {
	if v.kind() != "an array" {
		r.wrong(at, someFilters, v)
		if depth > 0 && v.kind() != "null" {
			return []Filter{} // a group all the same
		}
		return nil
	}
	all := []Filter{}
	if depth > maxNesting {
		return all
	}
	items := v.items()
	for i, item := range items[:min(len(items), MaxFilters)] {
		all = append(all, r.filter(at.Item(i), item, depth))
	}
	r.atMost(at, "filters", MaxFilters, len(items))
	return all
}

func (r *reader) filter(at FieldPath, v fieldValue, depth int) Filter {
	if v.kind() != "an object" {
		r.addText(at, mistake.Want(`an object such as {"field":"country","op":"eq","value":"DE"}`, v.kind()))
		return Filter{}
	}
	if depth > maxNesting {
		return Filter{}
	}
	f := sentFilter{depth: depth}
	readObject(r, filterMembers(), at, v, &f)
	if f.Parts() == nil && f.Did == nil && f.Segment == "" {
		r.checkSent(at.Member("value"), f.Op, f.sent)
	}
	return f.Filter
}

// checkSent tells when values were not sent in the form that op takes.
func (r *reader) checkSent(at FieldPath, op Op, sent sentValues) {
	switch {
	case op.none():
	case !sent.has:
		r.addText(at, mistake.Required)
	case !op.known():
		// The operator says whether one value is meant or several.
	case op.many() && !sent.array:
		r.addText(at, mistake.Want("an array for "+string(op), "one value"))
	case !op.many() && sent.array:
		r.addf(at, "must be one value for %s, not an array; use in or not_in for several", op)
	}
}

// values reads a scalar or an array of scalars.
func (r *reader) values(at FieldPath, v fieldValue) (values []string, sent sentValues) {
	sent = sentValues{has: v.kind() != "null", array: v.kind() == "an array"}
	if !sent.array {
		if s, ok := v.scalar(); ok {
			return []string{s}, sent
		}
		r.wrong(at, "a string or an array of strings", v)
		return nil, sent
	}
	items := v.items()
	for i, item := range items {
		s, ok := item.scalar()
		if !ok {
			r.addf(at, "must hold strings, not %s", item.kind())
		}
		if i < maxValues {
			values = append(values, s)
		}
	}
	r.atMost(at, "values", maxValues, len(items))
	return values, sent
}
