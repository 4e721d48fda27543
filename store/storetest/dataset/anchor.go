package dataset

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// A sample is a stored row as filters see it: its instant and the texts of its fields.
type sample struct {
	at   time.Time
	text map[string]string
}

// sampleOf returns a row of a subject, usually a row that the query type counts.
func (a *asker) sampleOf(s store.Subject) sample {
	for range 10_000 { // the batch has many of each
		one, ok := a.anyRow(s)
		if !ok {
			continue
		}
		if s.Kind == store.KindWebsite && a.chance(85) {
			a.lend(s.ID, &one)
		}
		if !a.mute(&one) || a.chance(10) {
			return one
		}
	}
	return sample{}
}

// anyRow returns a row of any subject, and whether it belongs to s and is of the right kind.
func (a *asker) anyRow(s store.Subject) (sample, bool) {
	b := &a.dataset.Batch
	switch {
	case s.Kind == store.KindLink:
		v := pickFrom(a, b.Visits)
		return sample{v.Time, agentTexts(v.Agent, map[string]string{"referrer": v.ReferrerDomain})}, v.Link == s.ID
	case s.Kind == store.KindSchedule:
		c := pickFrom(a, b.Checks)
		fits := c.Status == store.Up || a.chance(30)
		return sample{c.Time, map[string]string{"probe_region": c.Region}}, c.Schedule == s.ID && fits
	case a.about("message"):
		e := pickFrom(a, b.Errors)
		return sample{e.Time, agentTexts(e.Agent, identityTexts(e.Identity, map[string]string{
			"path": e.Path, "message": e.Message, "error_type": e.ErrorType,
		}))}, e.Website == s.ID
	case a.about("reason"):
		o := pickFrom(a, b.Blocked)
		return sample{o.Time, map[string]string{"reason": o.Reason, "bot_name": o.Bot}}, o.Website == s.ID
	case a.about("metric_name"):
		v := pickFrom(a, b.Vitals)
		return sample{v.Time, agentTexts(v.Agent, identityTexts(v.Identity, map[string]string{
			"path": v.Path, "metric_name": v.Samples[0].Metric,
		}))}, v.Website == s.ID
	case a.kind.Name == "frustration_by_page":
		p := pickFrom(a, b.Spans)
		return sample{p.Time, agentTexts(p.Agent, identityTexts(p.Identity, map[string]string{"path": p.Path}))},
			p.Website == s.ID
	default:
		e := pickFrom(a, a.events())
		if e.Website != s.ID || !a.fits(&e) {
			return sample{}, false
		}
		return eventSample(e), true
	}
}

// events returns the events from which questions choose.
func (a *asker) events() []store.Event {
	if a.asking {
		return a.dataset.Batch.Events
	}
	return a.dataset.visited
}

// lend sets the fields of a sample to those of the page events near it with the same session id, which filters
// usually see.
func (a *asker) lend(site string, s *sample) {
	id := s.text["session_id"]
	var first, entry, exit *store.Event
	for _, i := range a.dataset.bySession[id] {
		e := &a.dataset.Batch.Events[i]
		if e.Website != site || id == "" || e.Kind > store.PageEvent || s.at.Sub(e.Time).Abs() >= 24*time.Hour {
			continue
		}
		if first == nil || e.Time.Before(first.Time) {
			first = e
		}
		if e.Kind == store.Pageview && (entry == nil || e.Time.Before(entry.Time)) {
			entry = e
		}
		if e.Kind == store.Pageview && (exit == nil || e.Time.After(exit.Time)) {
			exit = e
		}
	}
	if first == nil {
		return
	}
	lent := eventSample(*first).text
	if entry != nil {
		lent["entry_page"], lent["exit_page"] = entry.Path, exit.Path
	}
	for _, field := range sessionFields {
		s.text[field] = lent[field]
	}
}

var sessionFields = reference.SessionFields()

// mute reports whether a breakdown excludes a row, because it lacks a field that is a column of the type and
// not allowed in groupBy.
func (a *asker) mute(s *sample) bool {
	return len(a.kind.GroupBy) > 0 && slices.ContainsFunc(sessionFields, func(f string) bool {
		return a.about(f) && !slices.Contains(a.kind.GroupBy, f) && s.text[f] == ""
	})
}

// about reports whether the type of the question allows filters on field.
func (a *asker) about(field string) bool { return slices.Contains(a.kind.Filters, field) }

// fits reports whether the type of the question counts events like e.
func (a *asker) fits(e *store.Event) bool {
	exits := []string{"page_time_analysis", "engagement", "scroll_depth_distribution"}
	switch {
	case a.kind.NeedsSession:
		return e.SessionID != ""
	case a.kind.Name == "flag_exposures":
		return e.Name == flagEvaluated
	case a.about("event_name"):
		return e.Kind == store.Custom || e.Kind == store.PageEvent
	case a.about("href"):
		return e.Kind == store.Click
	case slices.Contains(exits, a.kind.Name):
		return e.Kind == store.Exit
	default:
		return e.Kind == store.Pageview
	}
}

func eventSample(e store.Event) sample {
	return sample{e.Time, agentTexts(e.Agent, identityTexts(e.Identity, map[string]string{
		"path": e.Path, "title": e.Title, "event_name": e.Name, "namespace": e.Namespace, "referrer": e.ReferrerDomain,
		"utm_source": e.UTMSource, "utm_medium": e.UTMMedium, "utm_campaign": e.UTMCampaign, "utm_term": e.UTMTerm,
		"utm_content": e.UTMContent, "gclid": e.GCLID, "language": e.Language, "timezone": e.Timezone,
		"screen_resolution": e.Screen, "href": e.Href, "text": e.Text,
	}))}
}

func identityTexts(i store.Identity, text map[string]string) map[string]string {
	text["session_id"], text["anonymous_id"], text["profile_id"] = i.SessionID, i.AnonymousID, i.ProfileID
	return text
}

func agentTexts(a store.Agent, text map[string]string) map[string]string {
	text["browser_name"], text["browser_version"] = a.BrowserName, a.BrowserVersion
	text["os_name"], text["os_version"], text["device_type"] = a.OSName, a.OSVersion, a.DeviceType
	text["country"], text["region"], text["city"] = a.Country, a.Region, a.City
	return text
}

// now returns a moment after the range, or rarely within it. For types that count the time before now, it
// returns a moment soon after the anchor.
func (a *asker) now(end time.Time) time.Time {
	ago := map[reference.Window]time.Duration{
		reference.Today: 3 * time.Hour, reference.Active: 5 * time.Minute, reference.Realtime: 2 * time.Minute,
	}[a.kind.Window]
	switch n := a.IntN(100); {
	case a.kind.Window == reference.Range && n < 70:
		return end.Add(time.Duration(a.Int64N(int64(90*24*time.Hour/time.Millisecond))) * time.Millisecond)
	case a.kind.Window == reference.Range:
		return a.anchor.at.Add(time.Duration(a.IntN(48*3_600_000)-12*3_600_000) * time.Millisecond)
	case n < 20: // the limits of the window
		edges := []time.Duration{0, time.Millisecond, ago - time.Millisecond, ago}
		return a.anchor.at.Add(edges[a.IntN(len(edges))])
	default:
		return a.anchor.at.Add(time.Duration(a.Int64N(ago.Milliseconds())) * time.Millisecond)
	}
}

// ofSession returns a filter that usually selects the session of the anchor.
func (a *asker) ofSession() reference.Filter {
	id := a.anchor.text["session_id"]
	if a.chance(5) {
		id = a.sampleOf(a.another()).text["session_id"]
	}
	return reference.Filter{Field: "session_id", Op: "eq", Values: []string{id}}
}
