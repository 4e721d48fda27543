package store

import (
	"context"
	"database/sql"
	"time"
)

// A Writer stores rows. It is optional beside Store.
type Writer interface {
	// Write stores b. Nil means that all of it is durable and that queries see it, also when b was
	// written before with an error: nil never relies on an earlier attempt having worked, only on rows
	// that are there.
	//
	// After an error all of b may be stored, or nothing, or, when the database is on other machines, a
	// part of it, now or a little later; an embedded store writes b whole or not at all. Writing b
	// again stores what is missing, and no row twice.
	//
	// An event id counts once per subject, kind of row (page events, custom
	// events, clicks, errors, vitals, spans, visits, checks, blocked are nine kinds; a pageview, an
	// exit and a named page event share one) and Identity.Keyed, so that nobody without a
	// key can take the id of a keyed row: a row whose id was received before, in
	// this batch or within at least the last 7 days, is dropped silently and counted in
	// Written.Repeated. A row without an id is an error that wraps ErrInvalid, as is
	// a row without subject or time, or with text that is not valid UTF-8.
	//
	// Rows are stored as they are given: the caller has normalised paths, parsed referrers and user
	// agents, and cleaned texts.
	Write(ctx context.Context, b *Batch) (Written, error)
}

// Written counts the rows of a batch that were stored, and those dropped as repeats.
type Written struct {
	Stored   int
	Repeated int
}

// A Batch is rows of any kinds and subjects, stored together.
type Batch struct {
	// Sender names who sent the rows, for a store whose writes wait for each other: it lets senders take turns. It is
	// not stored. Batches without a name share one turn.
	Sender string

	Events []Event
	Errors []Error
	Vitals []Vital
	Spans  []Span
	Visits []Visit
	Checks []Check
	// Blocked counts traffic that was turned away.
	Blocked []Blocked
}

// Len is the number of rows in b.
func (b *Batch) Len() int {
	return len(b.Events) + len(b.Errors) + len(b.Vitals) + len(b.Spans) + len(b.Visits) + len(b.Checks) + len(b.Blocked)
}

// A Measure is a whole number that may be absent. Absent is not 0.
type Measure = sql.Null[int64]

// Known returns a Measure with the value v.
func Known(v int64) Measure { return Measure{V: v, Valid: true} }

// EventKind says what an Event is. The numbers are stored and are part of the
// logical table events.
type EventKind uint8

// The kinds of event. PageEvent is a page event of any other name; it is a custom event too.
const (
	Pageview  EventKind = 0
	Exit      EventKind = 1
	PageEvent EventKind = 2
	Custom    EventKind = 3 // sent as a custom event, whatever its name
	Click     EventKind = 4 // on an outgoing link
)

// Identity is the person and session that a row of a website belongs to. Absent ids are empty.
type Identity struct {
	AnonymousID string
	ProfileID   string
	SessionID   string
	Keyed       bool // sent with an API key
}

// Visitor is the id of the visitor that the row counts for: ProfileID, else AnonymousID.
func (i Identity) Visitor() string {
	if i.ProfileID != "" {
		return i.ProfileID
	}
	return i.AnonymousID
}

// Agent is what was derived from the sender's user agent and IP address when the row arrived. Absent
// texts are empty.
type Agent struct {
	BrowserName    string // family: Chrome, Safari, Firefox, …
	BrowserVersion string
	OSName         string // family: Windows, macOS, iOS, …
	OSVersion      string
	DeviceType     string // desktop mobile tablet smarttv console wearable embedded xr
	Country        string // ISO 3166-1 alpha-2, upper case
	Region         string
	City           string
}

// An Event is a page event, a custom event or a click on an outgoing link. Sessions are made of events.
type Event struct {
	Website string
	ID      string
	Kind    EventKind
	Name    string // screen_view, page_exit, a name of the caller's; empty for clicks
	Time    time.Time
	Identity
	Agent

	Path     string // normalised; empty when there is none
	Title    string
	Referrer string // origin and path
	// ReferrerDomain is the main domain of a known source, else the host of the referrer. A row without a
	// referrer has its campaign source instead, if the landing address names one: the main domain of a
	// known source, else the text in lower case. Empty means direct.
	ReferrerDomain string
	CampaignKind   string // kind of the campaign source in ReferrerDomain; empty when there is none
	UTMSource      string
	UTMMedium      string
	UTMCampaign    string
	UTMTerm        string
	UTMContent     string
	GCLID          string
	Language       string
	Timezone       string
	Screen         string // screen resolution, WxH
	Viewport       string // WxH

	LoadTime     Measure // ms, pageviews
	DOMReadyTime Measure // ms, pageviews
	TTFB         Measure // ms, pageviews
	TimeOnPage   Measure // ms, exits
	ScrollDepth  Measure // percent, exits
	Interactions Measure // count, exits

	Namespace  string // custom events
	Source     string // custom events: who sent it, in the caller's words
	Properties string // a JSON object as text; empty or {} is none
	Href       string // clicks
	Text       string // clicks
}

// An Error is one JavaScript error.
type Error struct {
	Website string
	ID      string
	Time    time.Time
	Identity
	Agent
	Path      string
	Message   string
	ErrorType string
	Filename  string
	Line      Measure
	Col       Measure
	Stack     string
}

// A Vital is one report of web vitals, of one or more metrics. Each sample is a row.
type Vital struct {
	Website string
	ID      string
	Time    time.Time
	Identity
	Agent
	Path    string
	Samples []Sample
}

// A Sample is one measured web vital: Metric is FCP, LCP, CLS, INP, TTFB or FPS;
// Value is in ms, for CLS in 1/10 000, for FPS in frames per second.
type Sample struct {
	Metric string
	Value  int64
}

// A Span is what a visitor did on one page, sent when they left it.
type Span struct {
	Website string
	ID      string
	Time    time.Time
	Identity
	Agent
	Path             string
	ExitType         string  // navigation, spa, hidden, unload
	PageIndex        Measure // place of the page in its session, from 0
	TimeOnPage       Measure // ms
	ActiveTime       Measure // ms visible and focused
	FirstInteraction Measure // ms until it
	MaxScrollDepth   Measure // percent
	Scrolls          int64
	Clicks           int64
	Keys             int64
	Interactions     int64
	Copies           int64
	RageClicks       int64
	DeadClicks       int64
	FormFields       int64
	FormSubmits      int64
	Errors           int64
}

// A Visit is one use of a short link by a person.
type Visit struct {
	Link           string
	ID             string
	Time           time.Time
	Referrer       string
	ReferrerDomain string // as of Event
	Agent
}

// A Check is one check of an uptime monitor.
type Check struct {
	Schedule  string
	ID        string
	Time      time.Time
	URL       string
	Status    Status
	HTTPCode  int64
	TTFB      Measure // ms
	Total     Measure // ms
	Region    string  // of the probe
	SSLExpiry sql.Null[time.Time]
	SSLValid  sql.Null[bool]
	Error     string
}

// A Blocked counts the requests for a website that were turned away for one reason, from Time until it
// was written.
type Blocked struct {
	Website  string
	ID       string
	Time     time.Time // of the first
	Reason   string    // bot, origin, …: chosen by the writer, such as package track
	Bot      string    // the name of the bot; empty for other reasons
	Requests int64
}

// Status is the outcome of a check. The numbers are stored and shown.
type Status uint8

// The outcomes of a check.
const (
	Down        Status = 0
	Up          Status = 1
	Pending     Status = 2
	Maintenance Status = 3
)
