//go:build cgo

package duckdb_test

import (
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// mistakes are those that can be made in DuckDB's SQL.
func mistakes() []storetest.Mutation {
	return []storetest.Mutation{
		{Name: "visitors counted by row", Op: dialect.CountDistinct, Template: "count(nullif($1, ''))"},
		{Name: "medians that take a neighbour", Op: dialect.Quantile, Template: "(quantile_disc(($1)::DOUBLE, $2 / 1000) * 1000)::BIGINT"},
		{Name: "a prefix that is a pattern", Op: dialect.StartsWith, Template: "($1 LIKE $2 || '%')", When: storetest.Filtered("%", "_")},
		{Name: "a part that is a pattern", Op: dialect.Contains, Template: "($1 LIKE '%' || $2 || '%')", When: storetest.Filtered("%", "_")},
		{Name: "buckets cut at half", Op: dialect.FloorDiv, Template: "round(($1) / $2)::BIGINT"},
		{Name: "fields of the session's last event", Op: dialect.ArgMinIf, Template: "coalesce(arg_max($1, $2) FILTER (WHERE $3), '')"},
		{Name: "only the first session of an id", Op: dialect.RunningMax, Template: "min($1) OVER (PARTITION BY $2)"},
		{Name: "the first instead of the latest", Op: dialect.ArgMaxList, Template: "arg_min($1, ROW($2))", When: storetest.OfType("uptime_overview", "uptime_ssl_status", "errors")},
		{Name: "bounces of the events that a filter leaves", SQL: storetest.Replaced(`s."pageviews" = 1`, `s."matching_pageviews" = 1`), When: storetest.OfType("summary", "summary_metrics", "session_metrics")},
		{Name: "shares after the limit", SQL: storetest.Rewritten(`FROM (\w+) AS j`, `FROM (SELECT * FROM $1 LIMIT 3) AS j`)},
		{Name: "pages without a tie-break", SQL: storetest.Rewritten(`(ORDER BY "[a-z_]+" (?:ASC|DESC) NULLS LAST), .*? LIMIT`, `$1, random() LIMIT`)},
		{Name: "ne drops absent values", SQL: storetest.Rewritten(`\(NOT \(((?:t|s)\."[a-z_]+"|CASE WHEN [^=]*? END) = (\$p\d+::VARCHAR)\)\)`, `($1 <> $2 AND $1 <> '')`)},
	}
}
