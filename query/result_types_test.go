package query

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

// someTypes is a catalog by hand, so that what is tested does not depend on the built-in one.
func someTypes() *Registry {
	path := &catalog.Field{Name: "path", Match: catalog.ByPath}
	country := &catalog.Field{Name: "country", Session: true, Match: catalog.ByCountry}
	device := &catalog.Field{Name: "device_type", Session: true, Match: catalog.AnyCase}
	referrer := &catalog.Field{Name: "referrer", Session: true, Match: catalog.ByReferrer}
	source := &catalog.Field{Name: "utm_source", Session: true}
	region := &catalog.Field{Name: "probe_region"}
	defs := []*catalog.BoundType{
		defined(Type{Name: "summary", Subject: store.KindWebsite, Shape: Series},
			[]catalog.Output{{Name: "date", Format: Date}, {Name: "pageviews", Format: Integer, Zero: true}, {Name: "bounce_rate", Format: Number, Decimals: 2}},
			[]string{"country", "device_type"}, []catalog.Order{{Column: "date", Desc: false}}, path, country, device, referrer, source),
		defined(Type{Name: "pages", Subject: store.KindWebsite},
			[]catalog.Output{{Name: "path", Format: String}, {Name: "visitors", Format: Integer}, {Name: "last_seen", Format: DateTime},
				{Name: "bounced", Format: Boolean}, {Name: "percentage", Format: Number}},
			[]string{"country", "device_type", "utm_source"}, []catalog.Order{{Column: "visitors", Desc: true}}, path, country, device, referrer, source),
		defined(Type{Name: "countries", Subject: store.KindWebsite},
			[]catalog.Output{{Name: "country", Format: String}, {Name: "visitors", Format: Integer}},
			nil, []catalog.Order{{Column: "visitors", Desc: true}, {Column: "country", Desc: false}}, path, country),
		defined(Type{Name: "link_total_clicks", Subject: store.KindLink},
			[]catalog.Output{{Name: "total", Format: Integer}}, []string{"country"}, nil, country),
		defined(Type{Name: "uptime_overview", Subject: store.KindSchedule},
			[]catalog.Output{{Name: "uptime_percentage", Format: Number}}, nil, nil, region),
	}
	return catalog.RegistryOf(defs)
}

func defined(row Type, columns []catalog.Output, groupable []string, steps []catalog.Order, fields ...*catalog.Field) *catalog.BoundType {
	ty := &catalog.BoundType{Type: row, Outputs: columns, Groupable: groupable, Steps: steps, Fields: map[string]*catalog.Field{}}
	for _, f := range fields {
		ty.Fields[f.Name] = f
		ty.Filterable = append(ty.Filterable, f.Name)
	}
	for _, c := range columns {
		ty.Sortable = append(ty.Sortable, c.Name)
	}
	return ty
}
