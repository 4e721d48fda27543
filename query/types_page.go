package query

import (
	"time"

	"github.com/sightline-analytics/sightline/store"
)

func pageTypes() []Type {
	top := breakdown(Type{Name: "top_pages", Title: "Top pages", Category: "Content", Chart: "table", Tags: []string{"pages", "content"},
		About: "Pages by visitors", By: []string{"path"}},
		"path", "name=path", "pageviews", "visitors", "percentage")
	live := again(top, "realtime_pages", "Pages now", "Pages seen in the last two minutes, whatever the range")
	live.Category, live.Last = "Realtime", 2*time.Minute
	entry := Type{Name: "entry_pages", Title: "Entry pages", Category: "Content", Chart: "table", Tags: []string{"pages", "sessions", "landing"},
		About: "Pages that sessions begin on",
		Of:    store.KindWebsite, Rows: "sessions", By: []string{"entry_page"},
		Columns: []string{"path=entry_page", "name=entry_page", "sessions", "pageviews=sessions", "visitors", "percentage"},
		Order:   []string{"-sessions"}}
	exit := again(entry, "exit_pages", "Exit pages", "Pages that sessions end on")
	exit.By = []string{"exit_page"}
	exit.Columns = []string{"path=exit_page", "name=exit_page", "sessions", "pageviews=sessions", "visitors", "percentage"}
	return []Type{
		{Name: "pages", Title: "Pages", Category: "Content", Chart: "table", Tags: []string{"pages", "content"},
			About: "Pages by visitors, with time on page and load time",
			Of:    store.KindWebsite, Rows: "pageviews", With: []string{"stays"}, By: []string{"path"},
			Columns: []string{"path", "name=path", "pageviews", "visitors", "percentage", "median_time_on_page", "avg_load_time"},
			Order:   []string{"-visitors"}},
		top, live, entry, exit,
		{Name: "page_time_analysis", Title: "Time on pages", Category: "Engagement", Chart: "table", Tags: []string{"pages", "engagement"},
			About: "How long people stay on pages: exits after more than one second and less than an hour",
			Of:    store.KindWebsite, Rows: "stays", By: []string{"path"},
			Columns: []string{"path", "name=path", "sessions_with_time", "visitors", "median_time_on_page", "percentage"},
			Order:   []string{"-sessions_with_time"}},
		{Name: "engagement", Title: "Engagement", Category: "Engagement", Chart: "table", Tags: []string{"pages", "engagement", "scroll"},
			About: "Scrolling, time and interactions by page, from departures",
			Of:    store.KindWebsite, Rows: "exits", With: []string{"pageviews", "stays"}, By: []string{"path"},
			Columns: []string{"path", "name=path", "pageviews", "visitors", "sessions", "avg_scroll_depth", "avg_time_on_page",
				"median_time_on_page", "avg_interactions", "interaction_rate"},
			Order: []string{"-pageviews"}},
		{Name: "scroll_depth_distribution", Title: "Scroll depth", Category: "Engagement", Chart: "bar", Tags: []string{"engagement", "scroll"},
			About: "How far down people scroll, in five ranges",
			Of:    store.KindWebsite, Rows: "scrolls", By: []string{"depth_range"}, Values: rangeNames(depthRanges), All: true,
			Columns: []string{"depth_range", "visitors", "sessions", "percentage"}, Share: "sessions"},
		{Name: "frustration_by_page", Title: "Frustration", Category: "Engagement", Chart: "table", Tags: []string{"pages", "engagement", "quality"},
			About: "Rage clicks, dead clicks and errors by page",
			Of:    store.KindWebsite, Rows: "spans", By: []string{"path"},
			Columns: []string{"path", "name=path", "sessions", "visitors", "rage_clicks", "dead_clicks", "errors"},
			Order:   []string{"-rage_clicks"}},
	}
}

func performanceTypes() []Type {
	vitals := []string{"p75_lcp", "p75_fcp", "p75_cls", "p75_inp", "p75_ttfb"}
	return []Type{
		{Name: "performance", Title: "Performance", Category: "Performance", Chart: "table", Tags: []string{"vitals", "speed"},
			About: "Web vitals and load times by page",
			Of:    store.KindWebsite, Rows: "pageviews", With: []string{"vitals"}, By: []string{"path"}, Either: true,
			Columns: append(append([]string{"path", "name=path", "pageviews", "samples"}, vitals...), "avg_load_time", "avg_dom_ready_time", "avg_ttfb"),
			Order:   []string{"-pageviews"}},
		{Name: "web_vitals_by_page", Title: "Web vitals by page", Category: "Performance", Chart: "table", Tags: []string{"vitals", "pages"},
			About: "Web vitals by page",
			Of:    store.KindWebsite, Rows: "vitals", By: []string{"path"},
			Columns: append([]string{"path", "name=path", "samples", "visitors"}, vitals...),
			Order:   []string{"-samples"}},
		{Name: "vitals_overview", Title: "Web vitals", Category: "Performance", Chart: "table", Tags: []string{"vitals"},
			About: "Percentiles of each web vital over all pages",
			Of:    store.KindWebsite, Rows: "vitals", By: []string{"metric_name"},
			Values:  []string{"FCP", "LCP", "CLS", "INP", "TTFB", "FPS"},
			Columns: []string{"metric_name", "p50", "p75", "p90", "p95", "p99", "avg_value", "samples"}},
		{Name: "vitals_time_series", Title: "Web vitals over time", Category: "Performance", Chart: "timeseries", Tags: []string{"vitals", "series"},
			About: "Web vitals by day or hour",
			Of:    store.KindWebsite, Rows: "vitals", Series: true,
			Columns: append([]string{"date", "samples"}, vitals...), Order: []string{"date"}},
	}
}
