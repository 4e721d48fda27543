package query

import (
	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/referrer"
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
	expr expr.Expr
}

// The columns that the compiler makes of the whole answer.
const (
	dateColumn  = "date"
	shareColumn = "percentage"
)

// dictionary is every term by table and name.
type dictionary map[[2]string]*term

func newDictionary() dictionary {
	d := dictionary{}
	for _, group := range [][]term{
		answerTerms(), labelTerms(), referrerTerms(), pageviewTerms(), sessionTerms(), sessionListTerms(),
		eventTerms(), errorTerms(), vitalTerms(), linkTerms(), checkTerms(),
	} {
		for i := range group {
			d[[2]string{group[i].on, group[i].Name}] = &group[i]
		}
	}
	return d
}

// row is a column of the stored row, visit one of its session.
func row(name expr.Ident) expr.Expr   { return expr.Col("t", name) }
func visit(name expr.Ident) expr.Expr { return expr.Col("s", name) }

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
	return expr.Call(dialect.Ratio, expr.Call(dialect.Sum, e), expr.Call(dialect.CountIf, expr.IsKnown(e)))
}

// quantile is the value below which a share of permille of e lies.
func quantile(e expr.Expr, permille int64) expr.Expr {
	return expr.Call(dialect.Quantile, e, expr.Int(permille))
}

// where is e in the rows where cond holds, and nothing in the others.
func where(cond, e expr.Expr) expr.Expr { return expr.Call(dialect.If, cond, e, expr.Null()) }

// thousandth turns milliseconds into seconds.
func thousandth(e expr.Expr) expr.Expr { return expr.Call(dialect.Ratio, e, expr.Int(1000)) }

func answerTerms() []term {
	return []term{
		{column: column{Name: dateColumn, Label: "Date", Format: Date, About: "Local day or hour"}},
		{column: numberColumn(shareColumn, "Share", "%", "Share of the ordering metric over all rows")},
		{column: numberColumn("pages_per_session", "Pages per session", "", "Pageviews of the row per session started in it"),
			expr: expr.Call(dialect.Ratio, expr.Ref("pageviews"), expr.Ref("sessions"))},
	}
}

func labelTerms() []term {
	codes, names := []string{}, []string{}
	for _, c := range country.All() {
		codes, names = append(codes, c.Code), append(names, c.Name)
	}
	devices := []string{"mobile", "tablet", "desktop", "smarttv", "console", "wearable", "embedded", "xr"}
	shown := []string{"Mobile", "Tablet", "Desktop", "Smart TV", "Console", "Wearable", "Embedded", "XR"}
	name := lookup(expr.Ref("country"), codes, names, expr.Ref("country"))
	terms := []term{
		{column: textColumn("country_code", "Country code", "ISO 3166-1 alpha-2"), expr: expr.Ref("country")},
		{column: textColumn("country_name", "Country", "English name"), expr: name},
		{column: textColumn("device_name", "Device", "Kind of device as shown"),
			expr: lookup(expr.Ref("device_type"), devices, shown, expr.Ref("device_type"))},
	}
	for _, own := range []struct {
		name  expr.Ident
		label string
	}{
		{"path", "Path"}, {"entry_page", "Entry page"}, {"exit_page", "Exit page"}, {"region", "Region"}, {"city", "City"},
		{"device_type", "Device type"}, {"browser_name", "Browser"}, {"os_name", "Operating system"}, {"language", "Language"},
		{"event_name", "Event"}, {"message", "Message"}, {"error_type", "Error type"},
	} {
		terms = append(terms, term{column: textColumn(string(own.name), own.label, ""), expr: expr.Ref(own.name)})
	}
	return terms
}

func lookup(e expr.Expr, from, to []string, otherwise expr.Expr) expr.Expr {
	return expr.Call(dialect.Lookup, e, expr.Arg(dialect.Texts, from), expr.Arg(dialect.Texts, to), otherwise)
}

func referrerTerms() []term {
	domains, names, kinds := []string{}, []string{}, []string{}
	for _, src := range referrer.Sources() {
		domains, names, kinds = append(domains, src.Domain), append(names, src.Name), append(kinds, string(src.Kind))
	}
	domain := expr.Ref("referrer")
	orDirect := func(shown, e expr.Expr) expr.Expr {
		return expr.Call(dialect.If, expr.Eq(domain, expr.Lit("")), shown, e)
	}
	return []term{
		{column: textColumn("referrer_name", "Source", "Name of the source"),
			expr: orDirect(expr.Lit("Direct"), lookup(domain, domains, names, domain))},
		{column: textColumn("referrer_url", "Referrer", "Address of the source, or direct"),
			expr: orDirect(expr.Lit("direct"), expr.Call(dialect.Concat, expr.Lit("https://"), domain))},
		{column: textColumn("referrer_source", "Source domain", "Main domain of the source, or direct"),
			expr: orDirect(expr.Lit("direct"), domain)},
		{column: textColumn("referrer_domain", "Domain", "Main domain of the source"), expr: domain},
		{column: textColumn("referrer_type", "Kind of source", "direct, search, social, email, paid, ai or other"),
			expr: orDirect(expr.Lit("direct"), lookup(domain, domains, kinds, expr.Lit("other")))},
	}
}

func pageviewTerms() []term {
	stay := where(expr.And(expr.Gt(row("time_on_page"), expr.Int(1000)), expr.Lt(row("time_on_page"), expr.Int(3_600_000))), row("time_on_page"))
	return []term{
		{on: "pageviews", column: countColumn("pageviews", "Pageviews", "Pages seen"), expr: expr.Call(dialect.Count)},
		{on: "pageviews", column: countColumn("visitors", "Visitors", "Distinct visitors with a pageview"), expr: expr.Call(dialect.Uniq, row("visitor"))},
		{on: "pageviews", column: numberColumn("avg_load_time", "Load time", "ms", "Mean over the pageviews that carry it"), expr: average(row("load_time"))},
		{on: "pageviews", column: numberColumn("avg_dom_ready_time", "DOM ready", "ms", "Mean over the pageviews that carry it"), expr: average(row("dom_ready_time"))},
		{on: "pageviews", column: numberColumn("avg_ttfb", "Time to first byte", "ms", "Mean over the pageviews that carry it"), expr: average(row("ttfb"))},
		{on: "exits", column: numberColumn("median_time_on_page", "Time on page", "s", "Median of the exits of more than 1 s and less than 1 h"), expr: thousandth(quantile(stay, 500))},
		{on: "activity", column: countColumn("total_events", "Events", "Page events, custom events and clicks"), expr: expr.Call(dialect.Count)},
	}
}

func sessionTerms() []term {
	return []term{
		{on: "sessions", column: countColumn("sessions", "Sessions", "Sessions that began here and have a pageview"), expr: expr.Call(dialect.Count)},
		{on: "sessions", column: countColumn("visitors", "Visitors", "Distinct visitors of the sessions"), expr: expr.Call(dialect.Uniq, visit("visitor"))},
		{on: "sessions", column: numberColumn("bounce_rate", "Bounce rate", "%", "Share of sessions of one pageview, under 10 s, without custom event or click"),
			expr: percent(expr.Call(dialect.CountIf, bounced), expr.Call(dialect.Count))},
		{on: "sessions", column: numberColumn("median_session_duration", "Session duration", "s", "Median over all sessions"), expr: thousandth(quantile(duration, 500))},
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
		{on: "custom", column: countColumn("unique_users", "Visitors", "Distinct visitors"), expr: expr.Call(dialect.Uniq, row("visitor"))},
		{on: "custom", column: countColumn("unique_sessions", "Sessions", "Distinct session ids"), expr: expr.Call(dialect.Uniq, row("session_id"))},
		{on: "custom", column: instantColumn("first_occurrence", "First", ""), expr: expr.Call(dialect.Min, row("time"))},
		{on: "custom", column: instantColumn("last_occurrence", "Last", ""), expr: expr.Call(dialect.Max, row("time"))},
		{on: "custom", column: countColumn("events_with_properties", "With properties", "Events that have a property"), expr: expr.Call(dialect.CountIf, known)},
	}
}

func errorTerms() []term {
	return []term{
		{on: "errors", column: countColumn("count", "Errors", ""), expr: expr.Call(dialect.Count)},
		{on: "errors", column: countColumn("users", "Visitors", "Distinct visitors"), expr: expr.Call(dialect.Uniq, row("visitor"))},
		{on: "errors", column: countColumn("sessions", "Sessions", "Distinct session ids"), expr: expr.Call(dialect.Uniq, row("session_id"))},
		{on: "errors", column: instantColumn("first_seen", "First seen", ""), expr: expr.Call(dialect.Min, row("time"))},
		{on: "errors", column: instantColumn("last_seen", "Last seen", ""), expr: expr.Call(dialect.Max, row("time"))},
		{on: "errors", column: textColumn("latest_path", "Path", "Path of the latest error"), expr: latest(row("path"))},
	}
}

// latest is e of the latest row; equal times are told apart by event id.
func latest(e expr.Expr) expr.Expr {
	return expr.Call(dialect.Latest, e, row("time"), row("event_id"))
}

func vitalTerms() []term {
	terms := []term{{on: "vitals", column: countColumn("samples", "Samples", "Measured values"), expr: expr.Call(dialect.Count)}}
	for _, v := range []struct{ name, label, metric string }{
		{"p75_lcp", "LCP", "LCP"}, {"p75_fcp", "FCP", "FCP"}, {"p75_inp", "INP", "INP"}, {"p75_ttfb", "TTFB", "TTFB"},
	} {
		terms = append(terms, term{on: "vitals", column: numberColumn(v.name, v.label, "ms", "75th percentile"), expr: vital(v.metric, 750)})
	}
	cls := numberColumn("p75_cls", "CLS", "", "75th percentile")
	cls.Decimals = 4
	return append(terms, term{on: "vitals", column: cls, expr: expr.Call(dialect.Ratio, vital("CLS", 750), expr.Int(10_000))})
}

func vital(metric string, permille int64) expr.Expr {
	return quantile(where(expr.Eq(row("metric_name"), expr.Arg(dialect.Text, metric)), row("value")), permille)
}
