package reference

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

func errorTypes() []Type {
	fields := rowFields("message", "error_type")
	return []Type{
		{
			Name: "errors", Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "message", "error_type", "path"), metrics("count", "users", "sessions"),
				columns(Instant, "first_seen", "last_seen"), metrics("percentage")),
			Filters: fields, GroupBy: groupable(), answer: (*evaluation).errors,
		},
		{
			Name: "error_types", Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "error_type"), metrics("count", "users"), columns(Instant, "last_seen"),
				metrics("percentage")),
			Filters: fields, GroupBy: withPath(), answer: (*evaluation).errorTypes,
		},
		{
			Name: "errors_by_page", Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "path", "name"), metrics("errors", "users", "unique_messages", "percentage")),
			Filters: fields, GroupBy: groupable(), answer: (*evaluation).errorsByPage,
		},
		{
			Name: "error_trends", Kind: store.KindWebsite, Series: true,
			Columns: slices.Concat(columns(Date, "date"), metrics("errors", "users", "sessions")),
			Filters: fields, GroupBy: withPath(), answer: (*evaluation).errorTrends,
		},
	}
}

func vitalTypes() []Type {
	fields := rowFields("metric_name")
	p75 := metrics("p75_lcp", "p75_fcp", "p75_cls", "p75_inp", "p75_ttfb")
	return []Type{
		{
			Name: "web_vitals_by_page", Kind: store.KindWebsite,
			Columns: slices.Concat(columns(Name, "path", "name"), metrics("samples", "visitors"), p75),
			Filters: fields, GroupBy: groupable(), answer: (*evaluation).vitalsByPage,
		},
		{
			Name: "vitals_overview", noTotals: true, Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "metric_name"), metrics("p50", "p75", "p90", "p95", "p99", "avg_value", "samples")),
			Filters: fields, GroupBy: withPath(), answer: (*evaluation).vitalsOverview,
		},
		{
			Name: "vitals_time_series", Kind: store.KindWebsite, Series: true,
			Columns: slices.Concat(columns(Date, "date"), metrics("samples"), p75),
			Filters: fields, GroupBy: withPath(), answer: (*evaluation).vitalsSeries,
		},
	}
}

func eventTypes() []Type {
	fields := rowFields("event_name", "namespace")
	return []Type{
		{
			Name: "custom_events", Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "name"), metrics("total_events", "unique_users", "unique_sessions"),
				columns(Instant, "first_occurrence", "last_occurrence"),
				metrics("events_with_properties", "percentage")),
			Filters: fields, GroupBy: withPath(), answer: (*evaluation).customEvents,
		},
		{
			Name: "custom_event_properties", Kind: store.KindWebsite,
			Columns: slices.Concat(columns(Name, "name", "property_key", "property_value"), metrics("count")),
			Filters: fields, GroupBy: withPath(), answer: (*evaluation).eventProperties,
		},
		{
			Name: "flag_exposures", Kind: store.KindWebsite,
			Columns: slices.Concat(columns(Name, "flag", "variant"), metrics("visitors", "sessions", "exposures")),
			Filters: rowFields("namespace"), GroupBy: withPath(), answer: (*evaluation).flagExposures,
		},
		{
			Name: "flag_outcomes", noTotals: true, Kind: store.KindWebsite,
			Columns: slices.Concat(columns(Name, "flag", "variant"),
				metrics("visitors", "converted", "conversion_rate", "conversion_low", "conversion_high"),
				columns(Object, "statuses")),
			Filters: fields, GroupBy: withPath(), answer: (*evaluation).flagOutcomes,
		},
		{
			Name: "custom_events_trends", Kind: store.KindWebsite, Series: true,
			Columns: slices.Concat(columns(Date, "date"), metrics("total_events", "unique_users", "unique_sessions")),
			Filters: fields, GroupBy: withPath(), answer: (*evaluation).eventTrends,
		},
	}
}

func clickTypes() []Type {
	fields := rowFields("href", "text")
	return []Type{
		{
			Name: "outbound_links", Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "href", "text"), metrics("total_clicks", "unique_users", "unique_sessions", "percentage"),
				columns(Instant, "last_clicked")),
			Filters: fields, GroupBy: withPath(), answer: (*evaluation).outboundLinks,
		},
		{
			Name: "outbound_domains", Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "domain"), metrics("total_clicks", "unique_users", "unique_links", "percentage")),
			Filters: fields, GroupBy: withPath(), answer: (*evaluation).outboundDomains,
		},
	}
}

func linkTypes() []Type {
	link := func(name string, series bool, cols []Column, answer func(*evaluation) *table, own ...string) Type {
		fields := []string{"referrer", "country", "region", "city", "device_type", "browser_name"}
		return Type{
			Name: name, Kind: store.KindLink, Series: series, Columns: cols, Filters: fields, answer: answer,
			GroupBy: slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return slices.Contains(own, f) }),
		}
	}
	clicked := func(names ...string) []Column {
		return append(columns(Name, names...), metrics("clicks", "percentage")...)
	}
	return []Type{
		link("link_total_clicks", false, metrics("total"), (*evaluation).visits),
		link("link_clicks_by_day", true, slices.Concat(columns(Date, "date"), metrics("clicks")), (*evaluation).visits),
		link("link_top_referrers", false,
			hosts(clicked("name", "referrer", "source", "domain", "referrer_type"), "name", "referrer", "source"),
			(*evaluation).linkReferrers, "referrer"),
		link("link_top_countries", false,
			clicked("name", "country", "country_code", "country_name"), (*evaluation).linkCountries, "country"),
		link("link_top_regions", false,
			clicked("name", "country", "country_code", "country_name", "region"), (*evaluation).linkRegions, "country",
			"region"),
		link("link_top_cities", false,
			clicked("name", "country", "country_code", "country_name", "region", "city"), (*evaluation).linkCities,
			"country", "region", "city"),
		link("link_top_devices", false, clicked("name"), (*evaluation).linkDevices, "device_type"),
		link("link_top_browsers", false, clicked("name"), (*evaluation).linkBrowsers, "browser_name"),
	}
}
