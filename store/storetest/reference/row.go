package reference

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// campaignKind is the kind of a campaign source. Rows take it from their session, but no question
// filters or groups by it.
const campaignKind = "campaign kind"

// allSessionFields lists what rows take from their session, in the order of [fields].
var allSessionFields = [...]string{
	"referrer", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gclid",
	"country", "region", "city", "device_type", "browser_name", "browser_version",
	"os_name", "os_version", "language", "timezone", "screen_resolution", campaignKind,
}

// sessionFields are the session fields that questions filter and group by.
var sessionFields = allSessionFields[:len(allSessionFields)-1]

// SessionFields returns the session fields that questions filter and group by.
func SessionFields() []string { return slices.Clone(sessionFields) }

// fields holds one text per session field. The referrer is its domain or a campaign source, and
// empty if direct.
type fields [len(allSessionFields)]string

func (f *fields) get(name string) string { return f[slices.Index(allSessionFields[:], name)] }

type rowKind int

const (
	pageview rowKind = iota // in the order that breaks ties of time
	exit
	pageEvent
	custom
	click
	errorRow
	vitalRow
	spanRow
	visit
	check
	blockedRow
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

	session *session // that it lies in, nil if in none

	loadTime, domReady, ttfb, timeOnPage store.Measure // ttfb of checks too
	scroll, interactions                 store.Measure

	namespace, properties string // events
	href, text            string // clicks

	message, errorType string // errors

	metric string // vitals
	value  int64

	rage, dead, failures int64 // spans

	reason, bot string // what was turned away
	requests    int64

	url, failure string // checks
	httpCode     int64
	status       store.Status
	total        store.Measure
	region       string
	expiry       value
	sslValid     value
}

// dollar reports a name that is kept out of sessions and totals.
func (r *row) dollar() bool { return strings.HasPrefix(r.name, "$") }

// counted reports whether r is one of the events that sessions and totals are made of.
func (r *row) counted() bool { return r.kind <= click && !r.dollar() }

// pageRow reports a page event.
func (r *row) pageRow() bool { return r.kind <= pageEvent }

// named reports whether custom_events lists r.
func (r *row) named() bool { return r.kind == pageEvent || r.kind == custom }

// before orders rows: time; pageviews, exits, others; event id; and where two kinds
// of event share an id, page events, custom events, clicks; those with a key last.
func before(a, b *row) int {
	return cmp.Or(
		cmp.Compare(a.at, b.at),
		cmp.Compare(a.rank(), b.rank()),
		strings.Compare(a.id, b.id),
		cmp.Compare(a.kind, b.kind),
		compareKeyed(a, b),
	)
}

// compareKeyed orders a row sent without a key before one sent with it.
func compareKeyed(a, b *row) int {
	switch {
	case a.Keyed == b.Keyed:
		return 0
	case b.Keyed:
		return -1
	default:
		return 1
	}
}

// rank is the place of r among rows of the same instant.
func (r *row) rank() rowKind { return min(r.kind, pageEvent) }

// rowsOf turns a batch into rows, and drops the repeats of an event id.
func rowsOf(b *store.Batch) []row {
	n := len(b.Events) + len(b.Errors) + len(b.Vitals) + len(b.Spans) + len(b.Visits) + len(b.Checks) + len(b.Blocked)
	l := loader{seen: make(map[known]bool, n), rows: make([]row, 0, n)}
	for i := range b.Events {
		l.event(&b.Events[i])
	}
	for i := range b.Errors {
		l.error(&b.Errors[i])
	}
	for i := range b.Vitals {
		l.vital(&b.Vitals[i])
	}
	for i := range b.Spans {
		l.span(&b.Spans[i])
	}
	for i := range b.Visits {
		l.visit(&b.Visits[i])
	}
	for i := range b.Checks {
		l.check(&b.Checks[i])
	}
	for i := range b.Blocked {
		l.blocked(&b.Blocked[i])
	}
	return l.rows
}
