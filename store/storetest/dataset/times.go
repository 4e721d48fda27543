package dataset

import (
	"cmp"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// times gives one question in four a start or an end to the minute, near its anchor.
func (a *asker) times(q *reference.Question) {
	if !kindOfRange(a.kind) || !a.chance(25) {
		return
	}
	zone := cmp.Or(a.dataset.locations[q.Zone], time.UTC)
	minutes := func(most int) time.Duration { return time.Duration(1+a.IntN(most)) * time.Minute }
	before, after := minutes(36*60), minutes(36*60)
	switch n := a.IntN(100); {
	case n < 35:
		before, after = minutes(60), minutes(180)
		q.Grain = pickFrom(a, []string{"minute", "minute", "minute", "hourly"})
	case n < 50: // whole days between
		before, after = minutes(9*24*60), minutes(4*24*60)
	case n < 60: // quarters of an hour
		before, after = before.Round(15*time.Minute), after.Round(15*time.Minute)
	}
	start, end := local(a.anchor.at.Add(-before), zone), local(a.anchor.at.Add(after).Add(time.Minute), zone)
	if q.Grain == "minute" && a.chance(60) { // combinations have many rows
		q.GroupBy = nil
	}
	switch n := a.IntN(100); {
	case q.Grain == "minute" || q.Grain == "hourly" || n < 70:
		q.StartDate, q.EndDate = start, end
	case n < 85:
		q.StartDate, q.EndDate = start, max(q.EndDate, end[:len(time.DateOnly)])
	default:
		q.StartDate, q.EndDate = min(q.StartDate, start[:len(time.DateOnly)]), end
	}
	if a.chance(50) { // the range may not be over
		q.Now = a.anchor.at.Add(time.Duration(a.Int64N(int64(after) + int64(time.Hour)))).Truncate(time.Microsecond)
	}
}

// span returns a start and an end, one of which at least is a time.
func (a *asker) span(at time.Time, zone *time.Location) string {
	zone = cmp.Or(zone, time.UTC)
	start := local(at, zone)
	end := local(at.Add(time.Duration(1+a.IntN(300))*time.Minute), zone)
	if a.chance(30) {
		end = end[:len(time.DateOnly)]
	}
	return start + "," + end
}

// local returns the minute of an instant as a local time, or with its offset if clocks show it twice.
func local(at time.Time, zone *time.Location) string {
	const form = "2006-01-02T15:04"
	at = at.Truncate(time.Minute).In(zone)
	text, shown := at.Format(form), map[int64]bool{}
	if _, offset := at.Zone(); offset%60 != 0 { // no form says such an instant
		return at.UTC().Format(form + "Z")
	}
	const days, step = 48 * time.Hour, 15 * time.Minute
	for quarter := at.Add(-days); quarter.Before(at.Add(days)); quarter = quarter.Add(step) {
		_, now := at.Zone()
		_, then := quarter.Zone()
		if other := at.Add(time.Duration(now-then) * time.Second); other.Format(form) == text {
			shown[other.Unix()] = true
		}
	}
	if len(shown) > 1 {
		return at.Format(form + "-07:00")
	}
	return text
}

// preset lets a preset of days end yesterday, and leaves the granularity to presets of times.
func (a *asker) preset(q *reference.Question) {
	completes := []string{"last_7d", "last_14d", "last_28d", "last_30d", "last_90d", "last_180d", "last_365d"}
	switch {
	case slices.Contains(completes, q.Preset):
		q.Complete = a.chance(40)
	case slices.Contains([]string{"last_30m", "last_60m", "last_24h"}, q.Preset) && a.chance(70):
		q.Grain = ""
	}
}

// ordersByDifference reports whether the rows of q may be ordered by their difference from a compared period.
func (a *asker) ordersByDifference(q *reference.Question) bool {
	ordered := []string{"pages", "top_pages", "entry_pages", "exit_pages", "page_time_analysis", "traffic",
		"traffic_sources", "top_referrers", "utm_sources", "utm_campaigns", "browser_name", "device_types",
		"browsers_grouped", "browser_versions", "countries", "region", "cities", "errors", "error_types",
		"errors_by_page", "performance", "web_vitals_by_page", "custom_events", "custom_event_properties",
		"outbound_links", "outbound_domains", "engagement", "frustration_by_page", "flag_exposures", "flag_outcomes",
		"link_top_referrers", "link_top_countries", "link_top_devices", "uptime_status_breakdown", "blocked_traffic",
		"goals"}
	return slices.Contains(ordered, a.kind.Name) && a.kind.Window == reference.Range && q.Metrics == nil
}
