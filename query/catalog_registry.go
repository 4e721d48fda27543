package query

import (
	"errors"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// A Registry is a set of query types that NewRegistry checked. It is immutable and safe for
// concurrent use.
type Registry struct {
	types  []*boundType
	byName map[string]*boundType
}

// registryOf returns a Registry of types that are bound already.
func registryOf(types []*boundType) *Registry {
	r := &Registry{types: types, byName: make(map[string]*boundType, len(types))}
	for _, ty := range types {
		r.byName[ty.Name] = ty
	}
	return r
}

// all returns the types in the order of the catalog. The slice must not be changed.
func (r *Registry) all() []*boundType { return r.types }

// named returns the type called name, or nil.
func (r *Registry) named(name string) *boundType { return r.byName[name] }

// NewRegistry checks types and looks up every name in them. Its error joins every fault of
// every type.
func NewRegistry(types ...Type) (*Registry, error) {
	var bound []*boundType
	known := map[string]bool{}
	metrics, faults := newCatalog()
	for _, ty := range types {
		b := typeBuilder{catalog: metrics, ty: &boundType{Type: ty, inputs: map[string]*metric{}}}
		b.build()
		if known[ty.Name] {
			b.fault("the name is taken")
		}
		faults = append(faults, b.faults...)
		bound, known[ty.Name] = append(bound, b.ty), true
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return registryOf(bound), nil
}

// tableNamed returns the table called name, or nil.
func tableNamed(name string) *table {
	for _, tb := range tables {
		if tb.name == name {
			return tb
		}
	}
	return nil
}

// fieldNamed returns the field called name, or nil.
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
	if slices.Contains(typeFields, f) && f.Carried == carriedByNone {
		return slices.Contains(tb.dimensions, f.Name)
	}
	return tb.hasSessions() && f.Session || slices.Contains(tb.fields, f.Name)
}

// Info describes a query type to callers.
type Info struct {
	Name           string
	Subject        store.SubjectKind
	Filters        []string // fields that filters may name
	RequiredFilter string   // field that must be filtered by with eq; empty for most types
	Groupable      []string // fields that groupBy may name
	Sortable       []string // output columns that sortBy may name
	DefaultLimit   int      // rows of an answer that asked for no limit: 100, of a series 10 000
	Customizable   bool     // filters are allowed
	Title          string
	Description    string
	Category       string
	Tags           []string
	Visualization  string
	Granularity    []string // hourly and daily for a series, else empty
	Operators      []Op     // of filters; empty where none are allowed
	MaxLimit       int      // the largest limit
	MaxHourlyDays  int      // the longest range with hourly buckets; 0 where there are none
	Comparable     bool     // Compare adds another period to the rows; otherwise it is ignored
	DefaultOrder   string   // "visitors desc, path asc"; empty for one row of totals
	Output         []OutputField
}

// OutputField describes one column of a type's rows.
type OutputField struct {
	Name        string
	Role        Role
	Primary     bool   // of its role, the one to show when only one is
	AliasOf     string // the column that it is another name for; empty: none
	Type        Format
	Label       string
	Unit        string
	Description string
}

// Types lists the types in the order of the catalog.
func (e *Engine) Types() []Info {
	found := make([]Info, len(e.types.all()))
	for i, ty := range e.types.all() {
		found[i] = ty.info()
	}
	return found
}

// info describes ty.
func (ty *boundType) info() Info {
	info := Info{
		Name: ty.Name, Subject: ty.Subject, Title: ty.Title, Description: ty.Description, Category: ty.Category,
		Tags: slices.Clone(ty.Tags), Visualization: ty.Visualization,
		RequiredFilter: ty.RequiredFilter,
		Filters:        slices.Clone(ty.filterable), Groupable: slices.Clone(ty.groupable), Sortable: slices.Clone(ty.sortable),
		Customizable: len(ty.filterable) > 0, DefaultLimit: DefaultLimit, DefaultOrder: ty.defaultOrder(),
	}
	info.MaxLimit, info.Comparable = MaxLimit, ty.comparable()
	if info.Customizable {
		info.Operators = allOperators()
	}
	if ty.Shape == Series {
		info.DefaultLimit, info.Granularity, info.MaxHourlyDays = MaxLimit, []string{"hourly", "daily"}, maxHourlyDays
	}
	for _, c := range ty.columns {
		info.Output = append(info.Output, OutputField{Name: c.Name, Role: c.Role, Primary: c.Primary, AliasOf: c.AliasOf, Type: c.Format, Label: c.Label, Unit: c.Unit, Description: c.Description})
	}
	return info
}

func (ty *boundType) defaultOrder() string {
	var steps []string
	for _, o := range ty.order {
		direction := " asc"
		if o.desc {
			direction = " desc"
		}
		steps = append(steps, o.column+direction)
	}
	return strings.Join(steps, ", ")
}
