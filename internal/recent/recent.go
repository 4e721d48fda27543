// Package recent remembers answers for a short time: the caches of keys and of the
// directory are made of it.
//
// What exists and what does not are remembered in pools of their own, the least recently
// used going first, so that who makes names up does not push out what exists. Failures are
// not remembered. All who want to know the same at the same time wait for one look-up,
// which goes on when they went away.
package recent

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"
)

// lookUpTimeout bounds a look-up, for which nobody may be waiting any more.
const lookUpTimeout = 10 * time.Second

// Config is what a [Cache] needs; all of it is required.
type Config struct {
	TTL      time.Duration // how old an answer may be, from before it was asked for
	Known    int           // how many answers are remembered
	Unknown  int           // how many times that there is none
	NotFound error         // what errors wrap that say that there is none
	Now      func() time.Time
}

// A Loader finds out what is to be remembered of key.
type Loader[V any] func(ctx context.Context, key string) (V, error)

// A Cache of answers of one kind is safe for concurrent use.
type Cache[V any] struct {
	cfg    Config
	ask    Loader[V]
	asking singleflight.Group

	mu      sync.Mutex
	known   *simplelru.LRU[string, answer[V]]
	unknown *simplelru.LRU[string, answer[V]]
	changes uint64 // how often anything changed
}

type answer[V any] struct {
	value V
	err   error     // nil, or one that wraps NotFound
	at    time.Time // before it was asked for
}

// New makes a Cache of what ask answers. Its error is that of a size below 1.
func New[V any](cfg Config, ask Loader[V]) (*Cache[V], error) {
	known, err1 := simplelru.NewLRU[string, answer[V]](cfg.Known, nil)
	unknown, err2 := simplelru.NewLRU[string, answer[V]](cfg.Unknown, nil)
	return &Cache[V]{cfg: cfg, ask: ask, known: known, unknown: unknown}, errors.Join(err1, err2)
}

// Get answers from what is remembered of key, else asks, and remembers what it was told.
// The value is shared: whoever changes it copies it.
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

// join waits for a look-up that began after so many changes, and begins it if there is none.
func (c *Cache[V]) join(ctx context.Context, key string, changes uint64, now time.Time) (none V, _ error) {
	var a answer[V]
	for ok := false; !ok; {
		// A look-up from before a change may get the answer from before it: nobody joins it after.
		look := c.asking.DoChan(strconv.FormatUint(changes, 10)+"/"+key, func() (any, error) {
			if found, _, ok := c.recall(key, now); ok { // a look-up ended since we looked
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
			ok = now.Sub(a.at) < c.cfg.TTL // else it was under way for too long when we joined it
		}
	}
	return a.value, a.err
}

// recall returns what is remembered of key, and how often anything had changed.
func (c *Cache[V]) recall(key string, now time.Time) (a answer[V], changes uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok = c.known.Get(key); !ok {
		a, ok = c.unknown.Get(key)
	}
	age := now.Sub(a.at) // negative after a clock was set back
	return a, c.changes, ok && age >= 0 && age < c.cfg.TTL
}

// look asks, and remembers the answer unless anything changed meanwhile.
func (c *Cache[V]) look(ctx context.Context, key string, changes uint64) (a answer[V], err error) {
	defer func() {
		if p := recover(); p != nil { // in a goroutine of its own it would end the process
			err = fmt.Errorf("a look-up panicked: %v", p)
		}
	}()
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

// Forget forgets the values that changed says yes to, and all that did not exist: it may
// now. What is being asked just now is not remembered.
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
