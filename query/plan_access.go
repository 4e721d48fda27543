package query

import "slices"

// CheckAccess returns the mistakes in the Filters and Types of a, or nil: filters that are malformed, fields
// that no type of the catalog can be filtered by, values that are not a country or a referrer, and types
// that the catalog does not have. Mistakes are at filters[i] and types[i]. It checks nothing else of a.
func (e *Engine) CheckAccess(a Access) Errors {
	var list issues
	types, fields := e.types.names()
	for i, f := range a.Filters {
		at := inField("filters").item(i)
		checkAccessFilter(i, f, &list)
		if !slices.Contains(fields, f.Field) {
			list.add(at.member("field"), unknown(Invalid, "field", f.Field, fields))
		}
	}
	for i, name := range a.Types {
		if !slices.Contains(types, name) {
			list.add(inField("types").item(i), unknownType(name, types))
		}
	}
	return list.sorted()
}

// names are those of the types, and of the fields that one of them can be filtered by.
func (r *Registry) names() (types, fields []string) {
	for _, ty := range r.types {
		types = append(types, ty.Name)
		for _, name := range ty.filterable {
			if !slices.Contains(fields, name) {
				fields = append(fields, name)
			}
		}
	}
	return types, fields
}
