package reference

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

func totalTypes() []Type {
	sessions := []string{"sessions", "bounce_rate", "median_session_duration", "pages_per_session", "total_events"}
	daily := Type{
		Kind: store.KindWebsite, Series: true,
		Columns: slices.Concat(columns(Date, "date"), metrics("pageviews", "visitors"), metrics(sessions...)),
		Filters: viewFields(), GroupBy: groupable(), answer: (*evaluation).summary,
	}
	return append(named(daily, "summary", "events_by_date"),
		Type{
			Name: "summary_metrics", Kind: store.KindWebsite,
			Columns: slices.Concat(metrics("pageviews", "visitors", "unique_visitors"), metrics(sessions...)),
			Filters: viewFields(), GroupBy: groupable(), answer: (*evaluation).summary,
		},
		Type{
			Name: "hours", Kind: store.KindWebsite, limit: 168,
			Columns: slices.Concat(columns(Code, "weekday", "hour_of_day"), metrics("pageviews", "visitors")),
			Filters: viewFields(), GroupBy: withTitle(), answer: (*evaluation).hours,
		},
		Type{
			Name: "today_metrics", Kind: store.KindWebsite, Window: Today,
			Columns: metrics("pageviews", "visitors", "sessions"),
			Filters: viewFields(), GroupBy: groupable(), answer: (*evaluation).today,
		},
		Type{
			Name: "active_stats", Kind: store.KindWebsite, Window: Active,
			Columns: metrics("active_users", "active_sessions"),
			Filters: viewFields(), GroupBy: withTitle(), answer: (*evaluation).active,
		},
	)
}

func pageTypes() []Type {
	page := func(name string, answer func(*evaluation) *table, more ...string) Type {
		return Type{
			Name: name, Kind: store.KindWebsite, Columns: append(columns(Name, "path", "name"), metrics(more...)...),
			Filters: rowFields(), GroupBy: groupable(), answer: answer,
		}
	}
	door := func(t Type, field string) Type {
		t.GroupBy = groupable(field)
		return t
	}
	view := func(t Type) Type {
		t.Filters, t.GroupBy = viewFields(), append(groupable(), "title")
		return t
	}
	realtime := view(page("realtime_pages", (*evaluation).topPages, "pageviews", "visitors", "percentage"))
	realtime.Window = Realtime
	return []Type{
		view(page("pages", (*evaluation).pages,
			"pageviews", "visitors", "percentage", "median_time_on_page", "avg_load_time")),
		view(page("top_pages", (*evaluation).topPages, "pageviews", "visitors", "percentage")),
		realtime,
		door(page("entry_pages", (*evaluation).entryPages, "sessions", "pageviews", "visitors", "percentage"), entryPage),
		door(page("exit_pages", (*evaluation).exitPages, "sessions", "pageviews", "visitors", "percentage"), exitPage),
		page("page_time_analysis", (*evaluation).pageTime,
			"sessions_with_time", "visitors", "median_time_on_page", "percentage"),
		page("performance", (*evaluation).performance,
			"pageviews", "samples", "p75_lcp", "p75_fcp", "p75_cls", "p75_inp", "p75_ttfb",
			"avg_load_time", "avg_dom_ready_time", "avg_ttfb"),
		page("engagement", (*evaluation).engagement,
			"pageviews", "visitors", "sessions", "avg_scroll_depth", "avg_time_on_page", "median_time_on_page",
			"avg_interactions", "interaction_rate"),
		page("frustration_by_page", (*evaluation).frustration,
			"sessions", "visitors", "rage_clicks", "dead_clicks", "errors"),
		{
			Name: "scroll_depth_distribution", Kind: store.KindWebsite,
			Columns: slices.Concat(columns(Name, "depth_range"), metrics("visitors", "sessions", "percentage")),
			Filters: rowFields(), GroupBy: withPath(), answer: (*evaluation).scrollDepths,
		},
	}
}

func sourceTypes() []Type {
	from := Type{
		Kind: store.KindWebsite,
		Columns: hosts(slices.Concat(shape(), columns(Name, "referrer", "source", "domain", "referrer_type")), "name",
			"referrer", "source"),
		Filters: viewFields(), GroupBy: withTitle("referrer"), answer: (*evaluation).traffic,
	}
	list := named(from, "traffic", "traffic_sources")
	from.answer = (*evaluation).referrers
	list = append(list, named(from, "top_referrers")...)
	for _, one := range [][2]string{
		{"utm_sources", "utm_source"}, {"utm_mediums", "utm_medium"}, {"utm_campaigns", "utm_campaign"},
		{"utm_terms", "utm_term"}, {"utm_content", "utm_content"},
		{"language", "language"}, {"timezone", "timezone"}, {"screen_resolutions", "screen_resolution"},
		{"browser_name", "browser_name"}, {"os_name", "os_name"},
	} {
		list = append(list, Type{
			Name: one[0], Kind: store.KindWebsite, Columns: shape(), Filters: viewFields(), GroupBy: withTitle(one[1]),
			answer: func(a *evaluation) *table { return a.byField(one[1]) },
		})
	}
	return list
}

func agentTypes() []Type {
	versions := func(name, family, version string) Type {
		return Type{
			Name: name, Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "name", "version"), metrics("pageviews", "visitors", "sessions", "percentage")),
			Filters: viewFields(), GroupBy: groupable(family, version),
			answer: func(a *evaluation) *table { return a.versions(family, version) },
		}
	}
	return []Type{
		{
			Name: "device_types", Kind: store.KindWebsite, Columns: append(shape(), columns(Name, "device_type")...),
			Filters: viewFields(), GroupBy: withTitle("device_type"), answer: (*evaluation).devices,
		},
		{
			Name: "browsers_grouped", Kind: store.KindWebsite,
			Columns: append(shape(), metrics("sessions", "versions")...),
			Filters: viewFields(), GroupBy: groupable("browser_name"), answer: (*evaluation).browsersGrouped,
		},
		versions("browser_versions", "browser_name", "browser_version"),
		versions("os_versions", "os_name", "os_version"),
	}
}

func placeTypes() []Type {
	place := func(fields []string, answer func(*evaluation) *table, more ...string) Type {
		return Type{
			Kind: store.KindWebsite, Columns: slices.Concat(shape(), columns(Name, more...)),
			Filters: viewFields(), GroupBy: withTitle(fields...), answer: answer,
		}
	}
	return slices.Concat(
		named(place([]string{"country"}, (*evaluation).countries,
			"country_code", "country_name"), "countries", "country"),
		named(place([]string{"country", "region"}, (*evaluation).regions,
			"region", "country", "country_code", "country_name"), "region"),
		named(place([]string{"country", "region", "city"}, (*evaluation).cities,
			"city", "region", "country", "country_code", "country_name"), "cities", "city"),
	)
}
