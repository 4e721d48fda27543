package query

import (
	"fmt"

	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// term is one word of the vocabulary that types choose their columns from.
//
// With on, it is about the rows of that table: an aggregate over them, or, with row,
// the value of one of them. Without on, it is made of other terms and dimensions by
// their names.
type term struct {
	column
	on   string
	row  bool
	expr expr.Expr // with on, newDictionary puts in the dimensions that it names

	date  bool   // the day or hour of a row, which the compiler makes of the whole answer
	share bool   // the part that a row has of all, likewise
	table *table // of on, by newDictionary
}

// The names of columns that the compiler makes of the whole answer.
const (
	dateColumn  = "date"
	shareColumn = "percentage"
)

// dictionary is every term by what it is about.
type dictionary map[word]*term

// A word is a name in a table, of one row or of many.
type word struct {
	on, name string
	row      bool
}

// newDictionary looks up what terms name of their tables, and tells what is not there.
func newDictionary() (dictionary, []error) {
	d := dictionary{}
	var faults []error
	for _, group := range [][]term{
		answerTerms(), labelTerms(), referrerTerms(),
		pageviewTerms(), exitTerms(), clickTerms(), spanTerms(), eventTerms(), errorTerms(), vitalTerms(),
		sessionTerms(), sessionListTerms(), momentTerms(), profileTerms(),
		linkTerms(), checkTerms(), checkListTerms(),
	} {
		for i := range group {
			tm := &group[i]
			d[word{tm.on, tm.Name, tm.row}] = tm
			if tm.on != "" {
				faults = append(faults, tm.bind())
			}
		}
	}
	return d, faults
}

// bind gives tm its table, and puts what rows of it have in for the dimensions that tm names.
func (tm *term) bind() error {
	if tm.table = tableNamed(tm.on); tm.table == nil {
		return fmt.Errorf("query: there is no table %q", tm.on)
	}
	var missing error
	tm.expr = expr.Replace(tm.expr, func(name string) expr.Expr {
		f := dimension(name)
		if f == nil || !tm.table.has(f) {
			missing = fmt.Errorf("query: %q of table %q needs %q, which it has not", tm.Name, tm.on, name)
			return expr.Null()
		}
		return value(f, tm.table)
	})
	return missing
}

func countColumn(name, label, about string) column {
	return column{Name: name, Label: label, About: about, Format: Integer, Zero: true}
}

func numberColumn(name, label, unit, about string) column {
	return column{Name: name, Label: label, Unit: unit, About: about, Format: Number, Decimals: 2}
}

func textColumn(name, label, about string) column {
	return column{Name: name, Label: label, About: about, Format: String}
}

func instantColumn(name, label, about string) column {
	return column{Name: name, Label: label, About: about, Format: DateTime}
}

func flagColumn(name, label, about string) column {
	return column{Name: name, Label: label, About: about, Format: Boolean}
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

func knownCount(e expr.Expr) expr.Expr { return expr.Call(dialect.CountIf, expr.IsKnown(e)) }

// quantile is the value below which a share of permille of the integers e lies.
func quantile(e expr.Expr, permille int64) expr.Expr { return quantileIn(expr.Int(1), e, permille) }

// quantileIn is a quantile in a larger unit: of integers at thousandths it is a whole
// number of thousandths, so that one division is exact to the last digit shown.
func quantileIn(unit, e expr.Expr, permille int64) expr.Expr {
	return expr.Call(dialect.Ratio, expr.Call(dialect.Quantile, e, expr.Int(permille)), expr.Mul(unit, expr.Int(1000)))
}

// only is e in the rows where cond holds, and nothing in the others.
func only(cond, e expr.Expr) expr.Expr { return where(cond, e, expr.Null()) }

// thousandth turns milliseconds into seconds.
func thousandth(e expr.Expr) expr.Expr { return expr.Call(dialect.Ratio, e, expr.Int(1000)) }

func answerTerms() []term {
	return []term{
		{date: true, column: column{Name: dateColumn, Label: "Date", Format: Date, About: "Local day or hour"}},
		{share: true, column: numberColumn(shareColumn, "Share", "%", "Share of the ordering metric over all rows")},
		{column: numberColumn("pages_per_session", "Pages per session", "", "Pageviews of the row per session started in it"),
			expr: expr.Call(dialect.Ratio, expr.Ref("pageviews"), expr.Ref("sessions"))},
	}
}

func pageviewTerms() []term {
	return []term{
		{on: "pageviews", column: countColumn("pageviews", "Pageviews", "Pages seen"), expr: expr.Call(dialect.Count)},
		{on: "pageviews", column: countColumn("visitors", "Visitors", "Distinct visitors with a pageview"), expr: visitors},
		{on: "pageviews", column: countColumn("session_ids", "Sessions", "Distinct session ids with a pageview"), expr: sessionIDs},
		{on: "pageviews", column: countColumn("browser_versions", "Versions", "Distinct versions of the browser"), expr: expr.Call(dialect.Uniq, expr.Ref("browser_version"))},
		{on: "pageviews", column: numberColumn("avg_load_time", "Load time", "ms", "Mean over the pageviews that carry it"), expr: average(row("load_time"))},
		{on: "pageviews", column: numberColumn("avg_dom_ready_time", "DOM ready", "ms", "Mean over the pageviews that carry it"), expr: average(row("dom_ready_time"))},
		{on: "pageviews", column: numberColumn("avg_ttfb", "Time to first byte", "ms", "Mean over the pageviews that carry it"), expr: average(row("ttfb"))},
		{on: "activity", column: countColumn("total_events", "Events", "Page events, custom events and clicks"), expr: expr.Call(dialect.Count)},
	}
}

// Distinct visitors and session ids among rows.
var (
	visitors   = expr.Call(dialect.Uniq, row("visitor"))
	sessionIDs = expr.Call(dialect.Uniq, row("session_id"))
)

func exitTerms() []term {
	scrolled := only(expr.Gt(row("scroll_depth"), expr.Int(0)), row("scroll_depth"))
	return []term{
		{on: "exits", column: countColumn("visitors", "Visitors", "Distinct visitors who left the page"), expr: visitors},
		{on: "exits", column: countColumn("sessions", "Sessions", "Distinct session ids that left the page"), expr: sessionIDs},
		{on: "exits", column: numberColumn("avg_scroll_depth", "Scroll depth", "%", "Mean over the exits that scrolled"), expr: average(scrolled)},
		{on: "exits", column: numberColumn("avg_time_on_page", "Mean time on page", "s", "Mean over the exits that carry it"), expr: averageIn(expr.Int(1000), row("time_on_page"))},
		{on: "exits", column: numberColumn("avg_interactions", "Interactions", "", "Mean over the exits that carry it"), expr: average(row("interactions"))},
		{on: "exits", column: numberColumn("interaction_rate", "Interaction rate", "%", "Exits with an interaction"),
			expr: percent(expr.Call(dialect.CountIf, expr.Gt(row("interactions"), expr.Int(0))), expr.Call(dialect.Count))},
		{on: "stays", column: countColumn("sessions_with_time", "Sessions with time", "Distinct session ids with a time on the page"), expr: sessionIDs},
		{on: "stays", column: countColumn("visitors", "Visitors", "Distinct visitors with a time on the page"), expr: visitors},
		{on: "stays", column: numberColumn("median_time_on_page", "Time on page", "s", "Median of the exits of more than 1 s and less than 1 h"), expr: quantileIn(expr.Int(1000), row("time_on_page"), 500)},
		{on: "scrolls", column: countColumn("visitors", "Visitors", "Distinct visitors who left the page"), expr: visitors},
		{on: "scrolls", column: countColumn("sessions", "Sessions", "Distinct session ids that left the page"), expr: sessionIDs},
	}
}

func clickTerms() []term {
	return []term{
		{on: "clicks", column: countColumn("total_clicks", "Clicks", ""), expr: expr.Call(dialect.Count)},
		{on: "clicks", column: countColumn("unique_users", "Visitors", "Distinct visitors"), expr: visitors},
		{on: "clicks", column: countColumn("unique_sessions", "Sessions", "Distinct session ids"), expr: sessionIDs},
		{on: "clicks", column: countColumn("unique_links", "Links", "Distinct addresses"), expr: expr.Call(dialect.Uniq, row("href"))},
		{on: "clicks", column: instantColumn("last_clicked", "Last click", ""), expr: expr.Call(dialect.Max, row("time"))},
	}
}

func sessionTerms() []term {
	return []term{
		{on: "sessions", column: countColumn("sessions", "Sessions", "Sessions that began here and have a pageview"), expr: expr.Call(dialect.Count)},
		{on: "sessions", column: countColumn("visitors", "Visitors", "Distinct visitors of the sessions"), expr: expr.Call(dialect.Uniq, visit("visitor"))},
		{on: "sessions", column: numberColumn("bounce_rate", "Bounce rate", "%", "Share of sessions of one pageview, under 10 s, without custom event or click"),
			expr: percent(expr.Call(dialect.CountIf, bounced), expr.Call(dialect.Count))},
		{on: "sessions", column: numberColumn("avg_session_duration", "Mean session duration", "s", "Mean over all sessions"), expr: averageIn(expr.Int(1000), duration)},
		{on: "sessions", column: numberColumn("median_session_duration", "Session duration", "s", "Median over all sessions"), expr: quantileIn(expr.Int(1000), duration, 500)},
	}
}

func sessionListTerms() []term {
	of := func(c column, e expr.Expr) term { return term{on: "sessions", row: true, column: c, expr: e} }
	return []term{
		of(textColumn("session_id", "Session", ""), visit("session_id")),
		of(instantColumn("first_visit", "First visit", "Time of the first event"), visit("start")),
		of(instantColumn("last_visit", "Last visit", "Time of the last event"), visit("ended")),
		of(numberColumn("duration", "Duration", "s", "At most 8 hours"), thousandth(duration)),
		of(countColumn("page_views", "Pageviews", ""), visit("pageviews")),
		of(countColumn("total_events", "Events", "Page events, custom events and clicks"), visit("events")),
		of(flagColumn("bounced", "Bounced", ""), expr.Call(dialect.If, bounced, expr.Int(1), expr.Int(0))),
		of(textColumn("visitor_id", "Visitor", "Profile id, else anonymous id"), visit("visitor")),
		of(textColumn("profile_id", "Profile", ""), visit("profile_id")),
	}
}

func eventTerms() []term {
	known := expr.And(expr.Ne(row("properties"), expr.Lit("")), expr.Ne(row("properties"), expr.Lit("{}")))
	return []term{
		{on: "custom", column: countColumn("total_events", "Events", "Custom events"), expr: expr.Call(dialect.Count)},
		{on: "custom", column: countColumn("unique_users", "Visitors", "Distinct visitors"), expr: visitors},
		{on: "custom", column: countColumn("unique_sessions", "Sessions", "Distinct session ids"), expr: sessionIDs},
		{on: "custom", column: instantColumn("first_occurrence", "First", ""), expr: expr.Call(dialect.Min, row("time"))},
		{on: "custom", column: instantColumn("last_occurrence", "Last", ""), expr: expr.Call(dialect.Max, row("time"))},
		{on: "custom", column: countColumn("events_with_properties", "With properties", "Events that have a property"), expr: expr.Call(dialect.CountIf, known)},
		{on: "properties", column: countColumn("count", "Events", "Events with this value"), expr: expr.Call(dialect.Count)},
	}
}

func errorTerms() []term {
	return []term{
		{on: "errors", column: countColumn("count", "Errors", ""), expr: expr.Call(dialect.Count)},
		{on: "errors", column: countColumn("users", "Visitors", "Distinct visitors"), expr: visitors},
		{on: "errors", column: countColumn("sessions", "Sessions", "Distinct session ids"), expr: sessionIDs},
		{on: "errors", column: instantColumn("first_seen", "First seen", ""), expr: expr.Call(dialect.Min, row("time"))},
		{on: "errors", column: instantColumn("last_seen", "Last seen", ""), expr: expr.Call(dialect.Max, row("time"))},
		{on: "errors", column: countColumn("unique_messages", "Messages", "Distinct messages"), expr: expr.Call(dialect.Uniq, row("message"))},
		{on: "errors", column: textColumn("latest_path", "Path", "Path of the latest error"), expr: latest(row("path"))},
	}
}

// latest is e of the latest row; equal times are told apart by event id.
func latest(e expr.Expr) expr.Expr {
	return expr.Call(dialect.Latest, e, expr.List(row("time"), row("event_id")))
}
