// Package lru has a cache that is bounded by the bytes of its values.
//
//	cache := lru.New[string, []byte](1 << 20)
//	cache.Add(key, value, int64(len(key)+len(value)))
//	value, ok := cache.Get(key)
package lru

import (
	"sync"
)

// A Cache holds values up to a number of bytes that they cost together. It drops the least recently used value first.
// It is safe for concurrent use. A nil *Cache holds nothing.
type Cache[K comparable, V any] struct {
	most int64

	mu   sync.Mutex
	held int64 // what all entries cost
	at   map[K]*cached[K, V]
	ring cached[K, V] // before the most and behind the least recently used entry
}

// A cached value is one entry in the ring of all entries.
type cached[K comparable, V any] struct {
	key          K
	value        V
	cost         int64
	newer, older *cached[K, V]
}

// New returns a cache of that many bytes, or nil if most is not positive.
func New[K comparable, V any](most int64) *Cache[K, V] {
	if most <= 0 {
		return nil
	}
	c := &Cache[K, V]{most: most, at: map[K]*cached[K, V]{}}
	c.ring.newer, c.ring.older = &c.ring, &c.ring
	return c
}

// Get returns the value of key, which is now the most recently used.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	if c == nil {
		return value, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.at[key]
	if e == nil {
		return value, false
	}
	e.unlink()
	c.first(e)
	return e.value, true
}

// Has reports whether key has a value. It does not count as a use of the value.
func (c *Cache[K, V]) Has(key K) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at[key] != nil
}

// Size returns the cost of all values in bytes.
func (c *Cache[K, V]) Size() int64 {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held
}

// Add stores value under key and replaces its old value. The cost in bytes includes everything that only the cache
// refers to, and the key. A value that costs more than the whole cache is not stored.
func (c *Cache[K, V]) Add(key K, value V, cost int64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.at[key]; e != nil {
		c.drop(e)
	}
	if cost > c.most {
		return
	}
	e := &cached[K, V]{key: key, value: value, cost: cost}
	c.at[key] = e
	c.first(e)
	for c.held += cost; c.held > c.most; {
		c.drop(c.ring.newer)
	}
}

// Clear forgets everything.
func (c *Cache[K, V]) Clear() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.at {
		c.drop(e)
	}
}

func (c *Cache[K, V]) drop(e *cached[K, V]) {
	e.unlink()
	delete(c.at, e.key)
	c.held -= e.cost
}

// first makes e the most recently used.
func (c *Cache[K, V]) first(e *cached[K, V]) {
	e.newer, e.older = &c.ring, c.ring.older
	e.newer.older, e.older.newer = e, e
}

func (e *cached[K, V]) unlink() { e.newer.older, e.older.newer = e.older, e.newer }
