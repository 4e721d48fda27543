package catalog

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/lru"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/store"
)

// A Registry is a set of query types that NewRegistry checked. It is immutable and safe for
// concurrent use.
type Registry struct {
	types      []*BoundType
	byName     map[string]*BoundType
	called     mistake.Synonyms // of the names of types
	own        []*Field         // dimensions of the host
	vocabulary []TableInfo
	metrics    metricsByKey
	choices    *lru.Cache[string, *BoundType] // by Choice.Key
}

// RegistryOf returns a Registry of types that are bound already.
func RegistryOf(types []*BoundType) *Registry {
	r := &Registry{types: types, byName: make(map[string]*BoundType, len(types)), called: mistake.Synonyms{}}
	for _, ty := range types {
		r.byName[ty.Name] = ty
		for _, word := range ty.AlsoCalled {
			r.called[word] = append(r.called[word], ty.Name)
		}
	}
	return r
}

// All returns the types in the order of the catalog. The slice must not be changed.
func (r *Registry) All() []*BoundType { return r.types }

// Named returns the type called name, or nil.
func (r *Registry) Named(name string) *BoundType { return r.byName[name] }

// NoSuchType returns the mistake of asking for a query type that r does not have. allowed are the names that would do.
func (r *Registry) NoSuchType(name string, allowed []string) ask.Error {
	return ask.NoSuchType(name, allowed, r.called)
}

// Taking returns the names of the types whose parameters take a part: see [Type.Takes].
func (r *Registry) Taking(part string) (names []string) {
	for _, ty := range r.types {
		if ty.Takes(part) {
			names = append(names, ty.Name)
		}
	}
	return names
}

// FieldNamed returns the field called name, of the host or built in, or nil.
func (r *Registry) FieldNamed(name string) *Field {
	if i := slices.IndexFunc(r.own, func(f *Field) bool { return f.Name == name }); i >= 0 {
		return r.own[i]
	}
	if f := FieldNamed(name); f != nil {
		return f
	}
	return PropertyNamed(name)
}

// Vocabulary lists the tables with what types can name of them: the built-in vocabulary, and the definitions of the
// host. The slice must not be changed.
func (r *Registry) Vocabulary() []TableInfo { return r.vocabulary }

// NewRegistry checks types and looks up every name in them. Its error joins every fault of
// every type, and names what was probably meant.
func NewRegistry(types ...Type) (*Registry, error) { return Definitions{}.NewRegistry(types...) }

// NewRegistry is [NewRegistry] with types that may use the definitions of d. Its error has the faults of definitions,
// too.
func (d Definitions) NewRegistry(types ...Type) (*Registry, error) {
	var bound []*BoundType
	known := map[string]bool{}
	metrics, faults := newCatalog()
	own, wrong := d.define(metrics)
	faults = append(faults, wrong...)
	for _, ty := range types {
		b := newTypeBuilder(metrics, own, ty)
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
	r := RegistryOf(bound)
	r.own, r.vocabulary, r.metrics = own, vocabularyOf(metrics, own), metrics
	r.choices = lru.New[string, *BoundType](choiceBytes)
	return r, nil
}

// TableNamed returns the table called name, or nil.
func TableNamed(name string) *Table {
	for _, tb := range tables {
		if tb.Name == name {
			return tb
		}
	}
	return nil
}

// FieldNamed returns the field called name, or nil.
func FieldNamed(name string) *Field {
	for _, list := range [][]*Field{fields, typeFields} {
		for _, f := range list {
			if f.Name == name {
				return f
			}
		}
	}
	return nil
}

// countsBy reports whether a type of rows of own, which may be tb, can count the rows of tb by f.
func (tb *Table) countsBy(f *Field, own *Table) bool {
	ofEvent := f.IsProperty() || f.Name == "event_name" || f == title && own == Pageviews
	return tb.Has(f) || tb.Events && ofEvent
}

// Has says whether the rows of tb carry f.
func (tb *Table) Has(f *Field) bool {
	switch {
	case f.Own():
		return f.table == tb
	case f.Clock != 0:
		return !tb.Derived() && !tb.WholeSessions
	}
	if slices.Contains(typeFields, f) && f.Carried == carriedByNone {
		return slices.Contains(tb.dimensions, f.Name)
	}
	return tb.HasSessions() && f.Session || slices.Contains(tb.fields, f.Name)
}

// Info describes a query type to callers.
type Info struct {
	Name           string
	Subject        store.SubjectKind
	Filters        []string // fields that filters may name
	RequiredFilter string   // field that must be filtered by with eq; empty for most types
	Groupable      []string // fields that groupBy may name
	Sortable       []string // output columns that sortBy may name
	DefaultLimit   int      // rows of an answer that asked for no limit: mostly 100, of a series 10 000
	Customizable   bool     // filters are allowed
	Title          string
	Description    string
	Category       string
	Tags           []string
	Visualization  string
	Granularity    []string // of a series, from the shortest on, else empty
	Operators      []ask.Op // of filters; empty where none are allowed
	// PropertyOperators are the operators of filters on properties of rows, property:KEY; empty where none are allowed.
	PropertyOperators []ask.Op
	MaxLimit          int    // the largest limit
	MaxHourlyDays     int    // the longest range with hourly buckets; 0 where there are none
	MaxMinuteHours    int    // the longest range, in real time, with buckets of minutes; 0 where there are none
	MaxCohorts        int    // the most days, weeks or months of a range whose rows are cohorts; 0: rows are others
	Comparable        bool   // Compare adds another period to the rows; otherwise it is ignored
	Difference        string // the column that orders the rows of both periods by DifferenceOrder; empty: it is refused
	DefaultOrder      string // "visitors desc, path asc"; empty for one row of totals
	Output            []OutputField
	// Several has the columns that follow Output in answers about several websites only. Most types have none.
	Several []OutputField
	Needs   []string // parts of a parameter that it must have, such as goals
	MayHave []string // further parts that it may have
	Cost    int      // how many parameters one with this type counts for, where requests are limited
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
	Nullable    bool // null where there is nothing to measure
}

// Describe describes ty.
func (ty *BoundType) Describe() Info {
	info := Info{
		Name: ty.Name, Subject: ty.Subject, Title: ty.Title, Description: ty.Description, Category: ty.Category,
		Tags: slices.Clone(ty.Tags), Visualization: ty.Visualization,
		RequiredFilter: ty.RequiredFilter,
		Filters:        slices.Clone(ty.Filterable), Groupable: slices.Clone(ty.Groupable),
		Sortable:     slices.Clone(ty.Sortable),
		Customizable: len(ty.Filterable) > 0, DefaultLimit: ty.DefaultLimit(), DefaultOrder: ty.defaultOrder(),
	}
	info.MaxLimit, info.Comparable, info.Difference = ask.MaxLimit, ty.Comparable(), ty.Difference()
	if info.Customizable {
		info.Operators = ask.TextOperators()
		if ty.OfEvents() && !ty.Table.BySession {
			info.PropertyOperators = ask.AllOperators()
		}
	}
	info.Needs, info.MayHave, info.Cost = slices.Clone(ty.Needs), slices.Clone(ty.MayHave), ty.Cost()
	if ty.Shape == Series {
		info.DefaultLimit, info.Granularity = ask.MaxLimit, ty.Granularities()
	}
	if slices.Contains(info.Granularity, "hourly") {
		info.MaxHourlyDays, info.MaxMinuteHours = ask.MaxHourlyDays, ask.MaxMinuteHours
	}
	if ty.Cohorts() {
		info.MaxCohorts = MaxCohorts
	}
	for i := range ty.Outputs {
		info.Output = append(info.Output, outputField(&ty.Outputs[i]))
	}
	if s := ty.Several; s != nil {
		info.Several = []OutputField{outputField(&s.Outputs[len(s.Outputs)-1]), outputField(WebsiteName())}
	}
	return info
}

func outputField(c *Output) OutputField {
	return OutputField{Name: c.Name, Role: c.Role, Primary: c.Primary, AliasOf: c.AliasOf, Type: c.Format,
		Label: c.Label, Unit: c.Unit, Description: c.Description, Nullable: c.Nullable()}
}

// DefaultLimit returns the rows of an answer that asks for no limit. A series has all.
func (ty *BoundType) DefaultLimit() int { return cmp.Or(ty.Limit, ask.DefaultLimit) }

func (ty *BoundType) defaultOrder() string {
	var steps []string
	for _, o := range ty.Steps {
		direction := " asc"
		if o.Desc {
			direction = " desc"
		}
		steps = append(steps, o.Column+direction)
	}
	if ty.LedBy != "" {
		for _, name := range ty.Dimensions {
			steps = append(steps, name+" asc")
		}
	}
	return strings.Join(steps, ", ")
}

// Names returns the names of the types, and of the fields that some type can be filtered by and that mandatory filters
// may name: all but the dimensions of a host, and the website, which the resources of a key choose.
func (r *Registry) Names() (types, fields []string) {
	for _, ty := range r.types {
		types = append(types, ty.Name)
		for _, name := range ty.Filterable {
			if f := ty.Fields[name]; !slices.Contains(fields, name) && !f.Own() && f != Website {
				fields = append(fields, name)
			}
		}
	}
	return types, fields
}
