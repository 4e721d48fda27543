// Package keycache caches the answers of a key store for less than a second:
//
//	cache, err := keycache.New(keycache.Config{Store: keys})            // keys: an auth.KeyStore
//	keys.Notify(cache)                                                  // the store reports its changes to the cache
//	callers, err := auth.New(auth.Config{Store: cache, Pepper: pepper})
//	caller, err := callers.Authenticate(ctx, r)                         // asks keys
//	caller, err = callers.Authenticate(ctx, r)                          // answered by the cache
//
// A busy key then costs about one look-up per second instead of one per request.
//
// # How old an answer may be
//
// An answer is never older than Config.TTL, counted from the start of the look-up. A change by this process
// takes effect at once if the store notifies the [Cache], which is an [auth.Invalidator]. A change by another
// process takes effect when a message bus (such as package redisbus) notifies the cache, and otherwise
// after the TTL. So a revocation reaches every process within a second, even if the bus fails.
//
// # Which answers are cached
//
// The cache holds keys, and digests that belong to no key. The number of each is bounded, and the least recently
// used entry is dropped first. Failures are not cached: if the store fails, cached keys stay valid for the rest
// of their TTL, and then requests with them fail. Unknown keys are never accepted. Concurrent calls for one digest
// share a look-up, which continues if their contexts end.
package keycache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/recent"
)

// MaxTTL is the maximum age of an answer. The default leaves time for the look-up itself within a
// second.
const (
	MaxTTL     = time.Second
	DefaultTTL = 750 * time.Millisecond
)

// Config configures [New].
type Config struct {
	Store   auth.KeyStore    // required
	TTL     time.Duration    // time to live of an answer, at most MaxTTL; 0 means DefaultTTL
	Keys    int              // maximum number of cached keys; 0 means 10 000
	Unknown int              // maximum number of cached unknown digests; 0 means 10 000
	Now     func() time.Time // nil means time.Now
}

// A Cache is an [auth.KeyStore] that caches the answers of another one. It is safe for concurrent use.
type Cache struct{ keys *recent.Cache[*auth.Key] } // by digest

var (
	_ auth.KeyStore    = (*Cache)(nil)
	_ auth.Invalidator = (*Cache)(nil)
)

// New returns a Cache. Its error joins all problems of cfg.
func New(cfg Config) (*Cache, error) {
	var faults []error
	if cfg.Store == nil {
		faults = append(faults, errors.New("keycache: Config.Store is required"))
	}
	if cfg.TTL < 0 || cfg.TTL > MaxTTL {
		faults = append(faults, fmt.Errorf("keycache: TTL must be between 0 and %v, not %v", MaxTTL, cfg.TTL))
	}
	if cfg.Keys < 0 || cfg.Unknown < 0 {
		faults = append(faults, fmt.Errorf("keycache: Keys (%d) and Unknown (%d) must not be negative",
			cfg.Keys, cfg.Unknown))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if cfg.TTL == 0 {
		cfg.TTL = DefaultTTL
	}
	if cfg.Keys == 0 {
		cfg.Keys = 10_000
	}
	if cfg.Unknown == 0 {
		cfg.Unknown = 10_000
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	keys, err := recent.New(recent.Config{TTL: cfg.TTL, Known: cfg.Keys, Unknown: cfg.Unknown,
		NotFound: auth.ErrNotFound, Now: cfg.Now}, loaderOf(cfg.Store))
	if err != nil {
		return nil, fmt.Errorf("keycache: %w", err)
	}
	return &Cache{keys}, nil
}

// loaderOf returns a loader that gets the key of a digest from store.
func loaderOf(store auth.KeyStore) recent.Loader[*auth.Key] {
	return func(ctx context.Context, digest string) (*auth.Key, error) {
		key, err := store.KeyByDigest(ctx, auth.Digest([]byte(digest)))
		if err == nil && key == nil {
			err = errors.New("keycache: store returned neither a key nor an error")
		}
		return key, err
	}
}

// KeyByDigest implements [auth.KeyStore].
func (c *Cache) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	key, err := c.keys.Get(ctx, string(d[:]))
	if err != nil {
		return nil, err
	}
	k := key.Clone()
	return &k, nil
}

// KeyChanged implements [auth.Invalidator]. It also drops all unknown digests, since one of them may now
// belong to a key.
func (c *Cache) KeyChanged(_ context.Context, id string) {
	c.keys.Forget(func(k *auth.Key) bool { return id == "" || k.ID == id })
}
