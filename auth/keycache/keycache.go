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
// the rest of their TTL and then fail, they are never let in. All who want to know the
// same at the same time wait for one look-up, which goes on when they went away.
package keycache

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"github.com/sightline-analytics/sightline/auth"
)

// The longest time for which an answer may be remembered, and the default, which leaves
// room for the look-up itself within a second.
const (
	MaxTTL     = time.Second
	DefaultTTL = 750 * time.Millisecond
)

// lookUpTimeout bounds a look-up, for which nobody may be waiting any more.
const lookUpTimeout = 10 * time.Second

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
	cfg    Config
	asking singleflight.Group

	mu      sync.Mutex
	known   *simplelru.LRU[auth.Digest, answer]
	unknown *simplelru.LRU[auth.Digest, answer]
	changes uint64 // how often anything changed
}

// An answer of the store.
type answer struct {
	key *auth.Key // shared: callers get copies; nil: there is none
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
	known, err1 := simplelru.NewLRU[auth.Digest, answer](cfg.Keys, nil)
	unknown, err2 := simplelru.NewLRU[auth.Digest, answer](cfg.Unknown, nil)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("auth/keycache: %w", err)
	}
	return &Cache{cfg: cfg, known: known, unknown: unknown}, nil
}

// KeyByDigest implements [auth.KeyStore].
func (c *Cache) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	now := c.cfg.Now()
	a, changes, ok := c.recall(d, now)
	for !ok {
		// A look-up from before a change may get the answer from before it: nobody joins it after.
		look := c.asking.DoChan(string(d[:])+strconv.FormatUint(changes, 10), func() (any, error) {
			return c.ask(context.WithoutCancel(ctx), d, changes)
		})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case found := <-look:
			if found.Err != nil {
				return nil, found.Err
			}
			a, _ = found.Val.(answer)
			ok = now.Sub(a.at) < c.cfg.TTL // else it was under way for too long when we joined it
		}
	}
	if a.key == nil {
		return nil, auth.ErrNotFound
	}
	k := a.key.Clone()
	return &k, nil
}

// recall returns what is remembered of d, and how often anything had changed.
func (c *Cache) recall(d auth.Digest, now time.Time) (a answer, changes uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok = c.known.Get(d); !ok {
		a, ok = c.unknown.Get(d)
	}
	age := now.Sub(a.at) // negative after a clock was set back
	return a, c.changes, ok && age >= 0 && age < c.cfg.TTL
}

// ask asks the store, and remembers the answer unless anything changed meanwhile.
func (c *Cache) ask(ctx context.Context, d auth.Digest, changes uint64) (a answer, err error) {
	defer func() {
		if p := recover(); p != nil { // in a goroutine of its own it would end the process
			err = fmt.Errorf("auth/keycache: the store of keys panicked: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	a.at = c.cfg.Now()
	a.key, err = c.cfg.Store.KeyByDigest(ctx, d)
	switch {
	case errors.Is(err, auth.ErrNotFound):
		a.key = nil
	case err != nil:
		return answer{}, err
	case a.key == nil:
		return answer{}, errors.New("auth/keycache: store returned neither a key nor an error")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes != changes {
		return a, nil
	}
	c.known.Remove(d)
	c.unknown.Remove(d)
	if a.key == nil {
		c.unknown.Add(d, a)
	} else {
		c.known.Add(d, a)
	}
	return a, nil
}

// KeyChanged implements [auth.Invalidator].
func (c *Cache) KeyChanged(_ context.Context, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++ // what is being asked just now will not be remembered
	for _, d := range c.known.Keys() {
		if a, ok := c.known.Peek(d); ok && (id == "" || a.key.ID == id) {
			c.known.Remove(d)
		}
	}
	// A new secret was nobody's before. Few are remembered as unknown when keys change,
	// and to look them up again costs little.
	c.unknown.Purge()
}
