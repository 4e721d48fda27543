package world

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

// sampleOf is a row of a subject, of the kind that the type asked is about.
func (a *asker) sampleOf(s store.Subject) sample {
	b := &a.world.Batch
	for range 10_000 { // the batch has plenty of each
		switch {
		case s.Kind == store.KindLink:
			if v := pickFrom(a, b.Visits); v.Link == s.ID {
				return sample{v.Time, agentTexts(v.Agent, map[string]string{"referrer": v.ReferrerDomain})}
			}
		case s.Kind == store.KindSchedule:
			if c := pickFrom(a, b.Checks); c.Schedule == s.ID {
				return sample{c.Time, map[string]string{"probe_region": c.Region}}
			}
		case a.about("message"):
			if e := pickFrom(a, b.Errors); e.Website == s.ID {
				return sample{e.Time, agentTexts(e.Agent, identityTexts(e.Identity, map[string]string{
					"path": e.Path, "message": e.Message, "error_type": e.ErrorType,
				}))}
			}
		case a.about("metric_name"):
			if v := pickFrom(a, b.Vitals); v.Website == s.ID {
				return sample{v.Time, agentTexts(v.Agent, identityTexts(v.Identity, map[string]string{
					"path": v.Path, "metric_name": v.Samples[0].Metric,
				}))}
			}
		case a.kind.Name == "frustration_by_page":
			if p := pickFrom(a, b.Spans); p.Website == s.ID {
				return sample{p.Time, agentTexts(p.Agent, identityTexts(p.Identity, map[string]string{"path": p.Path}))}
			}
		default:
			if e := pickFrom(a, b.Events); e.Website == s.ID && a.fits(&e) {
				return eventSample(e)
			}
		}
	}
	return sample{}
}

// about reports whether a field that few types have is one of the type asked.
func (a *asker) about(field string) bool { return slices.Contains(a.kind.Filters, field) }

// fits reports whether e is of the kind that the type asked is about.
func (a *asker) fits(e *store.Event) bool {
	exits := []string{"page_time_analysis", "engagement", "scroll_depth_distribution"}
	switch {
	case a.kind.NeedsSession:
		return e.SessionID != ""
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
		"path": e.Path, "event_name": e.Name, "namespace": e.Namespace, "referrer": e.ReferrerDomain,
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

// now is a moment after the range, seldom in its midst; for types that look at the
// time before it, soon after the anchor.
func (a *asker) now(end time.Time) time.Time {
	ago := map[reference.Window]time.Duration{
		reference.Today: 3 * time.Hour, reference.Active: 5 * time.Minute, reference.Realtime: 2 * time.Minute,
	}[a.kind.Window]
	switch n := a.IntN(100); {
	case a.kind.Window == reference.Range && n < 70:
		return end.Add(time.Duration(a.Int64N(int64(90*24*time.Hour/time.Millisecond))) * time.Millisecond)
	case a.kind.Window == reference.Range:
		return a.anchor.at.Add(time.Duration(a.IntN(48*3_600_000)-12*3_600_000) * time.Millisecond)
	case n < 20: // the edges of what is looked at
		edges := []time.Duration{0, time.Millisecond, ago - time.Millisecond, ago}
		return a.anchor.at.Add(edges[a.IntN(len(edges))])
	default:
		return a.anchor.at.Add(time.Duration(a.Int64N(ago.Milliseconds())) * time.Millisecond)
	}
}

// ofSession is a filter that picks the session of the anchor, mostly.
func (a *asker) ofSession() reference.Filter {
	id := a.anchor.text["session_id"]
	if a.chance(5) {
		id = a.sampleOf(a.another()).text["session_id"]
	}
	return reference.Filter{Field: "session_id", Op: "eq", Values: []string{id}}
}
