package query

import (
	"errors"
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// A Registry is a set of checked types. It is immutable and safe for concurrent use.
type Registry struct {
	types  []*boundType
	byName map[string]*boundType
}

// NewRegistry checks types and looks up every name in them. Its error joins every
// fault of every row.
func NewRegistry(types ...Type) (*Registry, error) {
	r := &Registry{byName: map[string]*boundType{}}
	words, faults := newCatalog()
	for _, ty := range types {
		b := typeBuilder{catalog: words, ty: &boundType{Type: ty, inputs: map[string]*metric{}}}
		b.build()
		if _, twice := r.byName[ty.Name]; twice {
			b.fault("the name is taken")
		}
		faults = append(faults, b.faults...)
		r.types = append(r.types, b.ty)
		r.byName[ty.Name] = b.ty
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return r, nil
}

func tableNamed(name string) *table {
	for _, tb := range tables {
		if tb.name == name {
			return tb
		}
	}
	return nil
}

func fieldNamed(name string) *field {
	for _, list := range [][]*field{fields, typeFields} {
		for _, f := range list {
			if f.Name == name {
				return f
			}
		}
	}
	return nil
}

// has says whether the rows of tb carry f.
func (tb *table) has(f *field) bool {
	if slices.Contains(typeFields, f) {
		return slices.Contains(tb.dimensions, f.Name)
	}
	return tb.subject == store.KindWebsite && f.Session || slices.Contains(tb.fields, f.Name)
}
