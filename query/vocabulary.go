package query

import (
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// day is the length that sessions are cut by, in milliseconds.
const day = 24 * 60 * 60 * 1000

// shape says what the rows of a table are.
type shape uint8

const (
	plainRows   shape = iota // rows of a logical table, alias t
	sessionRows              // whole sessions, alias s, made of events
	outageRows               // stretches of downtime, alias o, made of checks
)

// table is a set of rows that metrics count and types are about.
type table struct {
	name    string
	of      store.SubjectKind
	shape   shape
	logical expr.Ident
	where   expr.Expr    // which rows of the logical table, on alias t
	fields  []string     // per-row fields that callers may filter on
	own     []expr.Ident // columns of session fields that the rows have themselves
	early   bool         // rows may lie before the session that they belong to
}

// visited says whether the rows of tb belong to sessions.
func (tb *table) visited() bool { return tb.of == store.KindWebsite }

var (
	kindOf   = expr.Col("t", "kind")
	hidden   = expr.Call(dialect.StartsWith, expr.Col("t", "name"), expr.Lit("$"))
	everyone = []string{"path", "session_id", "anonymous_id", "profile_id"}
	agent    = []expr.Ident{"country", "region", "city", "device_type",
		"browser_name", "browser_version", "os_name", "os_version"}
	eventOwn = append([]expr.Ident{"referrer_domain", "utm_source", "utm_medium", "utm_campaign",
		"utm_term", "utm_content", "gclid", "language", "timezone", "screen_resolution"}, agent...)
)

func ofKind(k store.EventKind) expr.Expr { return expr.Eq(kindOf, expr.Int(int64(k))) }

// Tables are numbers.md's lists of rows, each defined once.
var tables = []*table{
	{name: "pageviews", of: store.KindWebsite, logical: "events", where: ofKind(store.Pageview), fields: everyone, own: eventOwn},
	{name: "exits", of: store.KindWebsite, logical: "events", where: ofKind(store.Exit), fields: everyone, own: eventOwn},
	{name: "activity", of: store.KindWebsite, logical: "events", where: expr.Not(hidden), fields: everyone, own: eventOwn},
	{name: "custom", of: store.KindWebsite, logical: "events",
		where:  expr.Or(ofKind(store.PageEvent), ofKind(store.Custom)),
		fields: append([]string{"event_name", "namespace"}, everyone...), own: eventOwn, early: true},
	{name: "sessions", of: store.KindWebsite, shape: sessionRows, logical: "events", fields: everyone, own: eventOwn},
	{name: "errors", of: store.KindWebsite, logical: "errors",
		fields: append([]string{"message", "error_type"}, everyone...), own: agent, early: true},
	{name: "vitals", of: store.KindWebsite, logical: "vitals",
		fields: append([]string{"metric_name"}, everyone...), own: agent, early: true},
	{name: "visits", of: store.KindLink, logical: "visits",
		fields: []string{"referrer", "country", "region", "city", "device_type", "browser_name"}},
	{name: "checks", of: store.KindSchedule, logical: "checks", fields: []string{"probe_region"}},
	{name: "outages", of: store.KindSchedule, shape: outageRows, logical: "checks", fields: []string{"probe_region"}},
}

// Fields are what callers filter and group on; session fields come first, as in answers.
var fields = []*Field{
	{Name: "referrer", Column: "referrer_domain", Session: true, Match: ReferrerSite},
	{Name: "utm_source", Column: "utm_source", Session: true},
	{Name: "utm_medium", Column: "utm_medium", Session: true},
	{Name: "utm_campaign", Column: "utm_campaign", Session: true},
	{Name: "utm_term", Column: "utm_term", Session: true},
	{Name: "utm_content", Column: "utm_content", Session: true},
	{Name: "gclid", Column: "gclid", Session: true},
	{Name: "country", Column: "country", Session: true, Match: Country},
	{Name: "region", Column: "region", Session: true},
	{Name: "city", Column: "city", Session: true},
	{Name: "device_type", Column: "device_type", Session: true, Match: Folded},
	{Name: "browser_name", Column: "browser_name", Session: true, Match: Folded},
	{Name: "browser_version", Column: "browser_version", Session: true},
	{Name: "os_name", Column: "os_name", Session: true, Match: Folded},
	{Name: "os_version", Column: "os_version", Session: true},
	{Name: "language", Column: "language", Session: true},
	{Name: "timezone", Column: "timezone", Session: true},
	{Name: "screen_resolution", Column: "screen_resolution", Session: true},
	{Name: "path", Column: "path", Match: PathMatch},
	{Name: "event_name", Column: "name"},
	{Name: "namespace", Column: "namespace"},
	{Name: "message", Column: "message"},
	{Name: "error_type", Column: "error_type", Default: "Error"},
	{Name: "metric_name", Column: "metric_name"},
	{Name: "session_id", Column: "session_id"},
	{Name: "anonymous_id", Column: "anonymous_id"},
	{Name: "profile_id", Column: "profile_id"},
	{Name: "probe_region", Column: "probe_region"},
}

// sessionDimensions are facts of sessions that types may group by, but callers may not filter on.
var sessionDimensions = []*Field{
	{Name: "entry_page", Column: "entry_page", Session: true},
	{Name: "exit_page", Column: "exit_page", Session: true},
}

// facts are the columns of a session, over its events p in the order p.ord. Session
// fields that are not named here are those of the earliest page event.
var facts = map[expr.Ident]expr.Expr{
	"ended":     expr.Call(dialect.Max, expr.Col("p", "time")),
	"pageviews": expr.Call(dialect.CountIf, pIs(store.Pageview)),
	"events":    expr.Call(dialect.Count),
	"deeds":     expr.Call(dialect.CountIf, expr.Ge(expr.Col("p", "kind"), expr.Int(int64(store.PageEvent)))), // custom events and clicks
	"page_rows": expr.Call(dialect.CountIf, pPage),
	"exit_time": expr.Call(dialect.SumIf, expr.Col("p", "time_on_page"), pIs(store.Exit)),
	"entry_page": expr.Call(dialect.FirstIf, expr.Col("p", "path"), expr.Col("p", "ord"),
		pIs(store.Pageview)),
	"exit_page": expr.Call(dialect.LastIf, expr.Col("p", "path"), expr.Col("p", "ord"),
		pIs(store.Pageview)),
}

var pPage = expr.Le(expr.Col("p", "kind"), expr.Int(int64(store.PageEvent)))

func pIs(k store.EventKind) expr.Expr {
	return expr.Eq(expr.Col("p", "kind"), expr.Int(int64(k)))
}

// fact is the aggregate behind column name of a session.
func fact(name expr.Ident) expr.Expr {
	if e, ok := facts[name]; ok {
		return e
	}
	return expr.Call(dialect.FirstIf, expr.Col("p", name), expr.Col("p", "ord"), pPage)
}

// Lengths of a session: its length in milliseconds, and whether it bounced.
var (
	duration = expr.Call(dialect.Least, expr.Int(28_800_000), expr.Call(dialect.Greatest,
		expr.Sub(expr.Col("s", "ended"), expr.Col("s", "start")), expr.Col("s", "exit_time")))
	bounced = expr.And(
		expr.Eq(expr.Col("s", "pageviews"), expr.Int(1)),
		expr.Lt(duration, expr.Int(10_000)),
		expr.Eq(expr.Col("s", "deeds"), expr.Int(0)))
)
