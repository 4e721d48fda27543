// Package sightlinetest has a service for the tests of hosts, with a fixed key, website and clock:
//
//	host := sightlinetest.New(t)
//	r := httptest.NewRequest("GET", "/v1/query?website_id="+host.Website+"&parameters=pages&preset=today", nil)
//	r.Header.Set("X-Api-Key", host.Key)
//	host.API().ServeHTTP(w, r)
//	host.Advance(24 * time.Hour) // the next day
//
// All data is in memory and is gone after the test. Events are in store/sqlite, which needs no cgo and answers every
// query type like the other stores. There are no rate limits and no audit trail.
package sightlinetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// The records of every service of [New].
const (
	Owner   = "owner_test"
	Website = "web_test"
	Domain  = "site.example" // of Website
	KeyID   = "key_test"
)

// A Host is a service with its records.
type Host struct {
	*sightline.Service

	Key     string                 // secret of a key with all scopes for everything of Owner; the same in every test
	Website string                 // Website
	Events  *sqlite.Store          // to write rows without HTTP
	Sites   *store.MemoryDirectory // to add websites, links, monitors and definitions
	Keys    *auth.Memory           // to add keys

	passed atomic.Int64
}

// New returns a Host that is closed when the test ends; see [Open]. A failure ends the test.
func New(t testing.TB, change ...func(*sightline.Config)) *Host {
	t.Helper()
	h, err := Open(change...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// Open returns a Host, for examples and benchmarks without a test. Its clock stands at Start. Each change changes the
// Config before the service is opened.
func Open(change ...func(*sightline.Config)) (*Host, error) {
	h := &Host{Website: Website}
	h.Sites = &store.MemoryDirectory{Now: h.Now}
	pepper, pepperErr := auth.NewPepper([]byte("the pepper of sightlinetest"))
	random := rand.NewChaCha8([32]byte{}) // the same key in every test
	keys, keysErr := auth.NewMemory(auth.MemoryConfig{Pepper: pepper, Issuer: auth.Issuer{Rand: random, Now: h.Now}})
	events, eventsErr := sqlite.OpenConfig(context.Background(), sqlite.Config{Path: ":memory:", Now: h.Now})
	if err := errors.Join(pepperErr, keysErr, eventsErr); err != nil {
		return nil, fmt.Errorf("sightlinetest: %w", err)
	}
	h.Keys, h.Events = keys, events
	_, secret, keyErr := keys.CreateKey(context.Background(),
		auth.Key{ID: KeyID, Owner: Owner, All: true, Scopes: auth.Scopes()})
	siteErr := h.Sites.AddWebsite(store.Website{ID: Website, Owner: Owner, Name: "Test", Domain: Domain,
		CreatedAt: Start()})
	h.Key = secret.Reveal()
	cfg := sightline.Config{
		Events: events, Directory: h.Sites, Keys: keys, Pepper: pepper, Flags: &flags.Memory{},
		Limiter: auth.Unlimited, Audit: auth.Discard, Now: h.Now, Salts: salts{},
	}
	for _, c := range change {
		c(&cfg)
	}
	service, err := sightline.New(cfg)
	if err := errors.Join(keyErr, siteErr, err); err != nil {
		return nil, errors.Join(fmt.Errorf("sightlinetest: %w", err), events.Close(context.Background()))
	}
	h.Service = service
	return h, nil
}

// Close closes the service and the store of events.
func (h *Host) Close(ctx context.Context) error {
	return errors.Join(h.Service.Close(ctx), h.Events.Close(context.Background()))
}

// Start is the time of the clock of a new Host: noon of a Saturday, in UTC.
func Start() time.Time { return time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC) }

// Now returns the time of the clock of h.
func (h *Host) Now() time.Time { return Start().Add(time.Duration(h.passed.Load())) }

// Advance moves the clock of h forward. It does not wait.
func (h *Host) Advance(d time.Duration) { h.passed.Add(int64(d)) }

// salts has a constant salt for each day, so that visitor ids are the same in every run.
type salts struct{}

// Salt implements [track.Salts].
func (salts) Salt(_ context.Context, day time.Time) ([]byte, error) {
	return []byte("the salt of " + day.UTC().Format(time.DateOnly)), nil
}
