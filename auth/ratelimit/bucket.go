package ratelimit

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"

	"github.com/sightline-analytics/sightline/auth"
)

// A table holds the buckets of one class.
type table struct {
	limit int

	mu      sync.Mutex
	time    timeline
	buckets *simplelru.LRU[string, *bucket]
}

type bucket struct {
	limit  int
	tokens *rate.Limiter
}

func newTable(limit, size int, now func() time.Time) (*table, error) {
	buckets, err := simplelru.NewLRU[string, *bucket](size, nil)
	if err != nil {
		return nil, fmt.Errorf("ratelimit: %w", err)
	}
	return &table{limit: limit, time: timeline{now: now}, buckets: buckets}, nil
}

// decide reports whether the bucket of id contains cost. If take is set, it takes the cost.
func (t *table) decide(id string, cost, limit int, take bool) auth.Decision {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.decideLocked(id, cost, limit, take)
}

// decideLocked is decide for a caller that holds the lock.
func (t *table) decideLocked(id string, cost, limit int, take bool) auth.Decision {
	wall, at := t.time.read()
	b, ok := t.buckets.Get(id)
	if !ok {
		b = &bucket{limit, rate.NewLimiter(perSecond(limit), limit)}
		t.buckets.Add(id, b)
	}
	if b.limit != limit { // the key's own limit has changed
		b.tokens.SetLimitAt(at, perSecond(limit))
		b.tokens.SetBurstAt(at, limit)
		b.limit = limit
	}
	d := auth.Decision{Limit: limit}
	if take {
		d.OK = b.tokens.AllowN(at, cost)
	}
	left := max(b.tokens.TokensAt(at), 0)
	if !take {
		d.OK = left >= float64(cost)
	}
	d.Remaining = int(left)
	d.Reset = wall.Add(refill(float64(limit)-left, limit))
	if !d.OK {
		// A cost above the limit never passes. The longest useful wait is for a full bucket.
		d.Retry = refill(min(float64(cost), float64(limit))-left, limit)
	}
	return d
}

func perSecond(limit int) rate.Limit { return rate.Limit(float64(limit) / auth.Window.Seconds()) }

// refill returns the time in which tokens refill, rounded up to the next nanosecond.
func refill(tokens float64, limit int) time.Duration {
	return time.Duration(math.Ceil(max(tokens, 0) / float64(limit) * float64(auth.Window)))
}

// A timeline is a clock that never goes back. Without it, a step back of the system clock would block
// buckets until the clock reaches its old time again.
type timeline struct {
	now  func() time.Time
	last time.Time // last time of the system clock
	at   time.Time // last time of the timeline
}

// read returns the time of the system clock and of the timeline.
func (t *timeline) read() (wall, at time.Time) {
	wall = t.now()
	if ahead := wall.Sub(t.last); ahead > 0 {
		t.at = t.at.Add(ahead)
	}
	t.last = wall
	return wall, t.at
}
