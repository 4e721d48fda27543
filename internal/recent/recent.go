// Package recent caches answers for a short time. The caches of keys and of the directory use it:
//
//	cache, err := recent.New(recent.Config{TTL: time.Second, Known: 1000, Unknown: 1000, NotFound: errMissing}, load)
//	value, err := cache.Get(ctx, "a")                              // calls load
//	value, err = cache.Get(ctx, "a")                               // answered by the cache
//	cache.Forget(func(v *Item) bool { return v.ID == changed })
//	value, err = cache.Get(ctx, "a")                               // calls load again if a has changed
//
// Existing and missing keys are cached separately, and the least recently used entries are dropped first. So made-up
// keys do not push out existing ones. Failures are not cached. Concurrent calls for one key share a look-up, which
// continues if the callers go away.
package recent

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"github.com/sightline-analytics/sightline/internal/failure"
)

// lookUpTimeout is the time limit of a look-up, which may continue without callers.
const lookUpTimeout = 10 * time.Second

// Config configures a [Cache]. All fields are required.
type Config struct {
	TTL      time.Duration // maximum age of an answer, counted from the start of its look-up
	Known    int           // maximum number of existing keys
	Unknown  int           // maximum number of missing keys
	NotFound error         // errors that wrap it mean that a key does not exist
	Now      func() time.Time
}

// A Loader looks up the value of key.
type Loader[V any] func(ctx context.Context, key string) (V, error)

// A Cache caches values of one kind. It is safe for concurrent use.
type Cache[V any] struct {
	cfg    Config
	ask    Loader[V]
	asking singleflight.Group

	mu      sync.Mutex
	known   *simplelru.LRU[string, answer[V]]
	unknown *simplelru.LRU[string, answer[V]]
	changes uint64 // number of changes
}

type answer[V any] struct {
	value V
	err   error     // nil, or an error that wraps NotFound
	at    time.Time // start of the look-up
}

// New returns a Cache of the answers of ask. It fails if a size is below 1.
func New[V any](cfg Config, ask Loader[V]) (*Cache[V], error) {
	known, err1 := simplelru.NewLRU[string, answer[V]](cfg.Known, nil)
	unknown, err2 := simplelru.NewLRU[string, answer[V]](cfg.Unknown, nil)
	return &Cache[V]{cfg: cfg, ask: ask, known: known, unknown: unknown}, errors.Join(err1, err2)
}

// Get returns the value of key from the cache, or asks the Loader and caches the answer. The value is shared: callers
// must copy it before they change it.
func (c *Cache[V]) Get(ctx context.Context, key string) (none V, _ error) {
	if err := ctx.Err(); err != nil {
		return none, err
	}
	now := c.cfg.Now()
	a, changes, ok := c.recall(key, now)
	if !ok {
		return c.join(ctx, key, changes, now)
	}
	return a.value, a.err
}

// join waits for a look-up that began after this number of changes. If necessary it starts one.
func (c *Cache[V]) join(ctx context.Context, key string, changes uint64, now time.Time) (none V, _ error) {
	var a answer[V]
	for ok := false; !ok; {
		// A look-up that began before a change may return the old answer, so later calls do not join it.
		look := c.asking.DoChan(strconv.FormatUint(changes, 10)+"/"+key, func() (any, error) {
			if found, _, ok := c.recall(key, now); ok { // another look-up ended in the meantime
				return found, nil
			}
			return c.look(context.WithoutCancel(ctx), key, changes)
		})
		select {
		case <-ctx.Done():
			return none, ctx.Err()
		case found := <-look:
			if found.Err != nil {
				return none, found.Err
			}
			a, _ = found.Val.(answer[V])
			ok = now.Sub(a.at) < c.cfg.TTL // otherwise the joined look-up began too long ago
		}
	}
	return a.value, a.err
}

// recall returns the cached answer for key and the current number of changes.
func (c *Cache[V]) recall(key string, now time.Time) (a answer[V], changes uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok = c.known.Get(key); !ok {
		a, ok = c.unknown.Get(key)
	}
	age := now.Sub(a.at) // negative after the clock was set back
	return a, c.changes, ok && age >= 0 && age < c.cfg.TTL
}

// look asks the Loader, and caches the answer unless a change happened during the look-up.
func (c *Cache[V]) look(ctx context.Context, key string, changes uint64) (a answer[V], err error) {
	defer failure.Recovered(&err) // a panic in this goroutine would end the process
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	a.at = c.cfg.Now()
	a.value, a.err = c.ask(ctx, key)
	if a.err != nil && !errors.Is(a.err, c.cfg.NotFound) {
		return a, a.err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes != changes {
		return a, nil
	}
	c.known.Remove(key)
	c.unknown.Remove(key)
	if a.err == nil {
		c.known.Add(key, a)
	} else {
		c.unknown.Add(key, a)
	}
	return a, nil
}

// Forget drops the values for which changed returns true, and all missing keys, since they may exist now. Answers of
// running look-ups are not cached.
func (c *Cache[V]) Forget(changed func(V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	for _, key := range c.known.Keys() {
		if a, ok := c.known.Peek(key); ok && changed(a.value) {
			c.known.Remove(key)
		}
	}
	c.unknown.Purge()
}
