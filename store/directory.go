package store

import (
	"context"
	"net/netip"
	"time"
)

// SubjectKind says what a subject is. The texts are those of auth resources too.
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
	ID        string // never one that another owner's website had, since its events are still stored
	Owner     string
	Name      string
	Domain    string // host in lower case, without scheme and port
	IsPublic  bool   // shown in lists; it grants no access
	Rules     Rules  // for those who send events
	CreatedAt time.Time
}

// Rules say from whom a website takes events. Those on origins, addresses and custom events apply to
// senders without a key. The zero Rules take events from pages of the website's domain and its
// subdomains, and from programs, which send no Origin. Lists are shared and must not be changed.
type Rules struct {
	// AllowedOrigins lists the origins whose pages may send events, beside pages of the domain: a
	// host, *.x.y for x.y and its subdomains, localhost, or * for any host. The origin of an app
	// is written with its scheme, such as capacitor://localhost, and [NullOrigin] stands for sandboxed
	// and local pages. If the list is not empty, events without an origin are refused.
	AllowedOrigins []string `json:"allowedOrigins,omitempty"`
	// AllowedAddresses are the networks that events may come from; none means all.
	AllowedAddresses []netip.Prefix `json:"allowedAddresses,omitempty"`
	// BlockedAddresses are networks that no event may come from, also where they are allowed.
	BlockedAddresses []netip.Prefix `json:"blockedAddresses,omitempty"`
	// KeyedEvents refuses custom events that are sent without a key.
	KeyedEvents bool `json:"keyedEvents,omitempty"`
	// MonthlyEvents is how many page events, custom events and clicks the website takes in a UTC month;
	// 0 means any number. Requests at the same time, and several processes within a minute, may pass it.
	MonthlyEvents int64 `json:"monthlyEvents,omitempty"`
	// Paused refuses all events, with and without a key.
	Paused bool `json:"paused,omitempty"`
}

// NullOrigin is the origin that browsers send for sandboxed and local pages.
const NullOrigin = "null"

// A Directory knows which websites, links and monitors exist, and who owns them.
type Directory interface {
	// Websites lists the websites of owner by creation, then id.
	Websites(ctx context.Context, owner string) ([]Website, error)
	// Website returns one website, or an error that wraps ErrNotFound.
	Website(ctx context.Context, id string) (Website, error)
	// Owner returns the id of the owner of s. Its error wraps ErrNotFound when s does not exist.
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
	URL       string // what is checked
	WebsiteID string // of the same owner; empty means none
	CreatedAt time.Time
}

// A SubjectLister lists links and monitors, as a Directory does websites.
type SubjectLister interface {
	// Links lists the links of owner by creation, then id.
	Links(ctx context.Context, owner string) ([]Link, error)
	// Monitors lists the monitors of owner by creation, then id.
	Monitors(ctx context.Context, owner string) ([]Monitor, error)
}
