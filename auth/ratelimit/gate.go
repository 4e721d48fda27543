package ratelimit

import (
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// crowded is how long callers are told to wait when all their places are taken.
const crowded = time.Second

// A gate counts the requests that run, by whose they are.
type gate struct {
	most int

	mu      sync.Mutex
	running map[string]int // no zeros: it is as large as the number of requests
}

// Enter implements [auth.Gate].
func (l *Limiter) Enter(id string) auth.Decision {
	n, ok := l.gate.enter(id)
	d := auth.Decision{OK: ok, Limit: l.gate.most, Remaining: l.gate.most - n, Concurrent: true}
	if !ok {
		d.Reset, d.Retry = l.now().Add(crowded), crowded
	}
	return d
}

// Leave implements [auth.Gate].
func (l *Limiter) Leave(id string) { l.gate.leave(id) }

// enter returns how many requests of id run, with this one if it may.
func (g *gate) enter(id string) (n int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n = g.running[id]
	if n >= g.most {
		return n, false
	}
	g.running[id] = n + 1
	return n + 1, true
}

func (g *gate) leave(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := g.running[id]; n > 1 {
		g.running[id] = n - 1
		return
	}
	delete(g.running, id)
}
