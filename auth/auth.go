// Package auth says who a caller is and what they may do. It does no I/O of its own
// and knows nothing of HTTP routes or databases.
package auth

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Errors of authentication and authorisation.
var (
	// ErrRequired: no, unknown, disabled, revoked or expired credentials. One answer for all.
	ErrRequired = errors.New("auth: authentication required")
	// ErrForbidden: the credentials are good but do not reach that far.
	ErrForbidden = errors.New("auth: insufficient permissions")
	// ErrNotFound: a KeyStore has no such key.
	ErrNotFound = errors.New("auth: no such key")
)

// Scope is one permission of a key.
type Scope string

// The scopes.
const (
	ReadData     Scope = "read:data"
	ManageFlags  Scope = "manage:flags"
	TrackEvents  Scope = "track:events"
	ReadLinks    Scope = "read:links"
	ReadMonitors Scope = "read:monitors"
)

// A Resource is something a key may be limited to. Kind is website, link or schedule.
// In a key's list Owner is not looked at.
type Resource struct {
	Kind  string
	ID    string
	Owner string
}

// A Filter is a condition that a key adds to everything it asks. Its fields are those of query filters.
type Filter struct {
	Field  string   `json:"field"`
	Op     string   `json:"op"`
	Values []string `json:"values"`
}

// Limits replace the default rates of a key, requests per 60 seconds.
type Limits struct {
	PerMinute int `json:"perMinute"`
}

// A Key is what is known of an API key; the secret is not.
type Key struct {
	ID        string
	Owner     string
	Name      string
	Prefix    string // the secret's text before its first _
	Start     string // the secret's first 8 characters
	Scopes    []Scope
	All       bool // every resource of Owner; said, never implied by an empty list
	Resources []Resource
	Filters   []Filter // mandatory; they come before every caller's own
	Types     []string // query types allowed; nil means all
	Limits    *Limits  // nil means the defaults
	CreatedAt time.Time
	Expires   time.Time // zero means never
	Revoked   time.Time // zero means never
	Disabled  bool
}

// A Digest is the HMAC of a secret: all that stores keep of it.
type Digest [32]byte

// A KeyStore finds keys by digest.
type KeyStore interface {
	// KeyByDigest returns the key, or an error that wraps ErrNotFound.
	KeyByDigest(ctx context.Context, d Digest) (*Key, error)
}

// A Principal is an authenticated caller.
type Principal struct {
	Key *Key // never nil; a host's own sessions make one up
}

// An Authenticator finds out who sent a request. API keys, a host's own sessions and
// panel tokens are implementations.
type Authenticator interface {
	// Authenticate returns the caller, or an error that wraps ErrRequired. Any other
	// error means that it could not find out.
	Authenticate(ctx context.Context, r *http.Request) (*Principal, error)
}

// Class is the kind of request a limit is for.
type Class string

// The classes of requests.
const (
	ClassQuery  Class = "query"
	ClassOther  Class = "other"
	ClassTrack  Class = "track"
	ClassPublic Class = "public"
	ClassHealth Class = "health"
)

// A Limiter decides whether one more request may pass.
type Limiter interface {
	// Allow takes cost from the bucket of id in class. own replaces the class's default limit when not nil.
	Allow(ctx context.Context, class Class, id string, cost int, own *Limits) (Decision, error)
}

// A Decision of a Limiter. A Limit of 0 means that there is none.
type Decision struct {
	OK        bool
	Limit     int
	Remaining int
	Reset     time.Time
}

// Unlimited is a Limiter that lets everything pass, and says so.
var Unlimited Limiter = unlimited{}

type unlimited struct{}

func (unlimited) Allow(context.Context, Class, string, int, *Limits) (Decision, error) {
	return Decision{OK: true}, nil
}

// An Entry is one use of a key, allowed or refused.
type Entry struct {
	Time      time.Time
	RequestID string
	KeyID     string // empty when nobody was authenticated
	Start     string
	Owner     string
	Method    string
	Route     string
	Resource  Resource
	Scope     Scope
	Outcome   string // allowed, refused, failed
	Status    int
	IP        string
	UserAgent string
}

// A Sink keeps the audit trail. When Record fails, the request is refused.
type Sink interface {
	Record(ctx context.Context, e Entry) error
}

// Discard is a Sink that keeps nothing, and says so.
var Discard Sink = discard{}

type discard struct{}

func (discard) Record(context.Context, Entry) error { return nil }
