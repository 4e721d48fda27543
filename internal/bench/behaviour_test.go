//go:build cgo

package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
)

// BenchmarkAsking measures weekly and monthly series, metrics of the caller's choice, properties, goals, funnels,
// retention and paths: see the package comment. Each is measured beside the query type or the hand-written SQL that it
// is compared with, and then as a new question.
func BenchmarkAsking(b *testing.B) {
	r := newRun(b)
	var subjects []subject
	for _, days := range []int{30, 90} {
		if days <= r.Traffic.Days {
			subjects = append(subjects, subject{"big", days})
		}
	}
	s := r.open(b)
	if err := r.describe(b.Context(), s.store); err != nil {
		b.Fatal(err)
	}
	r.stage(b, warm, subjects, asked(), func(b *testing.B, q question, of subject) { r.warm(b, s, q, of) })
	r.stage(b, unmerged, subjects, asked(), func(b *testing.B, q question, of subject) { r.unmerged(b, s, q, of) })
	r.save(b)
}

// unmerged measures an engine that computes each answer by a statement.
func (r *run) unmerged(b *testing.B, s *service, q question, of subject) {
	var err error
	s.engine, err = query.New(query.Config{Store: s.store, Now: func() time.Time { return end },
		EngineOptions: query.EngineOptions{Timeout: patience, ResultCache: -1, MaxPartials: -1}})
	if err != nil {
		b.Fatal(err)
	}
	ways := slices.DeleteFunc(s.ways(b, q, of), func(w way) bool { return w.name != byEngine })
	r.repeat(b, 1, func() { r.ask(b, unmerged, q, of, ways) })
	b.ReportMetric(r.figure(cell{unmerged, of.Website, of.Days, q.name, byEngine}).quantile(0.5), "engine-p50-ms")
}

// asked returns the questions of BenchmarkAsking. The SQL of funnels and paths assumes what that of byHand does.
func asked() []question {
	return []question{
		{name: "series by day", types: []string{"summary"}},
		{name: "series by week", parameter: `{"name":"summary","granularity":"weekly"}`},
		{name: "series by month", parameter: `{"name":"summary","granularity":"monthly"}`},
		{name: "countries", types: []string{"countries"}},
		{name: "chosen metrics by country", parameter: `{"metrics":["visitors","pageviews"],"dimensions":["country"]}`},
		{name: "countries with totals", parameter: `{"name":"countries","totals":true}`},
		{name: "custom_events", types: []string{"custom_events"}},
		{
			name: "goals", parameter: `{"name":"goals","goals":[{"name":"a","event":"event_0"},{"name":"b","event":"event_7"},
  {"name":"c","page":"` + pathOf(0) + `"},{"name":"d","page":{"op":"starts_with","value":"/shop/"}}]}`,
			sql: goalsByHand(), columns: "t:name i:visitors i:conversions",
		},
		{
			name:      "goals with a value",
			parameter: `{"name":"goals","goals":[{"name":"a","event":"event_0","value":"value"}]}`,
			sql:       `SELECT count(DISTINCT anonymous_id), count(*), sum(CASE WHEN kind = 3 THEN (properties->>'value')::DECIMAL(18, 4) END)::DOUBLE FROM events WHERE {rows} AND kind = 3 AND name = 'event_0'`,
			columns:   "i:visitors i:conversions f:value",
		},
		{
			name:      "property filter",
			parameter: `{"name":"custom_events","filters":[{"field":"property:value","op":"gte","value":900}]}`,
			sql: `SELECT name, count(*) AS total, count(DISTINCT anonymous_id) AS users FROM events WHERE {rows} AND kind = 3 AND CASE WHEN kind = 3 THEN (properties->>'value')::DECIMAL(18, 4) END >= 900
GROUP BY name ORDER BY users DESC, total DESC, name LIMIT 100`, columns: "t:name i:total_events i:unique_users",
		},
		{
			name:      "property breakdown",
			parameter: `{"dataset":"events","metrics":["unique_users"],"dimensions":["property:value"]}`,
			sql: `SELECT properties->>'value' AS value, count(DISTINCT anonymous_id) AS users FROM events WHERE {rows} AND kind = 3
GROUP BY value ORDER BY users DESC, value LIMIT 100`, columns: "t:_ i:unique_users",
		},
		{
			name: "did", parameter: `{"name":"summary_metrics","filters":[{"did":{"event":"event_0"}}]}`,
			sql: `SELECT count(*), count(DISTINCT anonymous_id) FROM events WHERE {rows} AND kind = 0
AND session_id IN (SELECT session_id FROM events WHERE {rows} AND kind = 3 AND name = 'event_0')`,
			columns: "i:pageviews i:visitors",
		},
		{
			name: "funnel of 4 steps",
			parameter: fmt.Sprintf(`{"name":"funnel","steps":[{"page":%q},{"page":{"op":"starts_with","value":"/docs/"}},
  {"page":{"op":"starts_with","value":"/shop/"}},{"event":"event_0"}]}`, pathOf(0)),
			sql: funnelByHand(), columns: "i:visitors",
		},
		{
			name: "retention", parameter: `{"name":"retention"}`,
			sql: `WITH v AS (SELECT anonymous_id AS visitor, (time + 32400000 + 345600000) // 604800000 AS week FROM events WHERE {rows} AND kind IN (0, 3) GROUP BY ALL),
c AS (SELECT visitor, min(week) AS cohort FROM v GROUP BY visitor), n AS (SELECT cohort, count(*) AS size FROM c GROUP BY cohort)
SELECT cohort, week - cohort AS period, any_value(size), count(*) FROM v JOIN c USING (visitor) JOIN n USING (cohort) GROUP BY cohort, period ORDER BY cohort, period`,
			columns: "i:_ i:period i:cohort_size i:visitors",
		},
		{
			name: "paths", parameter: `{"name":"paths"}`,
			sql: `WITH p AS (SELECT session_id, anonymous_id, path, lag(path) OVER w AS before, lead(path) OVER w IS NULL AS last
FROM events WHERE {rows} AND kind = 0 WINDOW w AS (PARTITION BY session_id ORDER BY time, event_id)),
t AS (SELECT coalesce(before, '') AS a, path AS b, session_id, anonymous_id FROM p WHERE before IS NULL OR before <> path
UNION ALL SELECT path, '', session_id, anonymous_id FROM p WHERE last)
SELECT a, b, count(*) AS n, count(DISTINCT session_id), count(DISTINCT anonymous_id), 100 * n / sum(n) OVER (PARTITION BY a) FROM t GROUP BY a, b ORDER BY n DESC, a, b LIMIT 100`,
			columns: "t:from_path t:to_path i:transitions i:sessions i:visitors f:percentage",
		},
	}
}

// goalsByHand counts four goals.
func goalsByHand() string {
	goals := []struct{ name, where string }{
		{"a", "kind = 3 AND name = 'event_0'"}, {"b", "kind = 3 AND name = 'event_7'"},
		{"c", "kind = 0 AND path = '" + pathOf(0) + "'"}, {"d", "kind = 0 AND starts_with(path, '/shop/')"},
	}
	sql := ""
	for i, g := range goals {
		if i > 0 {
			sql += " UNION ALL "
		}
		sql += fmt.Sprintf("SELECT '%s' AS goal, count(DISTINCT anonymous_id), count(*) FROM events WHERE {rows} AND %s", g.name, g.where)
	}
	return sql + " ORDER BY goal"
}

// funnelByHand counts the visitors of each step. It follows the first event of each step, which is enough without a
// window.
func funnelByHand() string {
	return `WITH a AS (SELECT anonymous_id AS v, min(time) AS t FROM events WHERE {rows} AND kind = 0 AND path = '` +
		pathOf(0) + `' GROUP BY v),
b AS (SELECT v, min(time) AS t FROM events JOIN a ON v = anonymous_id AND time > a.t WHERE {rows} AND kind = 0 AND starts_with(path, '/docs/') GROUP BY v),
c AS (SELECT v, min(time) AS t FROM events JOIN b ON v = anonymous_id AND time > b.t WHERE {rows} AND kind = 0 AND starts_with(path, '/shop/') GROUP BY v),
d AS (SELECT v, min(time) AS t FROM events JOIN c ON v = anonymous_id AND time > c.t WHERE {rows} AND kind = 3 AND name = 'event_0' GROUP BY v)
SELECT count(*) AS n FROM a UNION ALL SELECT count(*) FROM b UNION ALL SELECT count(*) FROM c UNION ALL SELECT count(*) FROM d ORDER BY n DESC`
}
