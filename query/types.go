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

// again is ty under another name.
func again(ty Type, name, title, about string) Type {
	ty.Name, ty.Title, ty.About = name, title, about
	return ty
}

// breakdown is pageviews and visitors by ty.By, rows without ty.Named left out.
func breakdown(ty Type, columns ...string) Type {
	ty.Of, ty.Rows = store.KindWebsite, "pageviews"
	ty.Columns, ty.Order = columns, []string{"-visitors"}
	return ty
}

// byField is a breakdown by one field, named like it.
func byField(name, title, about, category, chart, field string) Type {
	return breakdown(Type{Name: name, Title: title, About: about, Category: category, Chart: chart,
		Tags: []string{"audience"}, By: []string{field}, Named: field},
		"name="+field, "pageviews", "visitors", "percentage")
}
