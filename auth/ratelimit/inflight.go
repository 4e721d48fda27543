package ratelimit

import (
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// crowded is how long callers are told to wait when all their places are taken.
const crowded = time.Second

// An inFlight counts the requests that run, by whose they are.
type inFlight struct {
	most int

	mu      sync.Mutex
	running map[string]int // no zeros: it is as large as the number of requests
}

// Enter implements [auth.ConcurrencyLimiter].
func (l *Limiter) Enter(id string) auth.Decision {
	n, ok := l.inFlight.enter(id)
	d := auth.Decision{OK: ok, Limit: l.inFlight.most, Remaining: l.inFlight.most - n, Concurrent: true}
	if !ok {
		d.Reset, d.Retry = l.now().Add(crowded), crowded
	}
	return d
}

// Leave implements [auth.ConcurrencyLimiter].
func (l *Limiter) Leave(id string) { l.inFlight.leave(id) }

// enter returns how many requests of id run, with this one if it may.
func (f *inFlight) enter(id string) (n int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n = f.running[id]
	if n >= f.most {
		return n, false
	}
	f.running[id] = n + 1
	return n + 1, true
}

func (f *inFlight) leave(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := f.running[id]; n > 1 {
		f.running[id] = n - 1
		return
	}
	delete(f.running, id)
}
