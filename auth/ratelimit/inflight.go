package ratelimit

import (
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// retryAfter is the wait that callers are asked for if all their slots are taken.
const retryAfter = time.Second

// inFlight counts running requests by id.
type inFlight struct {
	limit int

	mu      sync.Mutex
	running map[string]int // without zeros, so its size is at limit the number of running requests
}

// Acquire implements [auth.ConcurrencyLimiter].
func (l *Limiter) Acquire(id string, factor int) auth.Decision {
	limit := l.inFlight.limit * factor
	n, ok := l.inFlight.acquire(id, limit)
	d := auth.Decision{OK: ok, Limit: limit, Remaining: limit - n, Concurrent: true}
	if !ok {
		d.Reset, d.Retry = l.now().Add(retryAfter), retryAfter
	}
	return d
}

// Release implements [auth.ConcurrencyLimiter].
func (l *Limiter) Release(id string) { l.inFlight.release(id) }

// acquire returns the number of running requests of id, including this one if ok is true.
func (f *inFlight) acquire(id string, limit int) (n int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n = f.running[id]
	if n >= limit {
		return n, false
	}
	f.running[id] = n + 1
	return n + 1, true
}

func (f *inFlight) release(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := f.running[id]; n > 1 {
		f.running[id] = n - 1
		return
	}
	delete(f.running, id)
}
