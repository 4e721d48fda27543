package builtin

import (
	"time"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

func pageTypes() []catalog.Type {
	top := breakdown(catalog.Type{Name: "top_pages", Title: "Top pages", Category: "Content", Visualization: "table",
		AlsoCalled:  []string{"toppages"},
		Tags:        []string{"pages", "content"},
		Description: "Pages by visitors", Dimensions: []string{"path"}},
		"path", "name=path", "pageviews", "visitors", "percentage")
	live := renamed(top, "realtime_pages", "Pages now", "Pages seen in the last two minutes, whatever the range")
	live.Category, live.Window = "Realtime", catalog.Window(2*time.Minute)
	entry := catalog.Type{Name: "entry_pages", Title: "Entry pages", Category: "Content", Visualization: "table",
		AlsoCalled:  []string{"landingpages"},
		Tags:        []string{"pages", "sessions", "landing"},
		Description: "Pages that sessions begin on",
		Subject:     store.KindWebsite, Source: "sessions", Shape: catalog.Breakdown,
		Dimensions: []string{"entry_page"},
		Columns: []string{"path=entry_page", "name=entry_page", "sessions", "pageviews=sessions", "visitors",
			"percentage"},
		Order: []string{"-sessions"}}
	exit := renamed(entry, "exit_pages", "Exit pages", "Pages that sessions end on")
	exit.Dimensions = []string{"exit_page"}
	exit.Columns = []string{"path=exit_page", "name=exit_page", "sessions", "pageviews=sessions", "visitors",
		"percentage"}
	return []catalog.Type{
		{Name: "pages", Title: "Pages", Category: "Content", Visualization: "table", Tags: []string{"pages", "content"},
			AlsoCalled:  []string{"url", "urls"},
			Description: "Pages by visitors, with time on page and load time",
			Subject:     store.KindWebsite, Source: "pageviews", Joins: []string{"stays"}, Shape: catalog.Breakdown,
			Dimensions: []string{"path"},
			Columns: []string{"path", "name=path", "pageviews", "visitors", "percentage", "median_time_on_page",
				"avg_load_time"},
			Order: []string{"-visitors"}},
		top, live, entry, exit,
		{Name: "page_time_analysis", Title: "Time on pages", Category: "Engagement", Visualization: "table",
			Tags:        []string{"pages", "engagement"},
			Description: "How long people stay on pages: exits after more than one second and less than an hour",
			Subject:     store.KindWebsite, Source: "stays", Shape: catalog.Breakdown, Dimensions: []string{"path"},
			Columns: []string{"path", "name=path", "sessions_with_time", "visitors", "median_time_on_page",
				"percentage"},
			Order: []string{"-sessions_with_time"}},
		{Name: "engagement", Title: "Engagement", Category: "Engagement", Visualization: "table",
			Tags:        []string{"pages", "engagement", "scroll"},
			Description: "Scrolling, time and interactions by page, from departures",
			Subject:     store.KindWebsite, Source: "exits", Joins: []string{"pageviews", "stays"},
			Shape: catalog.Breakdown, Dimensions: []string{"path"},
			Columns: []string{"path", "name=path", "pageviews", "visitors", "sessions", "avg_scroll_depth",
				"avg_time_on_page",
				"median_time_on_page", "avg_interactions", "interaction_rate"},
			Order: []string{"-pageviews"}},
		{Name: "scroll_depth_distribution", Title: "Scroll depth", Category: "Engagement", Visualization: "bar",
			AlsoCalled:  []string{"scroll"},
			Tags:        []string{"engagement", "scroll"},
			Description: "How far down people scroll, in five ranges",
			Subject:     store.KindWebsite, Source: "scrolls", Shape: catalog.Breakdown,
			Dimensions: []string{"depth_range"}, Values: catalog.DepthRanges(), ZeroFill: true,
			Columns: []string{"depth_range", "visitors", "sessions", "percentage"}, ShareOf: "sessions"},
		{Name: "frustration_by_page", Title: "Frustration", Category: "Engagement", Visualization: "table",
			Tags:        []string{"pages", "engagement", "quality"},
			Description: "Rage clicks, dead clicks and errors by page",
			Subject:     store.KindWebsite, Source: "spans", Shape: catalog.Breakdown, Dimensions: []string{"path"},
			Columns: []string{"path", "name=path", "sessions", "visitors", "rage_clicks", "dead_clicks", "errors"},
			Order:   []string{"-rage_clicks"}},
	}
}

func performanceTypes() []catalog.Type {
	vitals := []string{"p75_lcp", "p75_fcp", "p75_cls", "p75_inp", "p75_ttfb"}
	return []catalog.Type{
		{Name: "performance", Title: "Performance", Category: "Performance", Visualization: "table",
			AlsoCalled:  []string{"latency", "speed"},
			Tags:        []string{"vitals", "speed"},
			Description: "Web vitals and load times by page",
			Subject:     store.KindWebsite, Source: "pageviews", Joins: []string{"vitals"}, Shape: catalog.Breakdown,
			Dimensions: []string{"path"}, OuterJoin: true,
			Columns: append(append([]string{"path", "name=path", "pageviews", "samples"}, vitals...), "avg_load_time",
				"avg_dom_ready_time", "avg_ttfb"),
			Order: []string{"-pageviews"}},
		{Name: "web_vitals_by_page", Title: "Web vitals by page", Category: "Performance", Visualization: "table",
			Tags:        []string{"vitals", "pages"},
			Description: "Web vitals by page",
			Subject:     store.KindWebsite, Source: "vitals", Shape: catalog.Breakdown, Dimensions: []string{"path"},
			Columns: append([]string{"path", "name=path", "samples", "visitors"}, vitals...),
			Order:   []string{"-samples"}},
		{Name: "vitals_overview", Title: "Web vitals", Category: "Performance", Visualization: "table",
			AlsoCalled:  []string{"corewebvital", "webvitals"},
			Tags:        []string{"vitals"},
			Description: "Percentiles of each web vital over all pages",
			Subject:     store.KindWebsite, Source: "vitals", Shape: catalog.Breakdown,
			Dimensions: []string{"metric_name"},
			Values:     []string{"FCP", "LCP", "CLS", "INP", "TTFB", "FPS"},
			Columns:    []string{"metric_name", "p50", "p75", "p90", "p95", "p99", "avg_value", "samples"}},
		{Name: "vitals_time_series", Title: "Web vitals over time", Category: "Performance",
			Visualization: "timeseries", Tags: []string{"vitals", "series"},
			Description: "Web vitals by day or hour",
			Subject:     store.KindWebsite, Source: "vitals", Shape: catalog.Series,
			Columns: append([]string{"date", "samples"}, vitals...), Order: []string{"date"}},
	}
}
