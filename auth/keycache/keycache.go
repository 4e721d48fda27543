// Package keycache caches for less than a second what a store of keys answered, so that a busy key
// costs about one look-up a second rather than one per request. It is an [auth.KeyStore] around
// another.
//
// # How old an answer may be
//
// No answer is older than Config.TTL, counted from before the store was asked. A change made by this
// process is seen at once when the store notifies the [Cache], which is an [auth.Invalidator]; changes
// of other processes are seen when a message bus (such as package redisbus) notifies it, otherwise
// after the TTL. So revocation reaches every process within a second, whatever fails.
//
// # What is remembered
//
// Keys, and digests that belong to no key; each in a bounded number, the least recently used dropped
// first. Failures are not: while the store cannot answer, keys stay valid for the rest of their TTL and
// then fail; unknown keys are never accepted. Concurrent calls for one digest share one look-up, which
// goes on when they end.
package keycache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/recent"
)

// The longest time for which an answer may be remembered, and the default, which leaves
// room for the look-up itself within a second.
const (
	MaxTTL     = time.Second
	DefaultTTL = 750 * time.Millisecond
)

// Config is what a [Cache] needs.
type Config struct {
	Store   auth.KeyStore    // required
	TTL     time.Duration    // at most MaxTTL; 0 means DefaultTTL
	Keys    int              // how many secrets of keys are remembered; 0 means 10 000
	Unknown int              // how many digests of no key are remembered; 0 means 10 000
	Now     func() time.Time // nil means time.Now
}

// A Cache is safe for concurrent use.
type Cache struct{ keys *recent.Cache[*auth.Key] } // by digest

var (
	_ auth.KeyStore    = (*Cache)(nil)
	_ auth.Invalidator = (*Cache)(nil)
)

// New makes a cache. Its error joins all problems of cfg.
func New(cfg Config) (*Cache, error) {
	var faults []error
	if cfg.Store == nil {
		faults = append(faults, errors.New("auth/keycache: store of keys is missing"))
	}
	if cfg.TTL < 0 || cfg.TTL > MaxTTL {
		faults = append(faults, fmt.Errorf("auth/keycache: TTL of %v, more than %v or negative", cfg.TTL, MaxTTL))
	}
	if cfg.Keys < 0 || cfg.Unknown < 0 {
		faults = append(faults, fmt.Errorf("auth/keycache: room for %d keys and %d unknown digests", cfg.Keys, cfg.Unknown))
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
	keys, err := recent.New(recent.Config{TTL: cfg.TTL, Known: cfg.Keys, Unknown: cfg.Unknown, NotFound: auth.ErrNotFound, Now: cfg.Now}, loaderOf(cfg.Store))
	if err != nil {
		return nil, fmt.Errorf("auth/keycache: %w", err)
	}
	return &Cache{keys}, nil
}

// loaderOf asks store for the key of a digest.
func loaderOf(store auth.KeyStore) recent.Loader[*auth.Key] {
	return func(ctx context.Context, digest string) (*auth.Key, error) {
		key, err := store.KeyByDigest(ctx, auth.Digest([]byte(digest)))
		if err == nil && key == nil {
			err = errors.New("auth/keycache: store returned neither a key nor an error")
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

// KeyChanged implements [auth.Invalidator]. It also drops all digests of no key, since one of them may
// now belong to a key.
func (c *Cache) KeyChanged(_ context.Context, id string) {
	c.keys.Forget(func(k *auth.Key) bool { return id == "" || k.ID == id })
}
