package auth

import (
	"slices"
	"time"
)

// Scope is one permission of a key. No scope implies another.
type Scope string

// The scopes. None of them changes keys, websites, links or monitors: the API has no routes for that.
const (
	// ReadData reads the analytics of websites, links and monitors, lists websites, and shows
	// statements ([Principal.MayExplain]). It sends no events and sees no flag definitions.
	ReadData Scope = "read:data"
	// ManageFlags lists, creates, changes and removes feature flags. It reads no analytics, not even
	// those of the flags, and is not needed to evaluate them.
	ManageFlags Scope = "manage:flags"
	// TrackEvents sends events, link visits and checks. It reads nothing, not even what it sent.
	TrackEvents Scope = "track:events"
	// ReadLinks reads the analytics of links and nothing else. It does not read websites,
	// also not those that a link leads to.
	ReadLinks Scope = "read:links"
	// ReadMonitors reads the analytics of uptime monitors and nothing else.
	ReadMonitors Scope = "read:monitors"
)

// Scopes lists all scopes, in a new slice.
func Scopes() []Scope {
	return []Scope{ReadData, ManageFlags, TrackEvents, ReadLinks, ReadMonitors}
}

// The kinds of resource. The texts are those of store.SubjectKind too.
const (
	KindWebsite  = "website"
	KindLink     = "link"
	KindSchedule = "schedule" // an uptime monitor
	// KindOrganization is the key's owner itself, as a client of feature flags. A key's list cannot
	// name it: a key with All and no list reaches it.
	KindOrganization = "organization"
)

// ReadScopes lists the scopes of which one is enough to read the analytics of
// resources of that kind. No scope reads an unknown kind.
func ReadScopes(kind string) []Scope {
	switch kind {
	case KindWebsite:
		return []Scope{ReadData}
	case KindLink:
		return []Scope{ReadData, ReadLinks}
	case KindSchedule:
		return []Scope{ReadData, ReadMonitors}
	default:
		return nil
	}
}

// A Resource is something a key may be limited to. Kind is website, link or schedule.
// In a key's list Owner is ignored.
type Resource struct {
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	Owner string `json:"-"`
}

// A Filter is a condition that applies to every query of a key. Its fields are those of query filters.
type Filter struct {
	Field  string   `json:"field"`
	Op     string   `json:"op"`
	Values []string `json:"values"`
}

// Limits replace the default rates of a key, requests per 60 seconds.
type Limits struct {
	PerMinute int `json:"perMinute"` // 1 or more
}

// A Key is what a store knows of an API key: all but the secret. Instants are whole milliseconds in UTC
// once a store has issued the key.
type Key struct {
	ID        string
	Owner     string
	Name      string
	Prefix    string // the secret's text before its first _
	Start     string // the secret's first 8 characters
	Scopes    []Scope
	All       bool       // every resource of Owner; an empty list does not imply it
	Resources []Resource // narrows, also beside All; see Allows
	Filters   []Filter   // mandatory; they apply before the filters of a request
	Types     []string   // query types allowed; nil means all, empty none
	Limits    *Limits    // nil means the defaults
	CreatedAt time.Time
	Expires   time.Time // zero means never; from this instant on the key is not valid
	Revoked   time.Time // zero means never
	Disabled  bool
	Old       []OldSecret // secrets from before rotations with a grace period, the newest first; some may be over
	LastUsed  time.Time   // when it was last accepted, to the minute; zero means never, or not recorded
}

// Has reports whether k carries scope s at all. It says nothing of resources: use it
// for what belongs to no single resource, such as listing, and filter what is listed.
func (k *Key) Has(s Scope) bool {
	return k != nil && slices.Contains(k.Scopes, s)
}

// Allows reports whether k may use s on r. It is pure, and does not ask whether k is
// still valid: an Authenticator did that with [Key.Valid].
//
// The key must carry the scope, and r must be of the key's owner; another owner's
// resource is never allowed, whatever the key lists, and neither is one without owner
// or id. Then a list is an intersection: when the key has one, r must be in it. Without
// a list, the key must say All.
func (k *Key) Allows(s Scope, r Resource) bool {
	return k.Has(s) && k.reaches(r)
}

// ReadScope reports whether k may read the analytics of r, and under which of the
// [ReadScopes] of r's kind; when it may not, the scope is the narrowest that would suffice.
func (k *Key) ReadScope(r Resource) (scope Scope, ok bool) {
	for _, scope = range ReadScopes(r.Kind) {
		if k.Allows(scope, r) {
			return scope, true
		}
	}
	return scope, false
}

func (k *Key) reaches(r Resource) bool {
	if r.ID == "" || r.Owner == "" || r.Owner != k.Owner {
		return false
	}
	if len(k.Resources) == 0 {
		return k.All
	}
	return slices.ContainsFunc(k.Resources, func(x Resource) bool { return x.Kind == r.Kind && x.ID == r.ID })
}

// Valid reports whether k may be used at the instant now: whether it is neither
// disabled nor revoked nor expired.
func (k *Key) Valid(now time.Time) bool {
	return k != nil && k.refusal(now) == ""
}

// refusal says in a word why k is not valid at now; empty means that it is.
func (k *Key) refusal(now time.Time) string {
	switch {
	case k.Disabled:
		return "disabled"
	case !k.Revoked.IsZero():
		return "revoked"
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return "expired"
	default:
		return ""
	}
}

// Clone returns a copy that shares nothing with k.
func (k Key) Clone() Key {
	k.Scopes = slices.Clone(k.Scopes)
	k.Resources = slices.Clone(k.Resources)
	k.Types = slices.Clone(k.Types)
	k.Old = slices.Clone(k.Old)
	k.Filters = slices.Clone(k.Filters)
	for i, f := range k.Filters {
		k.Filters[i].Values = slices.Clone(f.Values)
	}
	if k.Limits != nil {
		l := *k.Limits
		k.Limits = &l
	}
	return k
}
