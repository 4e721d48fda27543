// Package authtest has the conformance tests for implementations of auth.KeyStore, audit.Log and
// store.Directory:
//
//	func TestKeys(t *testing.T) {
//		open := func(t *testing.T, now func() time.Time) authtest.Store {
//			return authtest.Store{KeyStore: keys, Create: keys.Create}
//		}
//		authtest.Run(t, authtest.Harness{Pepper: pepper, Open: open})
//	}
//
// [Run] tests key stores, [RunLog] audit logs, and [RunDirectory] directories. Each failed case prints the
// rule that it checks.
package authtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// A Store is the KeyStore that Run tests, with functions to create and change its keys.
type Store struct {
	auth.KeyStore // required

	// Create stores a key with a new secret, and returns the stored key. Required.
	Create func(ctx context.Context, k auth.Key) (auth.Key, auth.Secret, error)
	// Rotate, Revoke and SetDisabled change the key with this id. Cases that need a missing function are
	// skipped.
	Rotate func(ctx context.Context, id string, grace time.Duration, allow auth.Allow) (auth.Key, auth.Secret,
		error)
	Revoke      func(ctx context.Context, id string, allow auth.Allow) error
	SetDisabled func(ctx context.Context, id string, disabled bool) error
	// Change calls change on the key with this id. If it is nil, its case is skipped.
	Change func(ctx context.Context, id string, change func(*auth.Key) error) (auth.Key, error)
	// AddOwner creates an owner before the owner's first key is created. It may be nil if the store accepts
	// any owner.
	AddOwner func(ctx context.Context, id string) error
	// Used records that the key with this id was accepted, and returns after Key shows it. Key returns the
	// key with this id. If either is nil, the case of last uses is skipped.
	Used func(ctx context.Context, id string, at time.Time) error
	Key  func(ctx context.Context, id string) (auth.Key, error)
}

// A Harness opens the store under test.
type Harness struct {
	// Pepper is the pepper of the store that Open returns.
	Pepper auth.Pepper
	// Lag is how long answers may be outdated after a key changes only because time passes, as when it expires. A
	// cache passes its TTL. 0 means that answers are never outdated. Lag does not apply to changes by this
	// process.
	Lag time.Duration
	// Open returns an empty store that reads the time from now, which is safe for concurrent use. Open
	// closes the store with t.Cleanup. It is called once: all cases share the store, and each creates its
	// own keys.
	Open func(t *testing.T, now func() time.Time) Store
}

// Run tests the store of h.
func Run(t *testing.T, h Harness) {
	clock := &clock{at: start()}
	shared := h.Open(t, clock.now)
	owners := map[string]bool{}
	for n, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			b := &bench{
				Store: shared, clock: clock, owners: owners,
				t: t, id: fmt.Sprint("key-", n), why: c.why, pepper: h.Pepper, lag: h.Lag,
			}
			if (c.rotates && b.Rotate == nil) || (c.switches && (b.Revoke == nil || b.SetDisabled == nil)) ||
				(c.changes && b.Change == nil) || (c.uses && (b.Used == nil || b.Key == nil)) {
				t.Skip("the harness lacks a function for this case")
			}
			c.run(b)
		})
	}
}

type testCase struct {
	name     string
	why      string
	rotates  bool
	switches bool
	uses     bool
	changes  bool
	run      func(*bench)
}

// bench runs a case on the store.
type bench struct {
	Store
	clock  *clock          // shared by all cases, which run one after the other
	owners map[string]bool // created owners, shared by all cases

	t      *testing.T
	id     string // the id of a key that only this case uses
	why    string
	pepper auth.Pepper
	lag    time.Duration
}

// start is not a whole millisecond on purpose, since stores save whole milliseconds.
func start() time.Time {
	return time.Date(2026, 3, 29, 0, 59, 59, 987_654_321, time.FixedZone("", 5*3600+45*60))
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// failf ends the case with the difference and the rule.
func (b *bench) failf(format string, args ...any) {
	b.t.Helper()
	b.t.Errorf(format, args...)
	b.t.Fatalf("the rule: %s", b.why)
}

func (b *bench) create(k auth.Key) (auth.Key, auth.Secret) {
	b.t.Helper()
	b.own(k.Owner)
	k, s, err := b.Create(b.t.Context(), k)
	if err != nil {
		b.failf("Create: %v", err)
	}
	return k, s
}

// own creates owners that do not exist yet.
func (b *bench) own(owners ...string) {
	b.t.Helper()
	for _, o := range owners {
		if b.AddOwner == nil || b.owners[o] {
			continue
		}
		if err := b.AddOwner(b.t.Context(), o); err != nil {
			b.failf("AddOwner: %v", err)
		}
		b.owners[o] = true
	}
}

func (b *bench) rotate(id string, grace time.Duration) (auth.Key, auth.Secret) {
	b.t.Helper()
	k, s, err := b.Rotate(b.t.Context(), id, grace, nil)
	if err != nil {
		b.failf("Rotate: %v", err)
	}
	return k, s
}

func (b *bench) look(s auth.Secret) (*auth.Key, error) {
	return b.KeyByDigest(b.t.Context(), s.Digest(b.pepper))
}

func (b *bench) find(what string, s auth.Secret) *auth.Key {
	b.t.Helper()
	k, err := b.look(s)
	if err != nil || k == nil {
		b.failf("%s: KeyByDigest = %v, %v; want the key", what, k, err)
	}
	return k
}

// full returns a key with a value in each field that a caller can set, and with the id of the case.
func (b *bench) full() auth.Key {
	return auth.Key{
		ID: b.id, Owner: "acme", Name: `Panel "ü" 'x' \ %_ 🙂`,
		Scopes:    []auth.Scope{auth.ReadData, auth.TrackEvents},
		Resources: []auth.Resource{{Kind: auth.KindWebsite, ID: "w1"}, {Kind: auth.KindLink, ID: "l'1"}},
		Filters: []auth.Filter{{Field: "country", Op: "in", Values: []string{"DE", ""}},
			{Field: "path", Op: "eq", Values: []string{`/"`}},
			{Not: &auth.Filter{Did: &auth.Did{Page: &auth.Text{Op: "eq", Values: []string{"/ü"}},
				Filters: []auth.Filter{{Field: "property:plan", Op: "exists"}}}}}},
		Types:   []string{"summary", "pages"},
		Limits:  &auth.Limits{PerMinute: 7},
		Shares:  []auth.Share{{Key: "maker"}, {Key: "another", Limits: &auth.Limits{PerMinute: 9}}},
		Expires: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	}
}
