// Package lru has a cache that is bounded by the bytes of its values.
//
//	cache := lru.New[string, []byte](1 << 20)
//	cache.Add(key, value, int64(len(key)+len(value)))
//	value, ok := cache.Get(key)
package lru

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A Cache holds values up to a number of bytes that they cost together. It drops the least recently used value first.
// It is safe for concurrent use. A nil *Cache holds nothing.
type Cache[K comparable, V any] struct {
	most int64

	mu   sync.Mutex
	held int64 // what all entries cost
	by   *simplelru.LRU[K, entry[V]]
}

type entry[V any] struct {
	value V
	cost  int64
}

// New returns a cache of that many bytes, or nil if most is not positive.
func New[K comparable, V any](most int64) *Cache[K, V] {
	if most <= 0 {
		return nil
	}
	c := &Cache[K, V]{most: most}
	c.by, _ = simplelru.NewLRU(math.MaxInt, func(_ K, e entry[V]) { c.held -= e.cost }) // it fails for a size below 1
	return c
}

// Get returns the value of key, which is now the most recently used.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	if c == nil {
		return value, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.by.Get(key)
	return e.value, ok
}

// Has reports whether key has a value. It does not count as a use of the value.
func (c *Cache[K, V]) Has(key K) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.by.Contains(key)
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
	c.add(key, value, cost)
}

// GetOrAdd returns the value of key, which is now the most recently used. If there is none, it adds fresh() as
// [Cache.Add] does, so that concurrent callers get the same value.
func (c *Cache[K, V]) GetOrAdd(key K, fresh func() V, cost int64) V {
	if c == nil {
		return fresh()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.by.Get(key); ok {
		return e.value
	}
	value := fresh()
	c.add(key, value, cost)
	return value
}

// add is Add for a caller who holds the lock.
func (c *Cache[K, V]) add(key K, value V, cost int64) {
	c.by.Remove(key)
	if cost > c.most {
		return
	}
	c.by.Add(key, entry[V]{value, cost})
	for c.held += cost; c.held > c.most; {
		c.by.RemoveOldest()
	}
}

// Clear forgets everything.
func (c *Cache[K, V]) Clear() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by.Purge()
}
