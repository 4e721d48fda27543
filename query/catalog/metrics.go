package catalog

import (
	"fmt"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A BoundMetric is a possible column of a type. With a source it is an aggregate over the rows of that table or, with
// perRow, the value of one row. Without a source it is an expression over other metrics and dimensions by their names.
type BoundMetric struct {
	Output
	source string
	PerRow bool
	NameOf string    // the metric of profile ids whose names, which Config.Names has, take the place of what expr gives
	Expr   expr.Expr // with a source, newCatalog puts in the dimensions that it names

	Property string // the key of the property that a choice computes it of; empty: none
	// of the sum of a property: the two that it and its share are computed from; of its mean also the count
	parts   []*BoundMetric
	isDate  bool   // the day or hour of a row, which the compiler makes of the whole answer
	isShare bool   // the part that a row has of all, likewise
	Table   *Table // of source, by newCatalog
}

// The names of columns that the compiler makes of the whole answer.
const (
	DateColumn  = "date"
	ShareColumn = "percentage"
)

// metricsByKey has every metric by its key.
type metricsByKey map[metricKey]*BoundMetric

// A metricKey tells metrics apart: the same name counts other rows in another table.
type metricKey struct {
	source, name string
	perRow       bool
}

// newCatalog returns all metrics, bound to their tables, and an error for each name that no table has.
func newCatalog() (metricsByKey, []error) {
	c := metricsByKey{}
	var faults []error
	for _, group := range [][]BoundMetric{
		answerMetrics(), labelMetrics(), sourceMetrics(),
		pageviewMetrics(), exitMetrics(), clickMetrics(), spanMetrics(), customEventMetrics(), exposureMetrics(),
		outcomeMetrics(), goalMetrics(), funnelMetrics(), transitionMetrics(), cohortMetrics(), changeMetrics(),
		errorMetrics(), vitalMetrics(),
		sessionMetrics(), sessionListMetrics(), eventListMetrics(), visitorMetrics(),
		blockedMetrics(), linkMetrics(), checkMetrics(), checkListMetrics(),
	} {
		for i := range group {
			m := &group[i]
			c[metricKey{m.source, m.Name, m.PerRow}] = m
			if m.source != "" {
				faults = append(faults, m.bind())
			}
		}
	}
	return c, faults
}

// bind gives m its table, and puts what rows of it have in for the dimensions that m names.
func (m *BoundMetric) bind() error {
	if m.Table = TableNamed(m.source); m.Table == nil {
		return fmt.Errorf("query: table %q does not exist", m.source)
	}
	var missing error
	m.Expr = expr.Replace(m.Expr, func(name string) expr.Expr {
		f := FieldNamed(name)
		if f == nil || !m.Table.Has(f) {
			missing = fmt.Errorf("query: %q of table %q needs %q, which it has not", m.Name, m.source, name)
			return expr.Null()
		}
		return Value(f, m.Table)
	})
	return missing
}

func countColumn(name, label, about string) Output {
	return Output{Name: name, Label: label, Description: about, Format: Integer, Zero: true}
}

// NumberOutput returns a column of numbers with two decimals.
func NumberOutput(name, label, unit, about string) Output {
	return Output{Name: name, Label: label, Unit: unit, Description: about, Format: Number, Decimals: 2}
}

func textColumn(name, label, about string) Output {
	return Output{Name: name, Label: label, Description: about, Format: String}
}

func instantColumn(name, label, about string) Output {
	return Output{Name: name, Label: label, Description: about, Format: DateTime}
}

func flagColumn(name, label, about string) Output {
	return Output{Name: name, Label: label, Description: about, Format: Boolean}
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
	found := expr.Call(dialect.Quantile, e, expr.Int(permille))
	if permille == 500 {
		found = expr.Call(dialect.Median, e) // faster
	}
	return expr.Call(dialect.Ratio, found, expr.Mul(unit, expr.Int(1000)))
}

// When is e in the rows where cond holds, and nothing in the others.
func When(cond, e expr.Expr) expr.Expr { return IfElse(cond, e, expr.Null()) }

// toSeconds turns milliseconds into seconds.
func toSeconds(e expr.Expr) expr.Expr { return expr.Call(dialect.Ratio, e, expr.Int(1000)) }

func answerMetrics() []BoundMetric {
	return []BoundMetric{
		{isDate: true, Output: Output{Name: DateColumn, Label: "Date", Format: Date, Description: "Local day or hour"}},
		{isShare: true, Output: NumberOutput(ShareColumn, "Share", "%", "Share of the ordering metric over all rows")},
		{Output: NumberOutput("pages_per_session", "Pages per session", "",
			"Pageviews of the row per session started in it"),
			Expr: expr.Call(dialect.Ratio, expr.Ref("pageviews"), expr.Ref("sessions"))},
	}
}

func pageviewMetrics() []BoundMetric {
	return []BoundMetric{
		{source: "pageviews", Output: countColumn("pageviews", "Pageviews", "Pages seen"),
			Expr: expr.Call(dialect.Count)},
		{source: "pageviews", Output: countColumn("visitors", "Visitors", "Distinct visitors with a pageview"),
			Expr: visitors},
		{source: "pageviews", Output: countColumn("session_ids", "Sessions", "Distinct session ids with a pageview"),
			Expr: sessionIDs},
		{source: "pageviews", Output: countColumn("browser_versions", "Versions", "Distinct versions of the browser"),
			Expr: expr.Call(dialect.CountDistinct, expr.Ref("browser_version"))},
		{source: "pageviews", Output: NumberOutput("avg_load_time", "Load time", "ms",
			"Mean over the pageviews that carry it"), Expr: average(Row("load_time"))},
		{source: "pageviews", Output: NumberOutput("avg_dom_ready_time", "DOM ready", "ms",
			"Mean over the pageviews that carry it"), Expr: average(Row("dom_ready_time"))},
		{source: "pageviews", Output: NumberOutput("avg_ttfb", "Time to first byte", "ms",
			"Mean over the pageviews that carry it"), Expr: average(Row("ttfb"))},
		{source: "activity", Output: countColumn("total_events", "Events", "Page events, custom events and clicks"),
			Expr: expr.Call(dialect.Count)},
	}
}

// Distinct visitors and session ids among rows.
var (
	visitors   = expr.Call(dialect.CountDistinctHash, Row("visitor_hash"))
	sessionIDs = expr.Call(dialect.CountDistinctHash, Row("session_hash"))
)

func exitMetrics() []BoundMetric {
	scrolled := When(expr.Gt(Row("scroll_depth"), expr.Int(0)), Row("scroll_depth"))
	return []BoundMetric{
		{source: "exits", Output: countColumn("visitors", "Visitors", "Distinct visitors who left the page"),
			Expr: visitors},
		{source: "exits", Output: countColumn("sessions", "Sessions", "Distinct session ids that left the page"),
			Expr: sessionIDs},
		{source: "exits", Output: NumberOutput("avg_scroll_depth", "Scroll depth", "%",
			"Mean over the exits that scrolled"), Expr: average(scrolled)},
		{source: "exits", Output: NumberOutput("avg_interactions", "Interactions", "",
			"Mean over the exits that carry it"), Expr: average(Row("interactions"))},
		{source: "exits", Output: NumberOutput("interaction_rate", "Interaction rate", "%",
			"Exits with an interaction"),
			Expr: percent(expr.Call(dialect.CountIf, expr.Gt(Row("interactions"), expr.Int(0))),
				expr.Call(dialect.Count))},
		{source: "stays", Output: countColumn("sessions_with_time", "Sessions with time",
			"Distinct session ids with a time on the page"), Expr: sessionIDs},
		{source: "stays", Output: countColumn("visitors", "Visitors", "Distinct visitors with a time on the page"),
			Expr: visitors},
		{source: "stays", Output: NumberOutput("avg_time_on_page", "Mean time on page", "s",
			"Mean of the exits of more than 1 s and less than 1 h"),
			Expr: averageIn(expr.Int(1000), Row("time_on_page"))},
		{source: "stays", Output: NumberOutput("median_time_on_page", "Time on page", "s",
			"Median of the exits of more than 1 s and less than 1 h"),
			Expr: quantileIn(expr.Int(1000), Row("time_on_page"), 500)},
		{source: "scrolls", Output: countColumn("visitors", "Visitors", "Distinct visitors who left the page"),
			Expr: visitors},
		{source: "scrolls", Output: countColumn("sessions", "Sessions", "Distinct session ids that left the page"),
			Expr: sessionIDs},
	}
}

func clickMetrics() []BoundMetric {
	return []BoundMetric{
		{source: "clicks", Output: countColumn("total_clicks", "Clicks", "Clicks on outgoing links"),
			Expr: expr.Call(dialect.Count)},
		{source: "clicks", Output: countColumn("unique_users", "Visitors", "Distinct visitors"), Expr: visitors},
		{source: "clicks", Output: countColumn("unique_sessions", "Sessions", "Distinct session ids"),
			Expr: sessionIDs},
		{source: "clicks", Output: countColumn("unique_links", "Links", "Distinct addresses"),
			Expr: expr.Call(dialect.CountDistinct, Row("href"))},
		{source: "clicks", Output: instantColumn("last_clicked", "Last click", "Time of the latest click in the range"),
			Expr: expr.Call(dialect.Max, Row("time"))},
	}
}

func sessionMetrics() []BoundMetric {
	return []BoundMetric{
		{source: "sessions", Output: countColumn("sessions", "Sessions",
			"Sessions that began here and have a pageview"), Expr: expr.Call(dialect.Count)},
		{source: "sessions", Output: countColumn("visitors", "Visitors", "Distinct visitors of the sessions"),
			Expr: expr.Call(dialect.CountDistinctHash, OfSession("visitor_hash"))},
		{source: "sessions", Output: NumberOutput("bounce_rate", "Bounce rate", "%",
			"Share of sessions of one pageview, under 10 s, without custom event or click"),
			Expr: percent(expr.Call(dialect.CountIf, bounced), expr.Call(dialect.Count))},
		{source: "sessions", Output: NumberOutput("avg_session_duration", "Mean session duration", "s",
			"Mean over all sessions"), Expr: averageIn(expr.Int(1000), duration)},
		{source: "sessions", Output: NumberOutput("median_session_duration", "Session duration", "s",
			"Median over all sessions"), Expr: quantileIn(expr.Int(1000), duration, 500)},
	}
}

func sessionListMetrics() []BoundMetric {
	of := func(c Output, e expr.Expr) BoundMetric {
		return BoundMetric{source: "sessions", PerRow: true, Output: c, Expr: e}
	}
	return []BoundMetric{
		of(textColumn("session_id", "Session", "Id of the session, as it was sent"), OfSession("session_id")),
		of(instantColumn("first_visit", "First visit", "Time of the first event"), OfSession("start")),
		of(instantColumn("last_visit", "Last visit", "Time of the last event"), OfSession("ended")),
		of(NumberOutput("duration", "Duration", "s", "At most 8 hours"), toSeconds(duration)),
		of(countColumn("page_views", "Pageviews", "Pages seen in the whole session"), OfSession("pageviews")),
		of(countColumn("total_events", "Events", "Page events, custom events and clicks"), OfSession("events")),
		of(flagColumn("bounced", "Bounced", "One pageview, under 10 s, without custom event or click"),
			expr.Call(dialect.If, bounced, expr.Int(1), expr.Int(0))),
		of(textColumn("visitor_id", "Visitor", "Profile id, else anonymous id"), OfSession("visitor")),
		of(textColumn("profile_id", "Profile", "Of the first page event; empty when nobody was identified"),
			OfSession("profile_id")),
	}
}

func customEventMetrics() []BoundMetric {
	known := expr.And(expr.Ne(Row("properties"), expr.Lit("")), expr.Ne(Row("properties"), expr.Lit("{}")))
	return []BoundMetric{
		{source: "custom", Output: countColumn("total_events", "Events", "Custom events"),
			Expr: expr.Call(dialect.Count)},
		{source: "custom", Output: countColumn("unique_users", "Visitors", "Distinct visitors"), Expr: visitors},
		{source: "custom", Output: countColumn("unique_sessions", "Sessions", "Distinct session ids"),
			Expr: sessionIDs},
		{source: "custom", Output: instantColumn("first_occurrence", "First", "Time of the first event in the range"),
			Expr: expr.Call(dialect.Min, Row("time"))},
		{source: "custom", Output: instantColumn("last_occurrence", "Last", "Time of the latest event in the range"),
			Expr: expr.Call(dialect.Max, Row("time"))},
		{source: "custom", Output: countColumn("events_with_properties", "With properties",
			"Events that have a property"), Expr: expr.Call(dialect.CountIf, known)},
		{source: "properties", Output: countColumn("count", "Events", "Events with this value"),
			Expr: expr.Call(dialect.Count)},
	}
}

func errorMetrics() []BoundMetric {
	return []BoundMetric{
		{source: "errors", Output: countColumn("count", "Errors", "JavaScript errors"), Expr: expr.Call(dialect.Count)},
		{source: "errors", Output: countColumn("users", "Visitors", "Distinct visitors"), Expr: visitors},
		{source: "errors", Output: countColumn("sessions", "Sessions", "Distinct session ids"), Expr: sessionIDs},
		{source: "errors", Output: instantColumn("first_seen", "First seen", "Time of the first error in the range"),
			Expr: expr.Call(dialect.Min, Row("time"))},
		{source: "errors", Output: instantColumn("last_seen", "Last seen", "Time of the latest error in the range"),
			Expr: expr.Call(dialect.Max, Row("time"))},
		{source: "errors", Output: countColumn("unique_messages", "Messages", "Distinct messages"),
			Expr: expr.Call(dialect.CountDistinct, Row("message"))},
		{source: "errors", Output: textColumn("latest_path", "Path", "Path of the latest error"),
			Expr: Latest(Row("path"), Row("keyed"))},
	}
}

// Latest is e of the latest row. Rows with equal times are ordered by event id, and then by more.
func Latest(e expr.Expr, more ...expr.Expr) expr.Expr {
	return expr.Call(dialect.ArgMaxList, e, expr.List(append([]expr.Expr{Row("time"), Row("event_id")}, more...)...))
}
