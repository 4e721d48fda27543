package query

import (
	"fmt"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// metric is what a column of a type may show: with a source an aggregate over the rows of
// that table or, with perRow, the value of one row; without a source an expression over
// other metrics and dimensions by their names.
type metric struct {
	column
	source string
	perRow bool
	nameOf string    // the metric of profile ids whose names, which Config.Names has, take the place of what expr gives
	expr   expr.Expr // with a source, newCatalog puts in the dimensions that it names

	isDate  bool   // the day or hour of a row, which the compiler makes of the whole answer
	isShare bool   // the part that a row has of all, likewise
	table   *table // of source, by newCatalog
}

// The names of columns that the compiler makes of the whole answer.
const (
	dateColumn  = "date"
	shareColumn = "percentage"
)

// metricsByKey has every metric by its key.
type metricsByKey map[metricKey]*metric

// A metricKey tells metrics apart: the same name counts other rows in another table.
type metricKey struct {
	source, name string
	perRow       bool
}

// newCatalog makes the catalog, with every metric bound to its table, and tells what no table has.
func newCatalog() (metricsByKey, []error) {
	c := metricsByKey{}
	var faults []error
	for _, group := range [][]metric{
		answerMetrics(), labelMetrics(), sourceMetrics(),
		pageviewMetrics(), exitMetrics(), clickMetrics(), spanMetrics(), customEventMetrics(), exposureMetrics(), outcomeMetrics(), errorMetrics(), vitalMetrics(),
		sessionMetrics(), sessionListMetrics(), eventListMetrics(), visitorMetrics(),
		blockedMetrics(), linkMetrics(), checkMetrics(), checkListMetrics(),
	} {
		for i := range group {
			m := &group[i]
			c[metricKey{m.source, m.Name, m.perRow}] = m
			if m.source != "" {
				faults = append(faults, m.bind())
			}
		}
	}
	return c, faults
}

// bind gives m its table, and puts what rows of it have in for the dimensions that m names.
func (m *metric) bind() error {
	if m.table = tableNamed(m.source); m.table == nil {
		return fmt.Errorf("query: there is no table %q", m.source)
	}
	var missing error
	m.expr = expr.Replace(m.expr, func(name string) expr.Expr {
		f := fieldNamed(name)
		if f == nil || !m.table.has(f) {
			missing = fmt.Errorf("query: %q of table %q needs %q, which it has not", m.Name, m.source, name)
			return expr.Null()
		}
		return value(f, m.table)
	})
	return missing
}

func countColumn(name, label, about string) column {
	return column{Name: name, Label: label, Description: about, Format: Integer, Zero: true}
}

func numberColumn(name, label, unit, about string) column {
	return column{Name: name, Label: label, Unit: unit, Description: about, Format: Number, Decimals: 2}
}

func textColumn(name, label, about string) column {
	return column{Name: name, Label: label, Description: about, Format: String}
}

func instantColumn(name, label, about string) column {
	return column{Name: name, Label: label, Description: about, Format: DateTime}
}

func flagColumn(name, label, about string) column {
	return column{Name: name, Label: label, Description: about, Format: Boolean}
}

// percent is 100 · part / of, null when of is 0.
func percent(part, of expr.Expr) expr.Expr {
	return expr.Call(dialect.Ratio, expr.Mul(expr.Int(100), part), of)
}

// average is the mean of the integers e where they are known.
func average(e expr.Expr) expr.Expr {
	return expr.Call(dialect.Ratio, expr.Call(dialect.Sum, e), knownCount(e))
}

// averageIn is the mean in a larger unit: one division, since two would round twice.
func averageIn(unit, e expr.Expr) expr.Expr {
	return expr.Call(dialect.Ratio, expr.Call(dialect.Sum, e), expr.Mul(knownCount(e), unit))
}

func knownCount(e expr.Expr) expr.Expr { return expr.Call(dialect.CountIf, expr.IsNotNull(e)) }

// quantile is the value below which a share of permille of the integers e lies.
func quantile(e expr.Expr, permille int64) expr.Expr { return quantileIn(expr.Int(1), e, permille) }

// quantileIn is a quantile in a larger unit: of integers at thousandths it is a whole
// number of thousandths, so that one division is exact to the last digit shown.
func quantileIn(unit, e expr.Expr, permille int64) expr.Expr {
	return expr.Call(dialect.Ratio, expr.Call(dialect.Quantile, e, expr.Int(permille)), expr.Mul(unit, expr.Int(1000)))
}

// when is e in the rows where cond holds, and nothing in the others.
func when(cond, e expr.Expr) expr.Expr { return ifElse(cond, e, expr.Null()) }

// toSeconds turns milliseconds into seconds.
func toSeconds(e expr.Expr) expr.Expr { return expr.Call(dialect.Ratio, e, expr.Int(1000)) }

func answerMetrics() []metric {
	return []metric{
		{isDate: true, column: column{Name: dateColumn, Label: "Date", Format: Date, Description: "Local day or hour"}},
		{isShare: true, column: numberColumn(shareColumn, "Share", "%", "Share of the ordering metric over all rows")},
		{column: numberColumn("pages_per_session", "Pages per session", "", "Pageviews of the row per session started in it"),
			expr: expr.Call(dialect.Ratio, expr.Ref("pageviews"), expr.Ref("sessions"))},
	}
}

func pageviewMetrics() []metric {
	return []metric{
		{source: "pageviews", column: countColumn("pageviews", "Pageviews", "Pages seen"), expr: expr.Call(dialect.Count)},
		{source: "pageviews", column: countColumn("visitors", "Visitors", "Distinct visitors with a pageview"), expr: visitors},
		{source: "pageviews", column: countColumn("session_ids", "Sessions", "Distinct session ids with a pageview"), expr: sessionIDs},
		{source: "pageviews", column: countColumn("browser_versions", "Versions", "Distinct versions of the browser"), expr: expr.Call(dialect.CountDistinct, expr.Ref("browser_version"))},
		{source: "pageviews", column: numberColumn("avg_load_time", "Load time", "ms", "Mean over the pageviews that carry it"), expr: average(row("load_time"))},
		{source: "pageviews", column: numberColumn("avg_dom_ready_time", "DOM ready", "ms", "Mean over the pageviews that carry it"), expr: average(row("dom_ready_time"))},
		{source: "pageviews", column: numberColumn("avg_ttfb", "Time to first byte", "ms", "Mean over the pageviews that carry it"), expr: average(row("ttfb"))},
		{source: "activity", column: countColumn("total_events", "Events", "Page events, custom events and clicks"), expr: expr.Call(dialect.Count)},
	}
}

// Distinct visitors and session ids among rows.
var (
	visitors   = expr.Call(dialect.CountDistinctHash, row("visitor_hash"))
	sessionIDs = expr.Call(dialect.CountDistinctHash, row("session_hash"))
)

func exitMetrics() []metric {
	scrolled := when(expr.Gt(row("scroll_depth"), expr.Int(0)), row("scroll_depth"))
	return []metric{
		{source: "exits", column: countColumn("visitors", "Visitors", "Distinct visitors who left the page"), expr: visitors},
		{source: "exits", column: countColumn("sessions", "Sessions", "Distinct session ids that left the page"), expr: sessionIDs},
		{source: "exits", column: numberColumn("avg_scroll_depth", "Scroll depth", "%", "Mean over the exits that scrolled"), expr: average(scrolled)},
		{source: "exits", column: numberColumn("avg_interactions", "Interactions", "", "Mean over the exits that carry it"), expr: average(row("interactions"))},
		{source: "exits", column: numberColumn("interaction_rate", "Interaction rate", "%", "Exits with an interaction"),
			expr: percent(expr.Call(dialect.CountIf, expr.Gt(row("interactions"), expr.Int(0))), expr.Call(dialect.Count))},
		{source: "stays", column: countColumn("sessions_with_time", "Sessions with time", "Distinct session ids with a time on the page"), expr: sessionIDs},
		{source: "stays", column: countColumn("visitors", "Visitors", "Distinct visitors with a time on the page"), expr: visitors},
		{source: "stays", column: numberColumn("avg_time_on_page", "Mean time on page", "s", "Mean of the exits of more than 1 s and less than 1 h"), expr: averageIn(expr.Int(1000), row("time_on_page"))},
		{source: "stays", column: numberColumn("median_time_on_page", "Time on page", "s", "Median of the exits of more than 1 s and less than 1 h"), expr: quantileIn(expr.Int(1000), row("time_on_page"), 500)},
		{source: "scrolls", column: countColumn("visitors", "Visitors", "Distinct visitors who left the page"), expr: visitors},
		{source: "scrolls", column: countColumn("sessions", "Sessions", "Distinct session ids that left the page"), expr: sessionIDs},
	}
}

func clickMetrics() []metric {
	return []metric{
		{source: "clicks", column: countColumn("total_clicks", "Clicks", "Clicks on outgoing links"), expr: expr.Call(dialect.Count)},
		{source: "clicks", column: countColumn("unique_users", "Visitors", "Distinct visitors"), expr: visitors},
		{source: "clicks", column: countColumn("unique_sessions", "Sessions", "Distinct session ids"), expr: sessionIDs},
		{source: "clicks", column: countColumn("unique_links", "Links", "Distinct addresses"), expr: expr.Call(dialect.CountDistinct, row("href"))},
		{source: "clicks", column: instantColumn("last_clicked", "Last click", "Time of the latest click in the range"), expr: expr.Call(dialect.Max, row("time"))},
	}
}

func sessionMetrics() []metric {
	return []metric{
		{source: "sessions", column: countColumn("sessions", "Sessions", "Sessions that began here and have a pageview"), expr: expr.Call(dialect.Count)},
		{source: "sessions", column: countColumn("visitors", "Visitors", "Distinct visitors of the sessions"), expr: expr.Call(dialect.CountDistinctHash, ofSession("visitor_hash"))},
		{source: "sessions", column: numberColumn("bounce_rate", "Bounce rate", "%", "Share of sessions of one pageview, under 10 s, without custom event or click"),
			expr: percent(expr.Call(dialect.CountIf, bounced), expr.Call(dialect.Count))},
		{source: "sessions", column: numberColumn("avg_session_duration", "Mean session duration", "s", "Mean over all sessions"), expr: averageIn(expr.Int(1000), duration)},
		{source: "sessions", column: numberColumn("median_session_duration", "Session duration", "s", "Median over all sessions"), expr: quantileIn(expr.Int(1000), duration, 500)},
	}
}

func sessionListMetrics() []metric {
	of := func(c column, e expr.Expr) metric {
		return metric{source: "sessions", perRow: true, column: c, expr: e}
	}
	return []metric{
		of(textColumn("session_id", "Session", "Id of the session, as it was sent"), ofSession("session_id")),
		of(instantColumn("first_visit", "First visit", "Time of the first event"), ofSession("start")),
		of(instantColumn("last_visit", "Last visit", "Time of the last event"), ofSession("ended")),
		of(numberColumn("duration", "Duration", "s", "At most 8 hours"), toSeconds(duration)),
		of(countColumn("page_views", "Pageviews", "Pages seen in the whole session"), ofSession("pageviews")),
		of(countColumn("total_events", "Events", "Page events, custom events and clicks"), ofSession("events")),
		of(flagColumn("bounced", "Bounced", "One pageview, under 10 s, without custom event or click"), expr.Call(dialect.If, bounced, expr.Int(1), expr.Int(0))),
		of(textColumn("visitor_id", "Visitor", "Profile id, else anonymous id"), ofSession("visitor")),
		of(textColumn("profile_id", "Profile", "Of the first page event; empty when nobody was identified"), ofSession("profile_id")),
	}
}

func customEventMetrics() []metric {
	known := expr.And(expr.Ne(row("properties"), expr.Lit("")), expr.Ne(row("properties"), expr.Lit("{}")))
	return []metric{
		{source: "custom", column: countColumn("total_events", "Events", "Custom events"), expr: expr.Call(dialect.Count)},
		{source: "custom", column: countColumn("unique_users", "Visitors", "Distinct visitors"), expr: visitors},
		{source: "custom", column: countColumn("unique_sessions", "Sessions", "Distinct session ids"), expr: sessionIDs},
		{source: "custom", column: instantColumn("first_occurrence", "First", "Time of the first event in the range"), expr: expr.Call(dialect.Min, row("time"))},
		{source: "custom", column: instantColumn("last_occurrence", "Last", "Time of the latest event in the range"), expr: expr.Call(dialect.Max, row("time"))},
		{source: "custom", column: countColumn("events_with_properties", "With properties", "Events that have a property"), expr: expr.Call(dialect.CountIf, known)},
		{source: "properties", column: countColumn("count", "Events", "Events with this value"), expr: expr.Call(dialect.Count)},
	}
}

func errorMetrics() []metric {
	return []metric{
		{source: "errors", column: countColumn("count", "Errors", "JavaScript errors"), expr: expr.Call(dialect.Count)},
		{source: "errors", column: countColumn("users", "Visitors", "Distinct visitors"), expr: visitors},
		{source: "errors", column: countColumn("sessions", "Sessions", "Distinct session ids"), expr: sessionIDs},
		{source: "errors", column: instantColumn("first_seen", "First seen", "Time of the first error in the range"), expr: expr.Call(dialect.Min, row("time"))},
		{source: "errors", column: instantColumn("last_seen", "Last seen", "Time of the latest error in the range"), expr: expr.Call(dialect.Max, row("time"))},
		{source: "errors", column: countColumn("unique_messages", "Messages", "Distinct messages"), expr: expr.Call(dialect.CountDistinct, row("message"))},
		{source: "errors", column: textColumn("latest_path", "Path", "Path of the latest error"), expr: latest(row("path"), row("keyed"))},
	}
}

// latest is e of the latest row; equal times are told apart by event id, and then by more.
func latest(e expr.Expr, more ...expr.Expr) expr.Expr {
	return expr.Call(dialect.ArgMaxList, e, expr.List(append([]expr.Expr{row("time"), row("event_id")}, more...)...))
}
