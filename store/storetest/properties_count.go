package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query"
)

// An additivity describes what a column of whole numbers counts. It determines which properties the column has.
type additivity uint8

const (
	measured additivity = iota // an amount, not a count: has no properties
	distinct                   // distinct values: no part exceeds the whole, but parts do not sum to it
	byRow                      // rows, each at its own time: sums over time and over every filter
	byStart                    // sessions, at their start: sums over time and over filters on session fields
	byTime                     // a duration: sums over time; a filter may lengthen it
)

func (y additivity) sumsOverTime() bool { return y >= byRow }

// sumsOver reports whether the counts with a value of field and the counts without it sum to the total.
func (y additivity) sumsOver(field string) bool {
	return y == byRow || y == byStart && !slices.Contains(rowFields, field)
}

// grows reports whether adding a filter can increase the number.
func (y additivity) grows() bool { return y == measured || y == byTime }

// rowFields lists the filter fields of rows, not of sessions. A session can have rows with a value of such a field and
// rows without it, so that both an eq and a ne filter find the session.
var rowFields = []string{"path", "title", "event_name", "message", "error_type", "href", "text", "metric_name",
	"session_id", "anonymous_id", "profile_id", "namespace"}

// tallies classifies columns by name, or by type and name for types that use a name differently.
var tallies = []struct {
	is      additivity
	why     string
	columns string
}{
	{byRow, "a number of rows, or a sum over rows",
		`pageviews total_events count errors clicks total total_clicks samples rage_clicks
		dead_clicks requests exposures conversions events_with_properties total_checks successful_checks invalid_ssl_checks`},
	{byStart, "sessions count once, where they start",
		`sessions total_sessions entry_pages.pageviews exit_pages.pageviews`},
	{byTime, "the next check decides, and a filter may hide it", `downtime_seconds`},
	{distinct, "somebody who comes again is one",
		`visitors unique_visitors active_users active_sessions users unique_users
		unique_sessions unique_links unique_pages unique_messages versions sessions_with_time`},
	{distinct, "different session ids among other rows", `errors.sessions error_trends.sessions engagement.sessions
		scroll_depth_distribution.sessions frustration_by_page.sessions flag_exposures.sessions`},
	{distinct, "a row of the breakdown needs a pageview in the range, but a session that starts in it may have none",
		`browsers_grouped.sessions browser_versions.sessions os_versions.sessions`},
	{distinct, "a row of engagement needs an exit, but a part of the pageviews of its path may have none",
		`engagement.pageviews`},
	{distinct, "a profile needs a pageview or custom event, but a part of its rows may have none",
		`profiles.total_events profile_list.total_events profiles.session_count profile_list.session_count
		profiles.custom_event_count profile_list.custom_event_count`},
	{measured, "the first exposure of the range decides, but a part of its rows may not include it",
		`flag_outcomes.visitors flag_outcomes.converted`},
	{measured, "the first start of the range decides, but a part of its rows may not include it",
		`period cohort_size retention.visitors`},
	{distinct, "a step over midnight is in neither day", `transitions paths.sessions`},
	{measured, "of one session, check or share, or a part of local time",
		`page_views sessions.total_events session_list.total_events status http_code ttfb_ms total_ms
		weekday hour_of_day`},
}

// listed has the types that list rows instead of counting, and how their rows count.
var listed = map[string]additivity{"sessions": byStart, "session_list": byStart, "uptime_recent_checks": byRow}

// rowsColumn is the name for the number of rows of a list.
const rowsColumn = "(rows)"

// keys lists the columns that identify a row, for types where they are not the texts and the date.
var keys = map[string][]string{
	"errors":                  {"message", "error_type"},
	"profiles":                {"visitor_id"},
	"profile_list":            {"visitor_id"},
	"uptime_status_breakdown": {"status", "http_code"},
	"hours":                   {"weekday", "hour_of_day"},
	"sessions":                {}, "session_list": {}, "uptime_recent_checks": {}, "session_events": {},
}

// isTimeless reports whether a type uses the clock instead of the range.
func isTimeless(info query.Info) bool {
	return info.Name == "today_metrics" || info.Name == "active_stats" || strings.HasPrefix(info.Name, "realtime_")
}

// additivityOf classifies a column. ok is false for an unlisted column of whole numbers.
func additivityOf(info query.Info, f query.OutputField) (is additivity, ok bool) {
	for _, name := range []string{info.Name + "." + f.Name, f.Name} {
		for _, row := range tallies {
			if slices.Contains(strings.Fields(row.columns), name) {
				return row.is, true
			}
		}
	}
	return measured, f.Type != query.Integer
}

// counts returns the columns of a type that have properties, with their additivity.
func (c *client) counts(info query.Info) map[string]additivity {
	found := map[string]additivity{}
	for _, f := range info.Output {
		is, ok := additivityOf(info, f)
		if !ok {
			c.fault("%s.%s counts, and tallies does not say how", info.Name, f.Name)
		}
		if is != measured {
			found[f.Name] = is
		}
	}
	if is, ok := listed[info.Name]; ok {
		found[rowsColumn] = is
	}
	return found
}

// keyOf returns a text that identifies a row of the type.
func keyOf(info query.Info, row map[string]any) string {
	names, ok := keys[info.Name]
	if !ok {
		for _, f := range info.Output {
			if f.Type == query.String || f.Type == query.Date {
				names = append(names, f.Name)
			}
		}
	}
	var text strings.Builder
	for _, n := range names {
		fmt.Fprintf(&text, "%s=%v ", n, row[n])
	}
	return text.String()
}

// sums adds up a column by key. For a list it returns the number of rows.
func sums(a answer, column string, key func(map[string]any) string) map[string]float64 {
	found := map[string]float64{}
	for _, row := range a.rows {
		n, ok := row[column].(float64)
		if column == rowsColumn {
			n, ok = 1, true
		}
		if ok && n != 0 {
			found[key(row)] += n
		}
	}
	return found
}

// unequal returns the keys for which two sums differ by more than slack.
func unequal(whole, parts map[string]float64, slack float64) []string {
	return compareSums(whole, parts, func(w, p float64) bool { return max(w-p, p-w) <= slack })
}

func compareSums(whole, parts map[string]float64, right func(whole, part float64) bool) (found []string) {
	all := map[string]bool{}
	for _, m := range []map[string]float64{whole, parts} {
		for k := range m {
			all[k] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if !right(whole[k], parts[k]) {
			found = append(found, fmt.Sprintf("%s: the whole is %g, the parts %g", k, whole[k], parts[k]))
		}
	}
	return found
}

// merge adds the sums of an answer to into.
func merge(into, from map[string]float64) {
	for k, n := range from {
		into[k] += n
	}
}
