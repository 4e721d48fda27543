package store

import (
	"context"
	"database/sql"
	"time"
)

// A Writer stores rows. It is optional.
type Writer interface {
	// Write stores b. If it returns nil, all of b is durable and queries see it. This also holds if an earlier
	// Write of b failed: Write checks the stored rows and never assumes that an earlier attempt worked.
	//
	// After an error, an embedded store has written all of b or nothing. A store on other machines may have
	// written a part of b, or may write it a little later. Call Write again with b to store the missing rows;
	// no row is stored twice.
	//
	// Rows with the same event id count once. Ids are compared within one subject, one kind of row and one
	// value of Identity.Keyed. So a sender without a key cannot take the id of a row that was sent with a key.
	// The kinds are page events (pageviews, exits and named page events), custom events, clicks, errors,
	// vitals, spans, visits, checks and blocked. Ids are remembered for at least 7 days. A row with a known id,
	// also from the same batch, is dropped without an error, and counted in Written.Repeated.
	//
	// The error wraps ErrInvalid if a row has no id, subject or time, or text that is not valid UTF-8 or contains the
	// character NUL, which not every database can hold. The same holds for escapes in Event.Properties. schema.Items
	// finds all such rows.
	//
	// Rows are stored as given: the caller has already normalised paths, parsed referrers and user agents, and
	// cleaned texts.
	Write(ctx context.Context, b *Batch) (Written, error)
}

// Written counts the rows of a batch that were stored, and the rows dropped as repeats.
type Written struct {
	Stored   int
	Repeated int
}

// A Batch has rows of any kinds and subjects that are stored together.
//
// The field Imports of a row has the ids of the imports that sent it, with a space between two of them. It is empty if
// somebody else sent it, too: [Remover] says what that means. No answer depends on it.
type Batch struct {
	// Owner and Sender name who sent the rows, for a store whose writes wait for each other: it lets owners take turns,
	// and the senders of an owner. They are not stored. Batches without an Owner share its turns; the same holds for
	// Sender.
	Owner, Sender string

	Events []Event
	Errors []Error
	Vitals []Vital
	Spans  []Span
	Visits []Visit
	Checks []Check
	// Blocked counts rejected traffic.
	Blocked []Blocked
}

// Len returns the number of rows in b.
func (b *Batch) Len() int {
	return len(b.Events) + len(b.Errors) + len(b.Vitals) + len(b.Spans) + len(b.Visits) + len(b.Checks) + len(b.Blocked)
}

// Append adds the rows of rows to b, which keeps its Owner and Sender.
func (b *Batch) Append(rows *Batch) {
	b.Events = append(b.Events, rows.Events...)
	b.Errors = append(b.Errors, rows.Errors...)
	b.Vitals = append(b.Vitals, rows.Vitals...)
	b.Spans = append(b.Spans, rows.Spans...)
	b.Visits = append(b.Visits, rows.Visits...)
	b.Checks = append(b.Checks, rows.Checks...)
	b.Blocked = append(b.Blocked, rows.Blocked...)
}

// A Measure is a whole number that may be absent. An absent Measure differs from 0.
type Measure = sql.Null[int64]

// Known returns a Measure with the value v.
func Known(v int64) Measure { return Measure{V: v, Valid: true} }

// EventKind is the kind of an Event. The numbers are stored and are part of the logical table events.
type EventKind uint8

// The kinds of event. PageEvent is a page event with any other name; it is also a custom event.
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

// Visitor returns the id of the visitor that the row counts for: ProfileID, else AnonymousID.
func (i Identity) Visitor() string {
	if i.ProfileID != "" {
		return i.ProfileID
	}
	return i.AnonymousID
}

// Agent has the values derived from the sender's user agent and IP address when the row arrived. Absent texts
// are empty.
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

// An Event is a page event, a custom event or a click on an outgoing link. Sessions are built from events.
type Event struct {
	Website string
	ID      string
	Kind    EventKind
	Name    string // screen_view, page_exit, a name that the caller chose; empty for clicks
	Time    time.Time
	Identity
	Agent

	Path     string // normalised; empty if there was no path
	Title    string
	Referrer string // origin and path
	// ReferrerDomain is the main domain of a known source, else the host of the referrer. A row without a
	// referrer uses the campaign source of the landing address instead: the main domain of a known source, else
	// the text in lower case. Empty means direct.
	ReferrerDomain string
	CampaignKind   string // kind of the campaign source in ReferrerDomain; empty without a campaign
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
	Source     string // custom events: the sender, in the caller's words
	Properties string // a JSON object as text; empty or {} means no properties
	Href       string // clicks
	Text       string // clicks

	Imports string // see Batch
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

	Imports string // see Batch
}

// A Vital is one report of web vitals, with one or more metrics. Each sample is a row.
type Vital struct {
	Website string
	ID      string
	Time    time.Time
	Identity
	Agent
	Path    string
	Samples []Sample

	Imports string // see Batch
}

// A Sample is one measured web vital. Metric is FCP, LCP, CLS, INP, TTFB or FPS. Value is in ms, for CLS in
// 1/10 000, for FPS in frames per second.
type Sample struct {
	Metric string
	Value  int64
}

// A Span describes a visitor's activity on one page. It is sent when the visitor leaves the page.
type Span struct {
	Website string
	ID      string
	Time    time.Time
	Identity
	Agent
	Path             string
	ExitType         string  // navigation, spa, hidden, unload
	PageIndex        Measure // position of the page in its session, from 0
	TimeOnPage       Measure // ms
	ActiveTime       Measure // ms visible and focused
	FirstInteraction Measure // ms until the first interaction
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

	Imports string // see Batch
}

// A Visit is one use of a short link by a person.
type Visit struct {
	Link           string
	ID             string
	Time           time.Time
	Referrer       string
	ReferrerDomain string // as in Event
	Agent

	Imports string // see Batch
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

	Imports string // see Batch
}

// A Blocked counts the rejected requests for a website with one reason, from Time until the row was written.
type Blocked struct {
	Website  string
	ID       string
	Time     time.Time // of the first request
	Reason   string    // bot, origin, …: chosen by the writer, such as package track
	Bot      string    // the name of the bot; empty for other reasons
	Requests int64

	Imports string // see Batch
}

// Status is the result of a check. The numbers are stored and shown.
type Status uint8

// The results of a check.
const (
	Down        Status = 0
	Up          Status = 1
	Pending     Status = 2
	Maintenance Status = 3
)
