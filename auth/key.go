package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"time"
)

// Scope is one permission of a key. No scope implies another.
type Scope string

// The scopes. None of them lets a key change links or monitors, since the API has no such routes.
const (
	// ReadData reads the analytics of websites, links and monitors, lists websites, and shows SQL
	// statements ([ToExplain]). It cannot send events or read flag definitions.
	ReadData Scope = "read:data"
	// ManageFlags lists, creates, changes and deletes feature flags. It cannot read analytics, not even
	// the analytics of flags. Evaluating flags does not need it.
	ManageFlags Scope = "manage:flags"
	// TrackEvents sends events, link visits and uptime checks. It cannot read anything.
	TrackEvents Scope = "track:events"
	// ReadLinks reads the analytics of links only. It cannot read websites, not even the website that a
	// link leads to.
	ReadLinks Scope = "read:links"
	// ReadMonitors reads the analytics of uptime monitors only.
	ReadMonitors Scope = "read:monitors"
	// ExportData exports the raw rows of websites, links and monitors, with the ids of their visitors. A key with
	// mandatory filters or a list of query types cannot use it ([ToExport]), and neither can a panel token.
	// It cannot read analytics.
	ExportData Scope = "export:data"
	// EraseData removes all rows and the profile of one visitor of a website. A key with mandatory filters or a list of
	// query types cannot use it ([ToErase]), and neither can a panel token. It cannot read anything.
	EraseData Scope = "erase:data"
	// ManageKeys lists, creates, changes, rotates and revokes keys of the owner that grant no more than the key itself
	// ([Key.Exceeds]). A panel token cannot use it.
	ManageKeys Scope = "manage:keys"
	// ManageDefinitions saves and removes goals, funnels, segments and annotations of websites. It cannot read
	// analytics. Every key that reads a website can list and use what is saved for it.
	ManageDefinitions Scope = "manage:definitions"
	// ManageWebsites lists, changes and removes the websites that the key reaches, with their rules for senders. A key
	// with All and without a list of resources also adds websites ([ToAddWebsites]). A key with mandatory
	// filters or a list of query types cannot use it ([ToManageWebsites]), and neither can a panel token. It
	// cannot read analytics.
	ManageWebsites Scope = "manage:websites"
	// ReadAudit reads the audit trail of the owner. A key with a list of resources or with mandatory filters cannot use
	// it ([ToReadAudit]), and neither can a panel token.
	ReadAudit Scope = "read:audit"
)

// Scopes returns all scopes in a new slice.
func Scopes() []Scope {
	return []Scope{ReadData, ManageFlags, TrackEvents, ReadLinks, ReadMonitors, ExportData, EraseData, ManageKeys,
		ReadAudit, ManageDefinitions, ManageWebsites}
}

// The kinds of resource, with the same texts as store.SubjectKind.
const (
	KindWebsite  = "website"
	KindLink     = "link"
	KindSchedule = "schedule" // an uptime monitor
	// KindOrganization is the key's owner as a client of feature flags. A key's list cannot name it: only a
	// key with All and without a list reaches it.
	KindOrganization = "organization"
	// KindKey is an API key, as the resource of an audit entry. A key's list cannot name it.
	KindKey = "key"
)

// ReadScopes returns the scopes that allow reading the analytics of resources of that kind. One of
// them is enough. The result is empty for an unknown kind.
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

// A Resource is a website, link or schedule that a key may be limited to. In a key's list Owner is
// ignored.
type Resource struct {
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	Owner string `json:"-"`
}

// A Filter is a condition on every query of a key, with the fields of a query filter. It is a leaf, with exactly one of
// And, Or and Not a group, or with Did a condition on what else was done in the session. In JSON, value may stand in
// place of values, as in queries: a text, a number, true or false, or a list of them.
type Filter struct {
	Field  string   `json:"field,omitempty"`
	Op     string   `json:"op,omitempty"`
	Values []string `json:"values,omitempty"`
	And    []Filter `json:"and,omitempty"`
	Or     []Filter `json:"or,omitempty"`
	Not    *Filter  `json:"not,omitempty"`
	Did    *Did     `json:"did,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Filter) UnmarshalJSON(js []byte) error {
	type plain Filter
	sent := struct {
		*plain
		Value Values `json:"value"`
	}{plain: (*plain)(f)}
	d := json.NewDecoder(bytes.NewReader(js))
	d.DisallowUnknownFields()
	if err := d.Decode(&sent); err != nil {
		return err
	}
	if sent.Value != nil && f.Values != nil {
		return errors.New("a filter has either value or values")
	}
	if sent.Value != nil {
		f.Values = sent.Value
	}
	return nil
}

// Values are the values of a filter. In JSON they are a text, a number, true or false, or a list of them. Numbers, true
// and false become the texts that were sent.
type Values []string

// UnmarshalJSON implements json.Unmarshaler.
func (v *Values) UnmarshalJSON(js []byte) error {
	if *v = nil; string(js) == "null" {
		return nil
	}
	items := []json.RawMessage{js}
	if bytes.HasPrefix(js, []byte("[")) {
		if err := json.Unmarshal(js, &items); err != nil {
			return err
		}
	}
	*v = make(Values, len(items))
	for i, item := range items {
		switch item[0] {
		case '"':
			if err := json.Unmarshal(item, &(*v)[i]); err != nil {
				return err
			}
		case '{', '[', 'n':
			kind := map[byte]string{'{': "object", '[': "array", 'n': "null"}[item[0]]
			return &json.UnmarshalTypeError{Value: kind, Type: reflect.TypeFor[string]()}
		default:
			(*v)[i] = string(item)
		}
	}
	return nil
}

// Parts returns the filters that f is a group of, and nil for a leaf and for Did.
func (f Filter) Parts() []Filter {
	parts := slices.Concat(f.And, f.Or)
	if f.Not != nil {
		parts = append(parts, *f.Not)
	}
	return parts
}

func (f Filter) clone() Filter {
	f.Values, f.And, f.Or, f.Did = slices.Clone(f.Values), cloneAll(f.And), cloneAll(f.Or), f.Did.clone()
	if f.Not != nil {
		f.Not = new(f.Not.clone())
	}
	return f
}

func cloneAll(all []Filter) []Filter {
	all = slices.Clone(all)
	for i := range all {
		all[i] = all[i].clone()
	}
	return all
}

// Limits replaces the default rate limits of a key.
type Limits struct {
	PerMinute int `json:"perMinute"` // requests per 60 seconds, from 1 to MaxPerMinute
}

// A Key is the record of an API key, without its secret. After a store issued the key, its times are
// whole milliseconds in UTC.
type Key struct {
	ID        string
	Owner     string
	Name      string
	Prefix    string // the secret's text before its first _
	Start     string // the secret's first 8 characters
	Scopes    []Scope
	All       bool       // every resource of Owner; must be set explicitly, an empty list does not imply it
	Resources []Resource // limits the key to these resources, also if All is set; see Allows
	Filters   []Filter   // mandatory; applied before the filters of a request
	Types     []string   // allowed query types; nil allows all, an empty list none
	Limits    *Limits    // nil means the defaults
	// Shares are the rates that the key shares, beside its own: those of the keys that made it over HTTP, directly or
	// indirectly, the first one first. A change of the key keeps them. At most MaxShares.
	Shares    []Share
	CreatedAt time.Time
	Expires   time.Time // the key is invalid from this time on; zero means never
	Revoked   time.Time // zero means not revoked
	Disabled  bool
	Old       []OldSecret // secrets before rotations with a grace period, the newest first; some may have expired
	LastUsed  time.Time   // when the key was last accepted, to the minute; zero means never or not recorded
}

// Has reports whether k has scope s, regardless of resources. Use it for requests without a single
// resource, such as lists, and filter the list.
func (k *Key) Has(s Scope) bool {
	return k != nil && slices.Contains(k.Scopes, s)
}

// Allows reports whether k may use s on r. It does not check whether k is still valid: the
// Authenticator did that with [Key.Valid].
//
// The key must have the scope, and r must have an id and the same owner as the key. If the key has a
// list of resources, r must be in it. If not, the key must have All. Another owner's resource is
// never allowed, even if the list names it.
func (k *Key) Allows(s Scope, r Resource) bool {
	return k.Has(s) && k.reaches(r)
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

// ReachesEverything reports whether k reaches all resources of its owner, also those that are added later.
func (k *Key) ReachesEverything() bool { return k != nil && k.All && len(k.Resources) == 0 }

// Valid reports whether k may be used at now: it is not disabled, revoked or expired.
func (k *Key) Valid(now time.Time) bool {
	return k != nil && k.State(now) == Active
}

// A KeyState is one word for why a key may or may not be used.
type KeyState string

// The states of a key. A key in several of them has the first one.
const (
	Revoked  KeyState = "revoked"
	Expired  KeyState = "expired"
	Disabled KeyState = "disabled"
	Active   KeyState = "active"
)

// State returns the state of k at now.
func (k *Key) State(now time.Time) KeyState {
	switch {
	case !k.Revoked.IsZero():
		return Revoked
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return Expired
	case k.Disabled:
		return Disabled
	default:
		return Active
	}
}

// Clone returns a copy that shares no memory with k.
func (k Key) Clone() Key {
	k.Scopes = slices.Clone(k.Scopes)
	k.Resources = slices.Clone(k.Resources)
	k.Types = slices.Clone(k.Types)
	k.Old = slices.Clone(k.Old)
	k.Filters = cloneAll(k.Filters)
	k.Limits, k.Shares = k.Limits.clone(), cloneShares(k.Shares)
	return k
}
