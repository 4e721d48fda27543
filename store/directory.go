package store

import (
	"context"
	"net/netip"
	"time"
)

// SubjectKind is the kind of a subject. Auth resources use the same texts.
type SubjectKind string

// The kinds of subject that rows can belong to.
const (
	KindWebsite  SubjectKind = "website"
	KindLink     SubjectKind = "link"
	KindSchedule SubjectKind = "schedule" // an uptime monitor
)

// A Subject is the website, short link or uptime monitor that rows belong to.
type Subject struct {
	Kind SubjectKind
	ID   string
}

// A Website is one site of an owner.
type Website struct {
	ID        string // never reused for another owner, because events with it may still be stored
	Owner     string
	Name      string
	Domain    string // host in lower case, without scheme and port
	IsPublic  bool   // shown in lists; it grants no access
	Rules     Rules  // for senders of events
	CreatedAt time.Time
}

// Rules define which events a website accepts, and for how long it keeps them. AllowedOrigins, the address lists and
// KeyedEvents apply only to senders without a key. The zero Rules accept events from pages of the website's domain and
// its subdomains, and from programs, which send no Origin header. The lists are shared: do not change them.
type Rules struct {
	// AllowedOrigins lists origins whose pages may send events, in addition to pages of the domain: a host,
	// *.x.y for x.y and its subdomains, localhost, or * for any host. The origin of an app is written with its
	// scheme, such as capacitor://localhost. [NullOrigin] allows sandboxed and local pages. If the list is not
	// empty, events without an origin are rejected.
	AllowedOrigins []string `json:"allowedOrigins,omitempty"`
	// AllowedAddresses are the networks that may send events. An empty list allows all.
	AllowedAddresses []netip.Prefix `json:"allowedAddresses,omitempty"`
	// BlockedAddresses are networks that may not send events, even if AllowedAddresses has them.
	BlockedAddresses []netip.Prefix `json:"blockedAddresses,omitempty"`
	// KeyedEvents rejects custom events that are sent without a key.
	KeyedEvents bool `json:"keyedEvents,omitempty"`
	// MonthlyEvents is the number of page events, custom events and clicks that the website accepts in a UTC
	// month. 0 means no limit. Concurrent requests may exceed it slightly, and so may other processes for up to
	// a minute.
	MonthlyEvents int64 `json:"monthlyEvents,omitempty"`
	// Paused rejects all events, with and without a key.
	Paused bool `json:"paused,omitempty"`
	// RetentionDays is the number of days for which the website keeps its rows: the service removes those of UTC days
	// that were over so many times 24 hours ago, and rejects events of such days. 0 keeps all. See KeepsFrom.
	RetentionDays int `json:"retentionDays,omitempty"`
	// KeepTotals makes answers that are merged from stored states of whole days stay the same after the rows are
	// removed, if the store keeps states. Otherwise nothing of the removed days is left.
	KeepTotals bool `json:"keepTotals,omitempty"`
}

// KeepsFrom returns the start of the first UTC day whose rows a website with these rules keeps at a time. It is zero if
// the website keeps all.
func (r Rules) KeepsFrom(now time.Time) time.Time {
	if r.RetentionDays <= 0 {
		return time.Time{}
	}
	return now.UTC().Add(-time.Duration(r.RetentionDays) * 24 * time.Hour).Truncate(24 * time.Hour)
}

// NullOrigin is the origin that browsers send for sandboxed and local pages.
const NullOrigin = "null"

// A Directory reports which websites, links and monitors exist, and who owns them.
type Directory interface {
	// Websites lists the websites of owner, ordered by creation, then id. Without websites, the list is empty or
	// nil.
	Websites(ctx context.Context, owner string) ([]Website, error)
	// Website returns one website, or an error that wraps ErrNotFound.
	Website(ctx context.Context, id string) (Website, error)
	// Owner returns the id of the owner of s. The error wraps ErrNotFound if s does not exist.
	Owner(ctx context.Context, s Subject) (string, error)
}

// A Link is a short link.
type Link struct {
	ID        string
	Owner     string
	Slug      string // unique among the owner's links; empty means none
	TargetURL string // http or https
	Name      string
	CreatedAt time.Time
}

// A Monitor is an uptime monitor: a subject of kind schedule.
type Monitor struct {
	ID        string
	Owner     string
	Name      string
	URL       string // the checked address
	WebsiteID string // of the same owner; empty means none
	CreatedAt time.Time
}

// A SubjectLister lists links and monitors, as a Directory lists websites.
type SubjectLister interface {
	// Links lists the links of owner, ordered by creation, then id.
	Links(ctx context.Context, owner string) ([]Link, error)
	// Monitors lists the monitors of owner, ordered by creation, then id.
	Monitors(ctx context.Context, owner string) ([]Monitor, error)
}
