// Package authtest has the conformance suites of auth.KeyStore ([Run]), audit.Log ([RunLog])
// and store.Directory ([RunDirectory]): what each of them must do, every case with the sentence that it
// checks.
package authtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// A Store is what Run tests: the KeyStore, and functions that create and change its keys.
type Store struct {
	auth.KeyStore // required

	// Create stores a key with a new secret, and returns it as it is stored. Required.
	Create func(ctx context.Context, k auth.Key) (auth.Key, auth.Secret, error)
	// Rotate, Revoke and SetDisabled change the key of an id. Without one, the cases
	// that need it are skipped.
	Rotate      func(ctx context.Context, id string, grace time.Duration) (auth.Key, auth.Secret, error)
	Revoke      func(ctx context.Context, id string) error
	SetDisabled func(ctx context.Context, id string, disabled bool) error
	// Change lets change amend the key of an id. Without it its case is skipped.
	Change func(ctx context.Context, id string, change func(*auth.Key)) (auth.Key, error)
	// AddOwner creates an owner before its first key is created. Nil for a store that accepts any
	// owner.
	AddOwner func(ctx context.Context, id string) error
	// Used records that the key of an id was accepted, and returns once Key shows it. Key returns the
	// key of an id. Without them the case of last uses is skipped.
	Used func(ctx context.Context, id string, at time.Time) error
	Key  func(ctx context.Context, id string) (auth.Key, error)
}

// A Harness makes the store for the suite.
type Harness struct {
	// Pepper is that of the store that Open returns.
	Pepper auth.Pepper
	// Lag is how long an answer may be outdated when it changed by time alone, such as by an expiry,
	// and not by a change in this process. 0 means never; for a cache it is its TTL.
	Lag time.Duration
	// Open returns an empty store that takes the time from now, which is safe for
	// concurrent use. It closes it with t.Cleanup. It is called once: all cases have
	// that store, and each has keys of its own.
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
				t.Skip("the store has no such operation")
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

// bench is the store on trial in one case.
type bench struct {
	Store
	clock  *clock          // of all cases: each begins when the one before has ended
	owners map[string]bool // that were made, in all cases

	t      *testing.T
	id     string // of a key of this case alone
	why    string
	pepper auth.Pepper
	lag    time.Duration
}

// start is off the whole millisecond on purpose: stores keep whole ones.
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

// failf ends the case with what was seen and the rule it breaks.
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

// own makes sure of owners.
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
	k, s, err := b.Rotate(b.t.Context(), id, grace)
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

// full is a key with something in every field that a caller sets, with the id of the case.
func (b *bench) full() auth.Key {
	return auth.Key{
		ID: b.id, Owner: "acme", Name: `Panel "ü" 'x' \ %_ 🙂`,
		Scopes:    []auth.Scope{auth.ReadData, auth.TrackEvents},
		Resources: []auth.Resource{{Kind: auth.KindWebsite, ID: "w1"}, {Kind: auth.KindLink, ID: "l'1"}},
		Filters:   []auth.Filter{{Field: "country", Op: "in", Values: []string{"DE", ""}}, {Field: "path", Op: "eq", Values: []string{`/"`}}},
		Types:     []string{"summary", "pages"},
		Limits:    &auth.Limits{PerMinute: 7},
		Expires:   time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	}
}
