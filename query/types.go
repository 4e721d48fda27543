package query

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// Builtin lists the types that every engine knows, in the order they are published.
// The slice is fresh: a host may append types of its own and give all of them to
// NewRegistry.
func Builtin() []Type {
	return slices.Concat(overviewTypes(), pageTypes(), performanceTypes(), sourceTypes(), technologyTypes(), placeTypes(),
		errorTypes(), sessionTypes(), profileTypes(), eventTypes(), clickTypes(), linkTypes(), uptimeTypes())
}

// renamed is ty under another name.
func renamed(ty Type, name, title, about string) Type {
	ty.Name, ty.Title, ty.Description = name, title, about
	return ty
}

// breakdown is pageviews and visitors by ty.Dimensions, rows without ty.SkipEmpty left out.
func breakdown(ty Type, columns ...string) Type {
	ty.Subject, ty.Source, ty.Shape = store.KindWebsite, "pageviews", Breakdown
	ty.Columns, ty.Order = columns, []string{"-visitors"}
	return ty
}

// byField is a breakdown by one field, named like it.
func byField(name, title, about, category, chart, field string) Type {
	return breakdown(Type{Name: name, Title: title, Description: about, Category: category, Visualization: chart,
		Tags: []string{"audience"}, Dimensions: []string{field}, SkipEmpty: field},
		"name="+field, "pageviews", "visitors", "percentage")
}
