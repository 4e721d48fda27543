package finish

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

// someTypes is a catalog by hand, so that what is tested does not depend on the built-in one.
func someTypes() *catalog.Registry {
	path := &catalog.Field{Name: "path", Match: catalog.ByPath}
	country := &catalog.Field{Name: "country", Session: true, Match: catalog.ByCountry}
	device := &catalog.Field{Name: "device_type", Session: true, Match: catalog.AnyCase}
	referrer := &catalog.Field{Name: "referrer", Session: true, Match: catalog.ByReferrer}
	source := &catalog.Field{Name: "utm_source", Session: true}
	region := &catalog.Field{Name: "probe_region"}
	defs := []*catalog.BoundType{
		defined(catalog.Type{Name: "summary", Subject: store.KindWebsite, Shape: catalog.Series},
			[]catalog.Output{{Name: "date", Format: catalog.Date}, {Name: "pageviews", Format: catalog.Integer, Zero: true}, {Name: "bounce_rate", Format: catalog.Number, Decimals: 2}},
			[]string{"country", "device_type"}, []catalog.Order{{Column: "date", Desc: false}}, path, country, device, referrer, source),
		defined(catalog.Type{Name: "pages", Subject: store.KindWebsite},
			[]catalog.Output{{Name: "path", Format: catalog.String}, {Name: "visitors", Format: catalog.Integer}, {Name: "last_seen", Format: catalog.DateTime},
				{Name: "bounced", Format: catalog.Boolean}, {Name: "percentage", Format: catalog.Number}},
			[]string{"country", "device_type", "utm_source"}, []catalog.Order{{Column: "visitors", Desc: true}}, path, country, device, referrer, source),
		defined(catalog.Type{Name: "countries", Subject: store.KindWebsite},
			[]catalog.Output{{Name: "country", Format: catalog.String}, {Name: "visitors", Format: catalog.Integer}},
			nil, []catalog.Order{{Column: "visitors", Desc: true}, {Column: "country", Desc: false}}, path, country),
		defined(catalog.Type{Name: "link_total_clicks", Subject: store.KindLink},
			[]catalog.Output{{Name: "total", Format: catalog.Integer}}, []string{"country"}, nil, country),
		defined(catalog.Type{Name: "uptime_overview", Subject: store.KindSchedule},
			[]catalog.Output{{Name: "uptime_percentage", Format: catalog.Number}}, nil, nil, region),
	}
	return catalog.RegistryOf(defs)
}

func defined(row catalog.Type, columns []catalog.Output, groupable []string, steps []catalog.Order, fields ...*catalog.Field) *catalog.BoundType {
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
