package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query"
)

// An additivity says how a column of whole numbers counts, and so which properties hold of it.
type additivity uint8

const (
	measured additivity = iota // says how much, not how many: no property
	distinct                   // different ones among the rows: the parts do not sum to the whole, but are not above it
	byRow                      // rows, each at its own time: sums over time and over every filter
	byStart                    // sessions, at their start: sums over time and over filters on session fields
	byTime                     // a stretch of time: sums over time; a filter may lengthen it
)

func (y additivity) sumsOverTime() bool { return y >= byRow }

// sumsOver says whether the rows with a value of field and those without it are all.
func (y additivity) sumsOver(field string) bool {
	return y == byRow || y == byStart && !slices.Contains(rowFields, field)
}

// grows says whether a filter may raise the count.
func (y additivity) grows() bool { return y == measured || y == byTime }

// rowFields are the filter fields that are not the session's. A session has rows with
// and without a value of these, so it may be found by eq and by ne.
var rowFields = []string{"path", "event_name", "message", "error_type", "href", "text", "metric_name",
	"session_id", "anonymous_id", "profile_id", "namespace"}

// tallies classifies columns by name, or by type and name where a type means something else.
var tallies = []struct {
	is      additivity
	why     string
	columns string
}{
	{byRow, "a number of rows, or a sum over rows", `pageviews total_events count errors clicks total total_clicks samples rage_clicks
		dead_clicks requests exposures events_with_properties total_checks successful_checks invalid_ssl_checks`},
	{byStart, "sessions count once, where they start", `sessions total_sessions entry_pages.pageviews exit_pages.pageviews`},
	{byTime, "the next check decides, and a filter may hide it", `downtime_seconds`},
	{distinct, "somebody who comes again is one", `visitors unique_visitors active_users active_sessions users unique_users
		unique_sessions unique_links unique_pages unique_messages versions sessions_with_time`},
	{distinct, "different session ids among other rows", `errors.sessions error_trends.sessions engagement.sessions
		scroll_depth_distribution.sessions frustration_by_page.sessions flag_exposures.sessions`},
	{distinct, "a row of the breakdown needs a pageview in the range, which a session that starts in it may lack",
		`browsers_grouped.sessions browser_versions.sessions os_versions.sessions`},
	{distinct, "a row of engagement needs an exit, which a part of the pageviews of its path may lack", `engagement.pageviews`},
	{distinct, "a profile needs a pageview or custom event of its own, which a part of its rows may lack",
		`profiles.total_events profile_list.total_events profiles.session_count profile_list.session_count
		profiles.custom_event_count profile_list.custom_event_count`},
	{measured, "the first exposure of the range decides, and a part of its rows may lack it", `flag_outcomes.visitors flag_outcomes.converted`},
	{measured, "of one session, check or share", `page_views sessions.total_events session_list.total_events status http_code ttfb_ms total_ms`},
}

// listed are the types that list instead of counting: how their rows count.
var listed = map[string]additivity{"sessions": byStart, "session_list": byStart, "uptime_recent_checks": byRow}

// rowsColumn is how many rows a list has.
const rowsColumn = "(rows)"

// keys are the columns that tell rows apart, where these are not the texts and the date.
var keys = map[string][]string{
	"errors":                  {"message", "error_type"},
	"profiles":                {"visitor_id"},
	"profile_list":            {"visitor_id"},
	"uptime_status_breakdown": {"status", "http_code"},
	"sessions":                {}, "session_list": {}, "uptime_recent_checks": {}, "session_events": {},
}

// isTimeless reports a type that looks at the clock and not at the range.
func isTimeless(info query.Info) bool {
	return info.Name == "today_metrics" || info.Name == "active_stats" || strings.HasPrefix(info.Name, "realtime_")
}

// additivityOf classifies a column. ok is false for a column of whole numbers that is in no list.
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

// counts are the columns of a type that a property may be about, by how they count.
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

// keyOf is what tells a row of the type from the others.
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

// sums adds up a column by key; of a list it is the number of rows.
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

// unequal says where two sums differ by more than slack.
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

// merge adds the sums of several answers.
func merge(into, from map[string]float64) {
	for k, n := range from {
		into[k] += n
	}
}
