package reference

import (
	"cmp"

	"github.com/sightline-analytics/sightline/store"
)

// A known identifies an event id: it counts once per subject, kind and kind of sender. All page events are one
// kind.
type known struct {
	subject store.Subject
	kind    rowKind
	keyed   bool
	id      string
}

func knownOf(r row) known { return known{r.subject, r.kind, r.Keyed, r.id} }

type loader struct {
	seen map[known]bool
	rows []row
}

// add stores r, unless its id came before.
func (l *loader) add(r row) {
	if l.first(r) {
		l.rows = append(l.rows, r)
	}
}

func (l *loader) first(r row) bool {
	if l.seen == nil {
		l.seen = map[known]bool{}
	}
	k := knownOf(r)
	if r.pageRow() {
		k.kind = pageview
	}
	again := l.seen[k]
	l.seen[k] = true
	return !again
}

func website(id string) store.Subject { return store.Subject{Kind: store.KindWebsite, ID: id} }

// agent returns the fields that come with every row of a website or link.
func agent(a store.Agent) fields {
	return fields{
		7: a.Country, 8: a.Region, 9: a.City, 10: a.DeviceType, 11: a.BrowserName,
		12: a.BrowserVersion, 13: a.OSName, 14: a.OSVersion,
	}
}

func (l *loader) event(e *store.Event) {
	kinds := map[store.EventKind]rowKind{
		store.Pageview: pageview, store.Exit: exit, store.PageEvent: pageEvent,
		store.Custom: custom, store.Click: click,
	}
	own := agent(e.Agent)
	copy(own[:7], []string{
		e.ReferrerDomain, e.UTMSource, e.UTMMedium, e.UTMCampaign, e.UTMTerm, e.UTMContent, e.GCLID,
	})
	copy(own[15:], []string{e.Language, e.Timezone, e.Screen})
	own.set(campaignKind, e.CampaignKind)
	l.add(row{
		subject: website(e.Website), kind: kinds[e.Kind], id: e.ID, at: e.Time.UnixMilli(),
		name: e.Name, Identity: e.Identity, path: e.Path, title: e.Title, own: own,
		loadTime: e.LoadTime, domReady: e.DOMReadyTime, ttfb: e.TTFB, timeOnPage: e.TimeOnPage,
		scroll: e.ScrollDepth, interactions: e.Interactions,
		namespace: e.Namespace, properties: e.Properties, values: valuesOf(e.Properties), href: e.Href, text: e.Text,
	})
}

func (l *loader) error(e *store.Error) {
	l.add(row{
		subject: website(e.Website), kind: errorRow, id: e.ID, at: e.Time.UnixMilli(),
		Identity: e.Identity, path: e.Path, own: agent(e.Agent),
		message: e.Message, errorType: cmp.Or(e.ErrorType, "Error"),
	})
}

// vital adds a row for each sample.
func (l *loader) vital(v *store.Vital) {
	r := row{
		subject: website(v.Website), kind: vitalRow, id: v.ID, at: v.Time.UnixMilli(),
		Identity: v.Identity, path: v.Path, own: agent(v.Agent),
	}
	if !l.first(r) {
		return
	}
	for _, s := range v.Samples {
		r.metric, r.value = s.Metric, s.Value
		l.rows = append(l.rows, r)
	}
}

func (l *loader) span(s *store.Span) {
	l.add(row{
		subject: website(s.Website), kind: spanRow, id: s.ID, at: s.Time.UnixMilli(),
		Identity: s.Identity, path: s.Path, own: agent(s.Agent),
		rage: s.RageClicks, dead: s.DeadClicks, failures: s.Errors,
	})
}

func (l *loader) visit(v *store.Visit) {
	own := agent(v.Agent)
	own[0] = v.ReferrerDomain
	l.add(row{
		subject: store.Subject{Kind: store.KindLink, ID: v.Link}, kind: visit, id: v.ID,
		at: v.Time.UnixMilli(), own: own,
	})
}

func (l *loader) blocked(b *store.Blocked) {
	l.add(row{
		subject: website(b.Website), kind: blockedRow, id: b.ID, at: b.Time.UnixMilli(),
		reason: b.Reason, bot: b.Bot, requests: b.Requests,
	})
}

func (l *loader) check(c *store.Check) {
	r := row{
		subject: store.Subject{Kind: store.KindSchedule, ID: c.Schedule}, kind: check, id: c.ID,
		at: c.Time.UnixMilli(), status: c.Status, total: c.Total, ttfb: c.TTFB, region: c.Region,
		url: c.URL, httpCode: c.HTTPCode, failure: c.Error,
	}
	if c.SSLExpiry.Valid {
		r.expiry = instant(c.SSLExpiry.V.UnixMilli())
	}
	if c.SSLValid.Valid {
		r.sslValid = truth(c.SSLValid.V)
	}
	l.add(r)
}
