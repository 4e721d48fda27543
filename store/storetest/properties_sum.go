package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query"
)

// half is the maximum error of one rounded number: numbers have at most two decimals.
const half = 0.005 + 1e-9

func eqAndNe(c *client, info query.Info) (found []string) {
	counts := c.counts(info)
	for _, field := range c.filterFields(info, 4) {
		q := c.question(info)
		value := []string{c.value(field)}
		all := c.ask(q)
		eq := c.ask(q.where(query.Filter{Field: field, Op: query.Eq, Values: value}))
		ne := c.ask(q.where(query.Filter{Field: field, Op: query.Ne, Values: value}))
		if fault := all.fault + eq.fault + ne.fault; fault != "" {
			return append(found, fmt.Sprintf("%v: %s", q, fault))
		}
		for column, is := range counts {
			if !is.sumsOver(field) {
				continue
			}
			key := func(row map[string]any) string { return keyOf(info, row) }
			parts := sums(eq, column, key)
			merge(parts, sums(ne, column, key))
			for _, text := range unequal(sums(all, column, key), parts, 0) {
				found = append(found, fmt.Sprintf("%s by %s %q: %s\n%v", column, field, value, text, q))
			}
		}
	}
	return found
}

func filtersNeverRaise(c *client, info query.Info) (found []string) {
	counts := c.counts(info)
	for _, field := range c.filterFields(info, 4) {
		q, ops := c.question(info), operators(field)
		f := query.Filter{Field: field, Op: ops[c.rng.IntN(len(ops))], Values: []string{c.value(field)}}
		all, some := c.ask(q), c.ask(q.where(f))
		if fault := all.fault + some.fault; fault != "" {
			return append(found, fmt.Sprintf("%v: %s", q, fault))
		}
		for column, is := range counts {
			if is.grows() {
				continue
			}
			key := func(row map[string]any) string { return keyOf(info, row) }
			for _, text := range compareSums(sums(all, column, key), sums(some, column, key),
				func(w, p float64) bool { return p <= w }) {
				found = append(found, fmt.Sprintf("%s where %s %s %q: %s\n%v", column, f.Field, f.Op, f.Values, text,
					q))
			}
		}
	}
	return found
}

func hoursSumToDays(c *client, info query.Info) (found []string) {
	if shortest(info) != "hourly" || len(info.Granularity) == 0 {
		return nil
	}
	counts := c.counts(info)
	for range 4 {
		q := c.question(info)
		days := c.ask(q)
		hours := c.ask(q.with(func(r *query.Request) { r.Granularity = "hourly" }))
		if fault := days.fault + hours.fault; fault != "" {
			return append(found, fmt.Sprintf("%v: %s", q, fault))
		}
		for column, is := range counts {
			if !is.sumsOverTime() {
				continue
			}
			slack := 0.0
			if is == byTime { // rounded in every hour
				slack = 26 * half
			}
			for _, text := range unequal(sums(days, column, dayOf), sums(hours, column, dayOf), slack) {
				found = append(found, fmt.Sprintf("%s: %s\n%v", column, text, q))
			}
		}
	}
	return found
}

func dayOf(row map[string]any) string {
	date, _ := row["date"].(string)
	return date[:min(len(date), 10)]
}

func daysSumToRange(c *client, info query.Info) (found []string) {
	if isTimeless(info) {
		return nil
	}
	counts := c.counts(info)
	for range 3 {
		q := c.question(info)
		whole := c.ask(q)
		if whole.fault != "" {
			return append(found, fmt.Sprintf("%v: %s", q, whole.fault))
		}
		var days []answer
		for day := q.req.StartDate; day <= q.req.EndDate; day = addDays(day, 1) {
			a := c.ask(q.with(func(r *query.Request) { r.StartDate, r.EndDate = day, day }))
			if a.fault != "" {
				return append(found, fmt.Sprintf("%v: %s", q, a.fault))
			}
			days = append(days, a)
		}
		for column, is := range counts {
			if !is.sumsOverTime() {
				continue
			}
			key := func(row map[string]any) string { return keyOf(info, row) }
			parts, slack := map[string]float64{}, 0.0
			for _, a := range days {
				merge(parts, sums(a, column, key))
			}
			if is == byTime {
				slack = float64(len(days)+1) * half
			}
			for _, text := range unequal(sums(whole, column, key), parts, slack) {
				found = append(found, fmt.Sprintf("%s: %s\n%v", column, text, q))
			}
		}
	}
	return found
}

// pairs lists series with the type that returns the totals of the same columns.
var pairs = []struct{ series, column, totals, of string }{
	{"summary", "pageviews", "summary_metrics", "pageviews"},
	{"summary", "pageviews", "hours", "pageviews"},
	{"summary", "sessions", "summary_metrics", "sessions"},
	{"summary", "total_events", "summary_metrics", "total_events"},
	{"events_by_date", "pageviews", "summary_metrics", "pageviews"},
	{"events_by_date", "sessions", "session_metrics", "total_sessions"},
	{"sessions_time_series", "sessions", "session_metrics", "total_sessions"},
	{"error_trends", "errors", "errors", "count"},
	{"error_trends", "errors", "error_types", "count"},
	{"error_trends", "errors", "errors_by_page", "errors"},
	{"vitals_time_series", "samples", "vitals_overview", "samples"},
	{"vitals_time_series", "samples", "web_vitals_by_page", "samples"},
	{"custom_events_trends", "total_events", "custom_events", "total_events"},
	{"link_clicks_by_day", "clicks", "link_total_clicks", "total"},
	{"link_clicks_by_day", "clicks", "link_top_countries", "clicks"},
	{"link_clicks_by_day", "clicks", "link_top_devices", "clicks"},
	{"link_clicks_by_day", "clicks", "link_top_browsers", "clicks"},
	{"link_clicks_by_day", "clicks", "link_top_referrers", "clicks"},
	{"uptime_time_series", "total_checks", "uptime_overview", "total_checks"},
	{"uptime_time_series", "successful_checks", "uptime_overview", "successful_checks"},
	{"uptime_time_series", "total_checks", "uptime_by_region", "total_checks"},
}

func seriesSumsToTotals(c *client, info query.Info) (found []string) {
	for _, p := range pairs {
		known := slices.ContainsFunc(c.types, func(other query.Info) bool { return other.Name == p.totals })
		if p.series != info.Name || !known {
			continue
		}
		for range 3 {
			q := c.question(info)
			for _, field := range c.filterFields(info, c.rng.IntN(2)) {
				q = q.where(query.Filter{Field: field, Op: query.Eq, Values: []string{c.value(field)}})
			}
			series := c.ask(q)
			totals := c.ask(q.with(func(r *query.Request) { r.Parameters = []query.Parameter{{Name: p.totals}} }))
			if series.code == query.BadFilter || totals.code == query.BadFilter {
				continue // only one of the two has the field
			}
			if fault := series.fault + totals.fault; fault != "" {
				return append(found, fmt.Sprintf("%v: %s", q, fault))
			}
			for _, text := range unequal(sums(totals, p.of, altogether), sums(series, p.column, altogether), 0) {
				found = append(found, fmt.Sprintf("%s against %s of %s: %s\n%v", p.column, p.of, p.totals, text, q))
			}
		}
	}
	return found
}

func altogether(map[string]any) string { return "altogether" }

func sharesSumToHundred(c *client, info query.Info) (found []string) {
	shares := slices.ContainsFunc(info.Output, func(f query.OutputField) bool { return f.Name == "percentage" })
	if !shares || info.Name == "retention" { // whose visitors come in many periods
		return nil
	}
	for i := range 5 {
		q := c.question(info)
		if len(info.Groupable) > 0 && i > 2 {
			q = q.with(func(r *query.Request) { r.GroupBy = []string{info.Groupable[c.rng.IntN(len(info.Groupable))]} })
		}
		a := c.ask(q)
		if a.fault != "" {
			return append(found, fmt.Sprintf("%v: %s", q, a.fault))
		}
		of := map[any][]map[string]any{} // shares of paths are among the steps from one path
		for _, row := range a.rows {
			of[row["from_path"]] = append(of[row["from_path"]], row)
		}
		for _, rows := range of {
			if text := wrongShares(rows); text != "" {
				found = append(found, fmt.Sprintf("%s: %v", text, q))
			}
		}
	}
	return found
}

func wrongShares(rows []map[string]any) string {
	sum, absent := 0.0, 0
	for _, row := range rows {
		switch share := row["percentage"].(type) {
		case nil:
			absent++
		case float64:
			if share < 0 || share > 100 {
				return fmt.Sprintf("a share of %g", share)
			}
			sum += share
		}
	}
	switch n := len(rows); {
	case absent == n:
		return "" // there are no shares
	case absent > 0:
		return fmt.Sprintf("%d of %d shares are null", absent, n)
	case max(sum-100, 100-sum) > float64(n)*half:
		return strings.TrimSpace(fmt.Sprintf("%d shares sum to %g", n, sum))
	}
	return ""
}
