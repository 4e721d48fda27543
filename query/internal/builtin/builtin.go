// Package builtin lists the query types that every engine knows:
//
//	types, err := catalog.NewRegistry(builtin.Types()...)
//	if err != nil {
//		return err
//	}
//	summary := types.Named("summary")
//
// A type is one row of data. Package catalog has the rules of rows, and the fields and metrics that rows name.
package builtin

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

// Types returns the types in the order in which they are published. The slice and its types are new at each call:
// callers may change them, and append more.
func Types() []catalog.Type {
	return slices.Concat(overviewTypes(), pageTypes(), performanceTypes(), sourceTypes(), technologyTypes(),
		placeTypes(), errorTypes(), sessionTypes(), profileTypes(), eventTypes(), flagTypes(), clickTypes(),
		goalTypes(), funnelTypes(), journeyTypes(), blockedTypes(), linkTypes(), uptimeTypes(), hourTypes())
}

// renamed is ty under another name, by which alone people look for it.
func renamed(ty catalog.Type, name, title, about string) catalog.Type {
	ty.Name, ty.Title, ty.Description, ty.AlsoCalled = name, title, about, nil
	return ty
}

// called is ty with words by which people look for it.
func called(ty catalog.Type, words ...string) catalog.Type {
	ty.AlsoCalled = words
	return ty
}

// breakdown is pageviews and visitors by ty.Dimensions, rows without ty.SkipEmpty left out.
func breakdown(ty catalog.Type, columns ...string) catalog.Type {
	ty.Subject, ty.Source, ty.Shape = store.KindWebsite, "pageviews", catalog.Breakdown
	ty.Columns, ty.Order = columns, []string{"-visitors"}
	return ty
}

// byField is a breakdown by one field, named like it.
func byField(name, title, about, category, chart, field string) catalog.Type {
	return breakdown(catalog.Type{Name: name, Title: title, Description: about, Category: category,
		Visualization: chart,
		Tags:          []string{"audience"}, Dimensions: []string{field}, SkipEmpty: field},
		"name="+field, "pageviews", "visitors", "percentage")
}
