package dataset

import (
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A visitor has the common values of all rows of one visit.
type visitor struct {
	m      *maker
	at     time.Time
	row    store.Event // ids, agent, referrer and campaign
	path   string      // the current page
	wavers bool        // rows differ in fields of the session
}

// website adds visits to one website.
func (m *maker) website(id string, visits int) {
	next := m.next
	m.site, m.ids = id, nil
	for range visits {
		m.visit()
	}
	// The next website uses the same event ids.
	m.next = next
}

func (m *maker) newVisitor() *visitor {
	v := &visitor{m: m, at: m.moment(), wavers: m.chance(25)}
	v.row.Website = m.site
	v.row.AnonymousID, v.row.SessionID = m.pick(visitors), m.sessionID()
	if m.chance(15) {
		v.row.ProfileID = m.pick(profiles)
	}
	if m.chance(5) {
		v.row.AnonymousID = ""
	}
	v.dress(&v.row)
	return v
}

// dress sets the agent and the origin of a row.
func (v *visitor) dress(e *store.Event) {
	m := v.m
	from := origins[m.rng.IntN(len(origins))]
	e.Agent, e.Referrer, e.ReferrerDomain, e.CampaignKind = m.agent(), from[0], from[1], ""
	if from[1] == "" && m.more.IntN(100) < 40 {
		campaign := campaignSources[m.more.IntN(len(campaignSources))]
		e.ReferrerDomain, e.CampaignKind = campaign[0], campaign[1]
	}
	e.UTMSource, e.UTMMedium, e.UTMCampaign = m.pick(campaigns), m.pick(campaigns[:8]), m.pick(campaigns)
	e.UTMTerm, e.UTMContent, e.GCLID = m.pick(campaigns[:6]), m.pick(campaigns[:6]), m.pick(campaigns[:5])
	e.Language, e.Timezone, e.Screen = m.pick(languages), m.pick(zonesOfRows), m.pick(screens)
	e.Viewport = e.Screen
}

// event returns a new row at the visitor's instant, not yet stored.
func (v *visitor) event(kind store.EventKind, name string) *store.Event {
	e := v.row
	if v.wavers && v.m.chance(50) {
		v.dress(&e)
	}
	e.ID, e.Kind, e.Name, e.Time, e.Path = v.m.id(), kind, name, v.at, v.path
	v.m.batch.Events = append(v.m.batch.Events, e)
	return &v.m.batch.Events[len(v.m.batch.Events)-1]
}

// somewhere sets a page if the visitor has none.
func (v *visitor) somewhere() {
	if v.path == "" {
		v.path = "/"
	}
}

func (v *visitor) view() {
	m := v.m
	v.path = m.pick(paths)
	e := v.event(store.Pageview, m.pick(pool{"screen_view", "screen_view", "page_view"}))
	e.Title, e.LoadTime, e.DOMReadyTime, e.TTFB = titleOf(e), m.measure(4_000), m.measure(3_000), m.measure(800)
	if m.chance(10) {
		e.Properties = m.pick(properties)
	}
}

// titleOf returns the title of a pageview. A page has several over time, and pages share some.
func titleOf(e *store.Event) string {
	return []string{"", "Title", "Title 100%", "Über " + e.Path, strings.ToUpper(e.Path)}[e.Time.UnixMilli()/7%5]
}

func (v *visitor) exit() {
	v.somewhere()
	e := v.event(store.Exit, "page_exit")
	e.TimeOnPage, e.ScrollDepth, e.Interactions = v.m.onPage(), v.m.scrolled(), v.m.measure(3)
	if v.m.chance(50) {
		v.span(e)
	}
}

// span adds the details of an exit as a row of another kind.
func (v *visitor) span(e *store.Event) {
	m := v.m
	v.m.batch.Spans = append(v.m.batch.Spans, store.Span{
		Website: e.Website, ID: m.id(), Time: e.Time, Identity: e.Identity, Agent: e.Agent, Path: e.Path,
		ExitType:   "hidden",
		TimeOnPage: e.TimeOnPage, ActiveTime: m.measure(9_000), MaxScrollDepth: e.ScrollDepth,
		Interactions: e.Interactions.V,
		Clicks:       m.some(9), RageClicks: m.some(4), DeadClicks: m.some(6), Errors: m.some(3),
	})
}

// custom adds a single custom event. Half of them come from a server, without agent and place.
func (v *visitor) custom(name string) {
	e := v.event(store.Custom, name)
	if v.m.chance(50) {
		*e = store.Event{Website: e.Website, ID: e.ID, Kind: e.Kind, Name: name, Time: e.Time, Identity: e.Identity,
			Path: e.Path}
		e.Keyed = true
	}
	e.Namespace, e.Properties = v.m.pick(namespaces), v.m.pick(properties)
	if v.m.chance(20) {
		e.Path = ""
	}
	if n := len(v.m.batch.Events); n > 1 && v.m.chance(5) {
		e.ID = v.m.batch.Events[n-2].ID // the kinds have separate ids
	}
}

// exposure adds an exposure of a feature flag.
func (v *visitor) exposure() {
	if v.m.chance(70) {
		v.custom(flagEvaluated)
	} else {
		v.pageEvent(flagEvaluated)
	}
	v.m.batch.Events[len(v.m.batch.Events)-1].Properties = v.m.pick(exposures)
}

// outcome adds an outcome of a feature flag.
func (v *visitor) outcome() {
	v.custom(v.m.pick(eventNames))
	v.m.batch.Events[len(v.m.batch.Events)-1].Properties = v.m.pick(outcomes)
}

func (v *visitor) pageEvent(name string) {
	v.somewhere()
	v.event(store.PageEvent, name).Properties = v.m.pick(properties)
}

func (v *visitor) click() {
	e := v.event(store.Click, "")
	e.Href, e.Text = v.m.pick(hrefs), v.m.pick(linkTexts)
	if v.m.chance(20) {
		e.Properties = v.m.pick(properties)
	}
}

func (v *visitor) fail(at time.Time) {
	m := v.m
	e := store.Error{
		Website: v.row.Website, ID: m.id(), Time: at, Identity: v.row.Identity, Agent: v.row.Agent, Path: v.path,
		Message: m.pick(messages), ErrorType: m.pick(errorTypes), Filename: "a.js", Line: m.measure(900),
	}
	if m.chance(15) {
		e.Agent = m.agent()
	}
	m.batch.Errors = append(m.batch.Errors, e)
}

func (v *visitor) vitals(at time.Time) {
	m := v.m
	v.somewhere()
	r := store.Vital{Website: v.row.Website, ID: m.id(), Time: at, Identity: v.row.Identity, Agent: v.row.Agent,
		Path: v.path}
	for range 1 + m.rng.IntN(4) {
		value := m.measure(6_000)
		r.Samples = append(r.Samples, store.Sample{Metric: m.pick(metricsOf), Value: value.V})
	}
	m.batch.Vitals = append(m.batch.Vitals, r)
}

// aside adds further rows that may come with a page.
func (v *visitor) aside() {
	m := v.m
	if m.chance(30) {
		v.vitals(v.at)
	}
	if m.chance(20) {
		v.fail(v.at)
	}
	if m.chance(6) { // earlier, by up to a little more than a day
		edges := []time.Duration{time.Millisecond, time.Hour, 24 * time.Hour, 24*time.Hour + time.Millisecond}
		v.fail(v.at.Add(-edges[m.rng.IntN(len(edges))]))
		v.vitals(v.at.Add(-edges[m.rng.IntN(len(edges))]))
	}
	if m.chance(25) {
		v.custom(m.pick(eventNames))
	}
	if m.chance(8) {
		v.pageEvent(m.pick(pageEventNames))
	}
	if m.chance(12) {
		v.click()
	}
	if m.chance(8) {
		v.custom(m.pick(dollarNames))
	}
	if m.chance(12) {
		v.exposure()
	}
	if m.chance(10) {
		v.outcome()
	}
	if m.chance(3) {
		v.pageEvent(m.pick(dollarNames))
	}
}
