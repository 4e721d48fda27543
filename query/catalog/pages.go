package catalog

import (
	"time"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func pageTypes() []Type {
	top := breakdown(Type{Name: "top_pages", Title: "Top pages", Category: "Content", Visualization: "table", Tags: []string{"pages", "content"},
		Description: "Pages by visitors", Dimensions: []string{"path"}},
		"path", "name=path", "pageviews", "visitors", "percentage")
	live := renamed(top, "realtime_pages", "Pages now", "Pages seen in the last two minutes, whatever the range")
	live.Category, live.Window = "Realtime", Window(2*time.Minute)
	entry := Type{Name: "entry_pages", Title: "Entry pages", Category: "Content", Visualization: "table", Tags: []string{"pages", "sessions", "landing"},
		Description: "Pages that sessions begin on",
		Subject:     store.KindWebsite, Source: "sessions", Shape: Breakdown, Dimensions: []string{"entry_page"},
		Columns: []string{"path=entry_page", "name=entry_page", "sessions", "pageviews=sessions", "visitors", "percentage"},
		Order:   []string{"-sessions"}}
	exit := renamed(entry, "exit_pages", "Exit pages", "Pages that sessions end on")
	exit.Dimensions = []string{"exit_page"}
	exit.Columns = []string{"path=exit_page", "name=exit_page", "sessions", "pageviews=sessions", "visitors", "percentage"}
	return []Type{
		{Name: "pages", Title: "Pages", Category: "Content", Visualization: "table", Tags: []string{"pages", "content"},
			Description: "Pages by visitors, with time on page and load time",
			Subject:     store.KindWebsite, Source: "pageviews", Joins: []string{"stays"}, Shape: Breakdown, Dimensions: []string{"path"},
			Columns: []string{"path", "name=path", "pageviews", "visitors", "percentage", "median_time_on_page", "avg_load_time"},
			Order:   []string{"-visitors"}},
		top, live, entry, exit,
		{Name: "page_time_analysis", Title: "Time on pages", Category: "Engagement", Visualization: "table", Tags: []string{"pages", "engagement"},
			Description: "How long people stay on pages: exits after more than one second and less than an hour",
			Subject:     store.KindWebsite, Source: "stays", Shape: Breakdown, Dimensions: []string{"path"},
			Columns: []string{"path", "name=path", "sessions_with_time", "visitors", "median_time_on_page", "percentage"},
			Order:   []string{"-sessions_with_time"}},
		{Name: "engagement", Title: "Engagement", Category: "Engagement", Visualization: "table", Tags: []string{"pages", "engagement", "scroll"},
			Description: "Scrolling, time and interactions by page, from departures",
			Subject:     store.KindWebsite, Source: "exits", Joins: []string{"pageviews", "stays"}, Shape: Breakdown, Dimensions: []string{"path"},
			Columns: []string{"path", "name=path", "pageviews", "visitors", "sessions", "avg_scroll_depth", "avg_time_on_page",
				"median_time_on_page", "avg_interactions", "interaction_rate"},
			Order: []string{"-pageviews"}},
		{Name: "scroll_depth_distribution", Title: "Scroll depth", Category: "Engagement", Visualization: "bar", Tags: []string{"engagement", "scroll"},
			Description: "How far down people scroll, in five ranges",
			Subject:     store.KindWebsite, Source: "scrolls", Shape: Breakdown, Dimensions: []string{"depth_range"}, Values: binNames(depthBins), ZeroFill: true,
			Columns: []string{"depth_range", "visitors", "sessions", "percentage"}, ShareOf: "sessions"},
		{Name: "frustration_by_page", Title: "Frustration", Category: "Engagement", Visualization: "table", Tags: []string{"pages", "engagement", "quality"},
			Description: "Rage clicks, dead clicks and errors by page",
			Subject:     store.KindWebsite, Source: "spans", Shape: Breakdown, Dimensions: []string{"path"},
			Columns: []string{"path", "name=path", "sessions", "visitors", "rage_clicks", "dead_clicks", "errors"},
			Order:   []string{"-rage_clicks"}},
	}
}

func performanceTypes() []Type {
	vitals := []string{"p75_lcp", "p75_fcp", "p75_cls", "p75_inp", "p75_ttfb"}
	return []Type{
		{Name: "performance", Title: "Performance", Category: "Performance", Visualization: "table", Tags: []string{"vitals", "speed"},
			Description: "Web vitals and load times by page",
			Subject:     store.KindWebsite, Source: "pageviews", Joins: []string{"vitals"}, Shape: Breakdown, Dimensions: []string{"path"}, OuterJoin: true,
			Columns: append(append([]string{"path", "name=path", "pageviews", "samples"}, vitals...), "avg_load_time", "avg_dom_ready_time", "avg_ttfb"),
			Order:   []string{"-pageviews"}},
		{Name: "web_vitals_by_page", Title: "Web vitals by page", Category: "Performance", Visualization: "table", Tags: []string{"vitals", "pages"},
			Description: "Web vitals by page",
			Subject:     store.KindWebsite, Source: "vitals", Shape: Breakdown, Dimensions: []string{"path"},
			Columns: append([]string{"path", "name=path", "samples", "visitors"}, vitals...),
			Order:   []string{"-samples"}},
		{Name: "vitals_overview", Title: "Web vitals", Category: "Performance", Visualization: "table", Tags: []string{"vitals"},
			Description: "Percentiles of each web vital over all pages",
			Subject:     store.KindWebsite, Source: "vitals", Shape: Breakdown, Dimensions: []string{"metric_name"},
			Values:  []string{"FCP", "LCP", "CLS", "INP", "TTFB", "FPS"},
			Columns: []string{"metric_name", "p50", "p75", "p90", "p95", "p99", "avg_value", "samples"}},
		{Name: "vitals_time_series", Title: "Web vitals over time", Category: "Performance", Visualization: "timeseries", Tags: []string{"vitals", "series"},
			Description: "Web vitals by day or hour",
			Subject:     store.KindWebsite, Source: "vitals", Shape: Series,
			Columns: append([]string{"date", "samples"}, vitals...), Order: []string{"date"}},
	}
}

func vitalMetrics() []BoundMetric {
	metrics := []BoundMetric{
		{source: "vitals", Output: countColumn("samples", "Samples", "Measured values"), Expr: expr.Call(dialect.Count)},
		{source: "vitals", Output: countColumn("visitors", "Visitors", "Distinct visitors measured"), Expr: visitors},
		{source: "vitals", Output: precise(NumberOutput("avg_value", "Mean", "ms", "Mean; CLS has no unit")), Expr: averageIn(unit, Row("value"))},
	}
	for _, p := range percentiles {
		metrics = append(metrics, BoundMetric{source: "vitals", Output: precise(NumberOutput(p.name, p.name, "ms", "Percentile; CLS has no unit")),
			Expr: quantileIn(unit, Row("value"), p.permille)})
	}
	for _, v := range []struct{ name, label, metric string }{
		{"p75_lcp", "LCP", "LCP"}, {"p75_fcp", "FCP", "FCP"}, {"p75_inp", "INP", "INP"}, {"p75_ttfb", "TTFB", "TTFB"},
	} {
		metrics = append(metrics, BoundMetric{source: "vitals", Output: NumberOutput(v.name, v.label, "ms", "75th percentile"), Expr: vital(v.metric, expr.Int(1))})
	}
	cls := NumberOutput("p75_cls", "CLS", "", "75th percentile")
	cls.Decimals = 4
	return append(metrics, BoundMetric{source: "vitals", Output: cls, Expr: vital("CLS", expr.Int(10_000))})
}

// vital is the 75th percentile of one metric.
func vital(metric string, unit expr.Expr) expr.Expr {
	return quantileIn(unit, When(expr.Eq(Row("metric_name"), expr.Arg(dialect.Text, metric)), Row("value")), 750)
}

// percentiles by name, in thousandths.
var percentiles = []struct {
	name     string
	permille int64
}{{"p50", 500}, {"p75", 750}, {"p90", 900}, {"p95", 950}, {"p99", 990}}

// precise gives CLS, the one vital that is not in milliseconds, the decimals it needs.
func precise(c Output) Output {
	c.Decimals, c.PreciseFor = 4, "CLS"
	return c
}

// unit is the number that divides a stored value of the metric of the row before it is shown.
var unit = expr.Call(dialect.Max, IfElse(expr.Eq(Row("metric_name"), expr.Lit("CLS")), expr.Int(10_000), expr.Int(1)))

func spanMetrics() []BoundMetric {
	sum := func(name, label, about string, of expr.Ident) BoundMetric {
		return BoundMetric{source: "spans", Output: countColumn(name, label, about), Expr: expr.Call(dialect.Sum, Row(of))}
	}
	return []BoundMetric{
		{source: "spans", Output: countColumn("sessions", "Sessions", "Distinct session ids"), Expr: sessionIDs},
		{source: "spans", Output: countColumn("visitors", "Visitors", "Distinct visitors"), Expr: visitors},
		sum("rage_clicks", "Rage clicks", "Fast clicks on the same spot", "rage_clicks"),
		sum("dead_clicks", "Dead clicks", "Clicks that changed nothing", "dead_clicks"),
		sum("errors", "Errors", "Errors while the page was open", "errors"),
	}
}
