package reference

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// sessionFields are the fields that rows take from their session, in the order of
// [fields].
var sessionFields = [...]string{
	"referrer", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gclid",
	"country", "region", "city", "device_type", "browser_name", "browser_version",
	"os_name", "os_version", "language", "timezone", "screen_resolution",
}

// fields holds one text per session field. The referrer is its domain, empty if direct.
type fields [len(sessionFields)]string

func (f *fields) get(name string) string { return f[slices.Index(sessionFields[:], name)] }

type rowKind int

const (
	pageview rowKind = iota // in the order that breaks ties of time
	exit
	pageEvent
	custom
	click
	errorRow
	vitalRow
	visit
	check
)

// A row is one stored row of any kind.
type row struct {
	subject store.Subject
	kind    rowKind
	id      string
	at      int64 // milliseconds
	name    string
	store.Identity
	path  string
	own   fields // as they came with the row
	shown fields // of its session, else its own

	loadTime, domReady, ttfb, timeOnPage store.Measure // ttfb of checks too

	namespace, properties string // events

	message, errorType string // errors

	metric string // vitals
	value  int64

	status   store.Status // checks
	total    store.Measure
	region   string
	expiry   value
	sslValid value
}

// dollar reports a name that is kept out of sessions and totals.
func (r *row) dollar() bool { return strings.HasPrefix(r.name, "$") }

// counted reports whether r is one of the events that sessions and totals are made of.
func (r *row) counted() bool { return r.kind <= click && !r.dollar() }

// pageRow reports a page event.
func (r *row) pageRow() bool { return r.kind <= pageEvent }

// named reports whether custom_events lists r.
func (r *row) named() bool { return r.kind == pageEvent || r.kind == custom }

// before orders rows: time; pageviews, exits, others; event id.
func before(a, b *row) int {
	return cmp.Or(
		cmp.Compare(a.at, b.at),
		cmp.Compare(min(a.kind, pageEvent), min(b.kind, pageEvent)),
		strings.Compare(a.id, b.id),
	)
}

// rowsOf turns a batch into rows, and drops the repeats of an event id.
func rowsOf(b *store.Batch) []row {
	var l loader
	for i := range b.Events {
		l.event(&b.Events[i])
	}
	for i := range b.Errors {
		l.error(&b.Errors[i])
	}
	for i := range b.Vitals {
		l.vital(&b.Vitals[i])
	}
	for i := range b.Visits {
		l.visit(&b.Visits[i])
	}
	for i := range b.Checks {
		l.check(&b.Checks[i])
	}
	return l.rows
}

// A known event id counts once per subject and kind; page events are one kind.
type known struct {
	subject store.Subject
	kind    rowKind
	id      string
}

type loader struct {
	seen map[known]bool
	rows []row
}

// add keeps r unless its id came before.
func (l *loader) add(r row) {
	if l.first(r) {
		l.rows = append(l.rows, r)
	}
}

func (l *loader) first(r row) bool {
	if l.seen == nil {
		l.seen = map[known]bool{}
	}
	k := known{r.subject, r.kind, r.id}
	if r.pageRow() {
		k.kind = pageview
	}
	again := l.seen[k]
	l.seen[k] = true
	return !again
}

func website(id string) store.Subject { return store.Subject{Kind: store.KindWebsite, ID: id} }

// agent fills the fields that every row of a website or link has of its own.
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
	l.add(row{
		subject: website(e.Website), kind: kinds[e.Kind], id: e.ID, at: e.Time.UnixMilli(),
		name: e.Name, Identity: e.Identity, path: e.Path, own: own,
		loadTime: e.LoadTime, domReady: e.DOMReadyTime, ttfb: e.TTFB, timeOnPage: e.TimeOnPage,
		namespace: e.Namespace, properties: e.Properties,
	})
}

func (l *loader) error(e *store.Error) {
	l.add(row{
		subject: website(e.Website), kind: errorRow, id: e.ID, at: e.Time.UnixMilli(),
		Identity: e.Identity, path: e.Path, own: agent(e.Agent),
		message: e.Message, errorType: cmp.Or(e.ErrorType, "Error"),
	})
}

// vital makes a row of each sample.
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

func (l *loader) visit(v *store.Visit) {
	own := agent(v.Agent)
	own[0] = v.ReferrerDomain
	l.add(row{
		subject: store.Subject{Kind: store.KindLink, ID: v.Link}, kind: visit, id: v.ID,
		at: v.Time.UnixMilli(), own: own,
	})
}

func (l *loader) check(c *store.Check) {
	r := row{
		subject: store.Subject{Kind: store.KindSchedule, ID: c.Schedule}, kind: check, id: c.ID,
		at: c.Time.UnixMilli(), status: c.Status, total: c.Total, ttfb: c.TTFB, region: c.Region,
	}
	if c.SSLExpiry.Valid {
		r.expiry = instant(c.SSLExpiry.V.UnixMilli())
	}
	if c.SSLValid.Valid {
		r.sslValid = truth(c.SSLValid.V)
	}
	l.add(r)
}
