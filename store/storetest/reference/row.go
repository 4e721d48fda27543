package reference

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// The fields that a session has of its first and last pageview. The other fields come from its first page event.
const (
	entryPage = "entry_page"
	exitPage  = "exit_page"
)

// campaignKind is the kind of a campaign source. Rows take it from their session, but questions cannot filter
// or group by it.
const campaignKind = "campaign kind"

// allSessionFields lists the fields that rows take from their session, in the order of [fields].
var allSessionFields = [...]string{
	"referrer", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gclid",
	"country", "region", "city", "device_type", "browser_name", "browser_version",
	"os_name", "os_version", "language", "timezone", "screen_resolution", entryPage, exitPage, campaignKind,
}

// sessionFields lists the session fields by which questions filter and group.
var sessionFields = allSessionFields[:len(allSessionFields)-1]

// SessionFields returns the session fields by which questions filter and group.
func SessionFields() []string { return slices.Clone(sessionFields) }

// fields has one text per session field. The referrer is its domain or a campaign source, and empty for direct
// traffic.
type fields [len(allSessionFields)]string

func (f *fields) get(name string) string { return f[slices.Index(allSessionFields[:], name)] }

func (f *fields) set(name, text string) { f[slices.Index(allSessionFields[:], name)] = text }

type rowKind int

const (
	pageview rowKind = iota // ordered as rows of the same instant
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
	title string
	own   fields // the fields sent with the row
	shown fields // the fields of its session, or own without a session

	session *session // the session that has the row, or nil
	filed   *session // session, or the session that starts at most 24 hours later: the one that filters see

	loadTime, domReady, ttfb, timeOnPage store.Measure // ttfb also for checks
	scroll, interactions                 store.Measure

	namespace, properties string // events
	values                map[string]propertyValue
	href, text            string // clicks

	message, errorType string // errors

	metric string // vitals
	value  int64

	rage, dead, failures int64 // spans

	reason, bot string // rejected traffic
	requests    int64

	url, failure string // checks
	httpCode     int64
	status       store.Status
	total        store.Measure
	region       string
	expiry       value
	sslValid     value
}

// dollar reports whether r's name begins with $, which excludes it from sessions and totals.
func (r *row) dollar() bool { return strings.HasPrefix(r.name, "$") }

// counted reports whether r is an event that counts in sessions and totals.
func (r *row) counted() bool { return r.kind <= click && !r.dollar() }

// pageRow reports whether r is a page event.
func (r *row) pageRow() bool { return r.kind <= pageEvent }

// named reports whether custom_events lists r.
func (r *row) named() bool { return r.kind == pageEvent || r.kind == custom }

// before orders rows by time; then pageviews, exits, others; then by event id. Events of different kinds with
// the same id are ordered page events, custom events, clicks. Rows with a key are last.
func before(a, b *row) int {
	return cmp.Or(
		cmp.Compare(a.at, b.at),
		cmp.Compare(a.rank(), b.rank()),
		strings.Compare(a.id, b.id),
		cmp.Compare(a.kind, b.kind),
		compareKeyed(a, b),
		strings.Compare(a.subject.ID, b.subject.ID),
	)
}

// compareKeyed orders rows sent without a key before rows sent with a key.
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

// rank returns the position of r among rows of the same instant.
func (r *row) rank() rowKind { return min(r.kind, pageEvent) }

// rowsOf converts a batch to rows, and drops repeated event ids.
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
