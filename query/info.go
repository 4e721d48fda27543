package query

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// Info is what callers may know of a type.
type Info struct {
	Name         string
	Of           store.SubjectKind
	Filters      []string // fields that filters may name
	Required     string   // field that must be filtered by with eq; empty for most types
	Groupable    []string // fields that groupBy may name
	Sortable     []string // output columns that sortBy may name
	DefaultLimit int      // 100; series 10 000
	Customizable bool     // filters are allowed
	Title        string
	About        string
	Category     string
	Tags         []string
	Chart        string
	Granularity  []string // hourly and daily for a series, else empty
	DefaultOrder string   // "visitors desc, path asc"; empty for one row of totals
	Output       []OutputField
}

// OutputField describes one column of a type's rows.
type OutputField struct {
	Name  string
	Type  Format
	Label string
	Unit  string
	About string
}

// Types lists the types in the order of the catalogue.
func (e *Engine) Types() []Info {
	found := make([]Info, len(e.types.types))
	for i, d := range e.types.types {
		found[i] = d.info()
	}
	return found
}

func (d *definition) info() Info {
	info := Info{
		Name: d.Name, Of: d.Of, Title: d.Title, About: d.About, Category: d.Category,
		Tags: slices.Clone(d.Tags), Chart: d.Chart,
		Required: d.Require,
		Filters:  slices.Clone(d.filterable), Groupable: slices.Clone(d.groupable), Sortable: slices.Clone(d.sortable),
		Customizable: len(d.filterable) > 0, DefaultLimit: DefaultLimit, DefaultOrder: d.defaultOrder(),
	}
	if d.Series {
		info.DefaultLimit, info.Granularity = MaxLimit, []string{"hourly", "daily"}
	}
	for _, c := range d.columns {
		info.Output = append(info.Output, OutputField{Name: c.Name, Type: c.Format, Label: c.Label, Unit: c.Unit, About: c.About})
	}
	return info
}

func (d *definition) defaultOrder() string {
	var steps []string
	for _, o := range d.order {
		direction := " asc"
		if o.desc {
			direction = " desc"
		}
		steps = append(steps, o.column+direction)
	}
	return strings.Join(steps, ", ")
}
