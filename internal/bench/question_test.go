//go:build cgo

package bench

import (
	"fmt"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A question is a query, with hand-written SQL for the same rows.
type question struct {
	name  string
	types []string // the parameters of the request
	// parameter is the only parameter of the request in JSON, instead of types; empty means none.
	parameter string
	// sql is a hand-written statement for the same answer. Empty means none. {rows} is replaced by the condition for
	// the range and the country, and {page} by the condition for the path.
	sql string
	// columns has the type and the name of each column of sql. The type is t, i or f for text, integer or float. The
	// name is the name in the query type, or _ if the query type has no such column or another form of it.
	columns string
	only    string // a filter, "country" or "path"; empty means none
}

// byHand returns the questions with hand-written SQL. The SQL assumes that a session id is used for less than a
// day, and that all events of a session have the same visitor and the same place.
func byHand() []question {
	return []question{
		{name: "totals", types: []string{"summary_metrics"}, sql: facts +
			`SELECT sum(pageviews)::BIGINT, count(DISTINCT visitor), count(*),
  100 * avg((viewed = 1 AND others = 0 AND took < 10000)::INTEGER), median(took) / 1000, sum(events)::BIGINT FROM s WHERE pageviews > 0`,
			columns: "i:pageviews i:visitors i:sessions f:bounce_rate f:median_session_duration i:total_events"},
		{name: "series", types: []string{"summary"}, sql: facts +
			`SELECT (began + 32400000) // 86400000 AS day, sum(pageviews)::BIGINT, count(DISTINCT visitor), count(*),
  100 * avg((viewed = 1 AND others = 0 AND took < 10000)::INTEGER), median(took) / 1000, sum(events)::BIGINT FROM s WHERE pageviews > 0 GROUP BY day ORDER BY day`,
			columns: "i:_ i:_ i:_ i:sessions f:bounce_rate f:median_session_duration i:_"},
		{name: "pages", types: []string{"pages"},
			sql: `SELECT path, count(*) FILTER (WHERE kind = 0) AS pageviews, count(DISTINCT anonymous_id) FILTER (WHERE kind = 0) AS visitors,
  100 * visitors / sum(visitors) OVER (), median(time_on_page) FILTER (WHERE kind = 1 AND time_on_page > 1000 AND time_on_page < 3600000) / 1000, avg(load_time)
FROM events WHERE {rows} AND {page} AND kind <= 1 GROUP BY path HAVING pageviews > 0 ORDER BY visitors DESC, path LIMIT 100`,
			columns: "t:path i:pageviews i:visitors f:percentage f:median_time_on_page f:avg_load_time"},
		{name: "traffic", types: []string{"traffic"},
			sql: `WITH s AS (SELECT arg_min(referrer_domain, time) FILTER (WHERE kind <= 2) AS domain, any_value(anonymous_id) AS visitor,
  count(*) FILTER (WHERE kind = 0 AND {page}) AS viewed FROM events WHERE {rows} GROUP BY session_id)
SELECT domain, sum(viewed)::BIGINT, count(DISTINCT visitor) AS visitors, 100 * visitors / sum(visitors) OVER () FROM s WHERE viewed > 0
GROUP BY domain ORDER BY visitors DESC, domain LIMIT 100`, columns: "t:_ i:_ i:visitors f:percentage"},
		{name: "countries", types: []string{"countries"}, sql: breakdownBy("country"),
			columns: "t:country_code i:pageviews i:visitors f:percentage"},
		{name: "browsers", types: []string{"browser_name"}, sql: breakdownBy("browser_name"),
			columns: "t:name i:pageviews i:visitors f:percentage"},
	}
}

// lists returns the questions whose answers are lists, without filters.
func lists() []question {
	listed := sessionsOf("")
	return []question{
		{name: "sessions", types: []string{"sessions"}, sql: listed, columns: sessionColumns},
		{name: "session_list", types: []string{"session_list"},
			sql:     sessionsOf(`, to_json(list({'event_id': event_id, 'time': time, 'kind': kind, 'name': name, 'path': path, 'properties': properties} ORDER BY time))::VARCHAR`),
			columns: sessionColumns + " t:_"},
		{name: "profiles", types: []string{"profiles"},
			sql: `WITH page AS (SELECT anonymous_id AS visitor, max(time) AS last_visit FROM events WHERE {rows} AND visitor <> '' GROUP BY visitor ORDER BY last_visit DESC, visitor LIMIT 100)
SELECT visitor, min(time), last_visit, count(DISTINCT session_id), count(*), count(*) FILTER (WHERE kind = 0), count(DISTINCT path) FILTER (WHERE kind = 0), count(*) FILTER (WHERE kind IN (2, 3)),
  any_value(country), any_value(region), any_value(device_type), any_value(browser_name), any_value(os_name), arg_max(referrer_domain, time)
FROM events JOIN page ON visitor = anonymous_id WHERE {rows} GROUP BY visitor, last_visit ORDER BY last_visit DESC, visitor`,
			columns: "t:visitor_id i:_ i:_ i:session_count i:total_events i:pageviews i:unique_pages i:custom_event_count t:country_code t:region t:device_type t:browser_name t:os_name t:_"},
		{name: "custom_events", types: []string{"custom_events"},
			sql: `SELECT name, count(*) AS total, count(DISTINCT anonymous_id) AS users, count(DISTINCT session_id), min(time), max(time),
  count(*) FILTER (WHERE properties NOT IN ('', '{}')), 100 * users / sum(users) OVER () FROM events WHERE {rows} AND kind IN (2, 3) GROUP BY name ORDER BY users DESC, total DESC, name LIMIT 100`,
			columns: "t:name i:total_events i:unique_users i:unique_sessions i:_ i:_ i:events_with_properties f:percentage"},
	}
}

// facts is SQL that computes the sessions of the rows.
const facts = `WITH s AS (SELECT any_value(anonymous_id) AS visitor, min(time) AS began,
  least(28800000, greatest(max(time) - min(time), coalesce(sum(time_on_page) FILTER (WHERE kind = 1), 0))) AS took, count(*) FILTER (WHERE kind = 0) AS viewed,
  count(*) FILTER (WHERE kind = 0 AND {page}) AS pageviews, count(*) FILTER (WHERE kind >= 2) AS others, count(*) FILTER (WHERE {page}) AS events
FROM events WHERE {rows} GROUP BY session_id)
`

func breakdownBy(column string) string {
	return strings.ReplaceAll(`SELECT {by}, count(*), count(DISTINCT anonymous_id) AS visitors, 100 * visitors / sum(visitors) OVER ()
FROM events WHERE {rows} AND {page} AND kind = 0 AND {by} <> '' GROUP BY {by} ORDER BY visitors DESC, {by} LIMIT 100`,
		"{by}", column)
}

const sessionColumns = "t:session_id i:_ i:_ i:page_views i:total_events t:entry_page t:exit_page t:visitor_id t:country_code t:region t:city t:_ t:device_type t:browser_name t:os_name t:language"

// sessionsOf returns SQL for a list of sessions. It selects the sessions of the first page before it reads their
// fields.
func sessionsOf(more string) string {
	return `WITH page AS (SELECT session_id, min(time) AS began FROM events WHERE {rows} GROUP BY session_id ORDER BY began DESC, session_id LIMIT 100)
SELECT session_id, began, max(time), count(*) FILTER (WHERE kind = 0), count(*), arg_min(path, time) FILTER (WHERE kind = 0), arg_max(path, time) FILTER (WHERE kind = 0), any_value(anonymous_id),
  any_value(country), any_value(region), any_value(city), arg_min(referrer_domain, time), any_value(device_type), any_value(browser_name), any_value(os_name), any_value(language)` + more + `
FROM events JOIN page USING (session_id) WHERE {rows} GROUP BY session_id, began ORDER BY began DESC, session_id`
}

// plain returns the questions without a filter, and the dashboard with eight query types.
func plain() []question {
	panel := question{name: "panel of 8",
		types: []string{"summary_metrics", "summary", "pages", "traffic", "countries", "browser_name", "device_types",
			"custom_events"}}
	return append(append(byHand(), lists()...), panel)
}

// filtered returns the questions with a filter by country or path.
func filtered() (all []question) {
	for _, only := range []string{"country", "path"} {
		for _, q := range byHand() {
			q.only, q.name = only, q.name+" of a "+only
			all = append(all, q)
		}
	}
	return all
}

// onlyCountry is the country of about a tenth of the visitors.
const onlyCountry = "DE"

// onlyPath returns the most popular path.
func onlyPath() string { return pathOf(0) }

// A subject is a website and a number of last days.
type subject struct {
	Website string // big or small
	Days    int
}

func (s subject) id() string {
	if s.Website == "small" {
		return websiteID(websites - 1)
	}
	return websiteID(0)
}

func (s subject) from() time.Time { return end.AddDate(0, 0, -s.Days) }

func (s subject) String() string { return fmt.Sprintf("%s/%dd", s.Website, s.Days) }

// statement returns the hand-written SQL for q about s.
func (q question) statement(s subject) store.Statement {
	number := func(name string, t time.Time) dialect.Arg {
		return dialect.Arg{Name: name, Kind: dialect.Int, Value: t.UnixMilli()}
	}
	rows, page := "subject = $subject::INTEGER AND time >= $from::BIGINT AND time < $to::BIGINT", "TRUE"
	args := append(count(s).Args, number("from", s.from()), number("to", end))
	switch q.only {
	case "country":
		rows, args = rows+" AND country = $only::VARCHAR",
			append(args, dialect.Arg{Name: "only", Kind: dialect.Text, Value: onlyCountry})
	case "path":
		page, args = "path = $only::VARCHAR",
			append(args, dialect.Arg{Name: "only", Kind: dialect.Text, Value: onlyPath()})
	}
	kinds := []dialect.Kind{}
	for column := range strings.FieldsSeq(q.columns) {
		kinds = append(kinds, map[byte]dialect.Kind{'t': dialect.Text, 'i': dialect.Int, 'f': dialect.Float}[column[0]])
	}
	return store.Statement{Label: q.name, SQL: strings.NewReplacer("{rows}", rows, "{page}", page).Replace(q.sql),
		Args: args, Kinds: kinds}
}

// count returns the statement that counts all rows of the website.
func count(s subject) store.Statement {
	return store.Statement{Label: "count", SQL: "SELECT count(*) FROM events WHERE subject = $subject::INTEGER",
		Kinds: []dialect.Kind{dialect.Int},
		Args: []dialect.Arg{{Name: "subject", Kind: dialect.Subject,
			Value: store.Subject{Kind: store.KindWebsite, ID: s.id()}}}}
}
