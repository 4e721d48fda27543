// Package keycache remembers for less than a second what a store of keys answered, so
// that a busy key costs one look-up a second rather than one a request. It is an
// [auth.KeyStore] around another.
//
// # How old an answer may be
//
// No answer is older than Config.TTL, counted from before the store was asked. A change
// that this process makes is seen at once when the store tells the [Cache] of it, which
// is an [auth.Invalidator]; changes of other processes are seen when a message bus
// tells it (package redisbus is one), and after the TTL without. So revocation reaches
// every process within a second, whatever fails.
//
// # What is remembered
//
// Keys, and digests that belong to no key; each in a bounded number, the least recently
// used going first. Failures are not: while the store cannot answer, keys work on for
// the rest of their TTL and then fail, they are never let in.
package keycache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/sightline-analytics/sightline/auth"
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
type Cache struct {
	cfg Config

	mu      sync.Mutex
	known   *simplelru.LRU[auth.Digest, answer]
	unknown *simplelru.LRU[auth.Digest, time.Time]
	of      map[string][]auth.Digest // the digests in known, by the id of their key
	asking  map[auth.Digest]*question
	changes uint64 // how often anything changed
}

type answer struct {
	key *auth.Key
	at  time.Time // before the store was asked
}

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
	c := &Cache{cfg: cfg, of: map[string][]auth.Digest{}, asking: map[auth.Digest]*question{}}
	var err1, err2 error
	c.known, err1 = simplelru.NewLRU(cfg.Keys, c.dropped)
	c.unknown, err2 = simplelru.NewLRU[auth.Digest, time.Time](cfg.Unknown, nil)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("auth/keycache: %w", err)
	}
	return c, nil
}

// KeyByDigest implements [auth.KeyStore].
func (c *Cache) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for {
		found := c.recall(d)
		switch {
		case found.key != nil:
			return clone(found.key), nil
		case found.unknown:
			return nil, auth.ErrNotFound
		case found.mine:
			return c.ask(ctx, d, found.question)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-found.question.done:
		}
		if q := found.question; !q.givenUp { // else somebody has to ask again
			return clone(q.key), q.err
		}
	}
}

func clone(k *auth.Key) *auth.Key {
	if k == nil {
		return nil
	}
	c := k.Clone()
	return &c
}

// KeyChanged implements [auth.Invalidator].
func (c *Cache) KeyChanged(_ context.Context, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++ // what is being asked just now will not be remembered
	if id == "" {
		c.known.Purge()
	}
	for _, d := range c.of[id] {
		c.known.Remove(d)
	}
	// A new secret was nobody's before. Few are remembered as unknown when keys change,
	// and to look them up again costs little.
	c.unknown.Purge()
}
