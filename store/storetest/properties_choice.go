package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query"
)

// notSpelled lists the types that no choice of metrics equals, with the reasons.
var notSpelled = map[string]string{
	"today_metrics": "its time", "active_stats": "its time", "realtime_pages": "its time",
	"realtime_countries": "its time", "realtime_cities": "its time",
	"sessions": "a list", "session_list": "a list", "session_events": "a list", "uptime_recent_checks": "a list",
	"profiles": "a row per visitor", "profile_list": "a row per visitor",
	"traffic": "rows by kind of source", "traffic_sources": "rows by kind of source", "top_referrers": "no campaigns",
	"performance": "pages without pageviews", "engagement": "pages without pageviews",
	"page_time_analysis":  "pages without pageviews",
	"frustration_by_page": "its rows", "scroll_depth_distribution": "its rows",
	"session_duration_distribution": "its ranges",
	"vitals_overview":               "units by row", "custom_event_properties": "a row per property",
	"flag_exposures": "its rows",
	"flag_outcomes":  "its rows",
	"funnel":         "its rows", "goals": "its rows", "goals_trends": "its rows", "retention": "its rows",
	"paths": "its rows", "hours": "rows without pageviews",
	"outbound_domains": "its domains", "uptime_status_breakdown": "its codes",
	"uptime_by_region": "no row for checks that are neither up nor down",
	"link_top_regions": "the row Unknown", "link_top_cities": "the row Unknown",
}

// namedIsSpelled asks for a type by its name, and for the same metrics and dimensions as a choice.
func namedIsSpelled(c *client, info query.Info) (found []string) {
	ty := c.builtin(info.Name)
	for range 3 {
		q := c.question(info)
		q.req.Totals = new(true)
		spelled, columns, ok := c.spell(q, ty)
		if why := notSpelled[info.Name]; ok != (why == "") {
			return append(found, fmt.Sprintf("it can be spelled out as a choice: %t, and notSpelled says %q", ok, why))
		} else if !ok {
			return nil
		}
		if f := ty.SkipEmpty; f != "" {
			q, spelled = q.where(query.Filter{Field: f, Op: query.Ne, Values: []string{""}}),
				spelled.where(query.Filter{Field: f, Op: query.Ne, Values: []string{""}})
		}
		for _, field := range c.filterFields(info, c.rng.IntN(2)) {
			f := query.Filter{Field: field, Op: query.Ne, Values: []string{c.value(field)}}
			q, spelled = q.where(f), spelled.where(f)
		}
		want, got := c.ask(q), c.ask(spelled)
		if want.fault != "" || got.fault != "" {
			return append(found, fmt.Sprintf("%v: %s%s", q, want.fault, got.fault))
		}
		if diff := differingRow(cellsOf(want, columns), cellsOf(got, columns)); diff != "" {
			found = append(found, fmt.Sprintf("%v\nagainst %v\n%s", q, spelled, diff))
		}
	}
	return found
}

func (c *client) builtin(name string) query.Type {
	all := query.Builtin()
	return all[slices.IndexFunc(all, func(ty query.Type) bool { return ty.Name == name })]
}

// spell returns q with a choice in place of the type, and the columns that both have. It reports false if the type
// cannot be spelled out.
func (c *client) spell(q question, ty query.Type) (spelled question, columns []string, ok bool) {
	name := map[string]string{"pageviews": "pageviews", "sessions": "sessions", "custom": "events", "clicks": "clicks",
		"errors": "errors",
		"vitals": "vitals", "visits": "link_visits", "checks": "checks", "blocked": "blocked"}[ty.Source]
	p := query.Parameter{}
	known := func(d query.DatasetInfo, field string) bool {
		return slices.ContainsFunc(d.Dimensions, func(f query.OutputField) bool { return f.Name == field })
	}
	for _, field := range ty.Dimensions {
		switch field {
		case "entry_page":
			name, field = "entries", "path"
		case "exit_page":
			name, field = "exits", "path"
		}
		p.Dimensions = append(p.Dimensions, field)
	}
	all := c.known.Datasets()
	at := slices.IndexFunc(all, func(d query.DatasetInfo) bool { return d.Name == name })
	if at < 0 || ty.Shape == query.List || ty.Window != 0 || ty.OnlyEmpty != "" || ty.SkipZero != "" || ty.OuterJoin ||
		len(ty.Values) > 0 ||
		slices.ContainsFunc(p.Dimensions, func(field string) bool { return !known(all[at], field) }) {
		return q, nil, false
	}
	if ty.Shape == query.Series {
		p.Dimensions, columns = []string{"date"}, []string{"date"}
	}
	p.Dataset = name
	for _, spec := range ty.Columns {
		shown, source, named := strings.Cut(spec, "=")
		if !named {
			source = shown
		}
		isMetric := slices.ContainsFunc(all[at].Metrics, func(m query.OutputField) bool { return m.Name == source })
		if isMetric && len(p.Metrics) < 10 {
			p.Metrics, columns = append(p.Metrics, query.ChosenMetric{Name: source, As: shown}), append(columns, shown)
		} else if slices.Contains(p.Dimensions, shown) && source == shown && shown != "referrer" {
			columns = append(columns, shown)
		}
	}
	if share := ty.ShareOf; slices.Contains(ty.Columns, "percentage") { // it is a share of the first metric
		if share == "" {
			share = strings.TrimPrefix(ty.Order[0], "-")
		}
		slices.SortStableFunc(p.Metrics, func(a, b query.ChosenMetric) int {
			return map[bool]int{true: -1}[a.As == share] - map[bool]int{true: -1}[b.As == share]
		})
	}
	spelled = q.with(func(r *query.Request) { r.Parameters = []query.Parameter{p} })
	return spelled, columns, len(p.Metrics) > 0
}

// cellsOf returns some columns of the rows of an answer, sorted, and of its totals.
func cellsOf(a answer, columns []string) []string {
	text := func(row map[string]any) string {
		cells := make([]any, len(columns))
		for i, name := range columns {
			cells[i] = row[name]
		}
		b, err := json.Marshal(cells)
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	found := make([]string, 0, len(a.rows)+1)
	for _, row := range a.rows {
		found = append(found, text(row))
	}
	slices.Sort(found)
	return append(found, text(a.totals))
}

// loseSessionsOfChoices makes the answers of choices lose their sessions.
func loseSessionsOfChoices(c *client) {
	right := c.ask
	c.ask = func(q question) answer {
		a := right(q)
		for _, row := range a.rows {
			if q.req.Parameters[0].Name == "" && row["sessions"] != nil {
				row["sessions"] = 0.0
			}
		}
		return a
	}
}
