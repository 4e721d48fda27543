package query

import "strings"

// split reads names joined by commas, the first ones if there are too many.
func (r *reader) split(at fieldPath, what string, most int, text string) []string {
	r.atMost(at, what, most, strings.Count(text, ",")+1)
	names := strings.SplitN(text, ",", most+1)
	return names[:min(len(names), most)]
}

// parameters reads names and objects.
func (r *reader) parameters(at fieldPath, v fieldValue) []Parameter {
	const what = "query types"
	all := []Parameter{}
	if v.json == nil {
		for _, name := range r.split(at, what, maxParameters, v.text) {
			all = append(all, Parameter{Name: name})
		}
		return all
	}
	if v.kind() != "an array" {
		r.wrong(at, "an array of query types", v)
		return nil
	}
	items := v.items()
	for i, item := range items[:min(len(items), maxParameters)] {
		var p Parameter
		here := fieldPath{at.field, i, ""}
		switch item.kind() {
		case "a string":
			p.Name, _ = item.str()
		case "an object":
			readObject(r, parameterMembers, here, item, &p)
		default:
			r.addf(here, "must be a name or an object, not %s", item.kind())
		}
		all = append(all, p)
	}
	r.atMost(at, what, maxParameters, len(items))
	return all
}

// groupBy reads one field or several.
func (r *reader) groupBy(at fieldPath, v fieldValue) []string {
	const what = "fields"
	if v.json == nil {
		return r.split(at, what, maxGroups, v.text)
	}
	if name, ok := v.str(); ok {
		return []string{name}
	}
	if v.kind() != "an array" {
		r.wrong(at, "a field or an array of fields", v)
		return nil
	}
	var all []string
	items := v.items()
	for i, item := range items {
		name, ok := item.str()
		if !ok {
			r.addf(fieldPath{at.field, i, ""}, "must be a string, not %s", item.kind())
		}
		if i < maxGroups {
			all = append(all, name)
		}
	}
	r.atMost(at, what, maxGroups, len(items))
	return all
}

// A sentFilter is a filter, and whether its value was sent and as an array.
type sentFilter struct {
	Filter
	array bool
	has   bool
}

var filterMembers = []member[sentFilter]{
	{"field", text(func(f *sentFilter) *string { return &f.Field })},
	{"op", func(r *reader, at fieldPath, v fieldValue, f *sentFilter) { f.Op = Op(r.text(at, v)) }},
	{"value", func(r *reader, at fieldPath, v fieldValue, f *sentFilter) { r.values(at, v, f) }},
}

// filters reads an array of filters; an address has it as JSON.
func (r *reader) filters(at fieldPath, v fieldValue) []Filter {
	if v.json == nil {
		v.json = []byte(strings.TrimSpace(v.text))
		if err := checkJSON([]byte(v.text)); err != nil {
			r.addf(at, "must be a JSON array of filters: %s", strings.Replace(err.Error(), "the body", "the text", 1))
			return nil
		}
	}
	if v.kind() != "an array" {
		r.wrong(at, "an array of filters", v)
		return nil
	}
	var all []Filter
	items := v.items()
	for i, item := range items[:min(len(items), maxFilters)] {
		all = append(all, r.filter(fieldPath{at.field, i, ""}, item))
	}
	r.atMost(at, "filters", maxFilters, len(items))
	return all
}

func (r *reader) filter(at fieldPath, v fieldValue) Filter {
	if v.kind() != "an object" {
		r.addf(at, "must be an object of field, op and value, not %s", v.kind())
		return Filter{}
	}
	var f sentFilter
	readObject(r, filterMembers, at, v, &f)
	at.part = "value"
	many, known := operators[f.Op]
	switch {
	case !f.has:
		r.addf(at, "is required")
	case !known:
		// The operator says whether one value is meant or several.
	case many && !f.array:
		r.addf(at, "must be an array for %s", f.Op)
	case !many && f.array:
		r.addf(at, "must be one value for %s, not an array; use in or not_in for several", f.Op)
	}
	return f.Filter
}

// values reads a scalar or an array of scalars.
func (r *reader) values(at fieldPath, v fieldValue, f *sentFilter) {
	f.has, f.array = v.kind() != "null", v.kind() == "an array"
	if !f.array {
		if s, ok := v.scalar(); ok {
			f.Values = []string{s}
			return
		}
		r.wrong(at, "a string or an array of strings", v)
		return
	}
	items := v.items()
	for i, item := range items {
		s, ok := item.scalar()
		if !ok {
			r.addf(at, "must hold strings, not %s", item.kind())
		}
		if i < maxValues {
			f.Values = append(f.Values, s)
		}
	}
	r.atMost(at, "values", maxValues, len(items))
}
