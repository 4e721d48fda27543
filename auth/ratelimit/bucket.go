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

// A table has the buckets of one class.
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

// decide says whether the bucket of id has cost, and takes it when it is to be taken.
func (t *table) decide(id string, cost, limit int, take bool) auth.Decision {
	t.mu.Lock()
	defer t.mu.Unlock()
	wall, at := t.time.read()
	b, ok := t.buckets.Get(id)
	if !ok {
		b = &bucket{limit, rate.NewLimiter(perSecond(limit), limit)}
		t.buckets.Add(id, b)
	}
	if b.limit != limit { // the key's own limit was changed
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
		// What costs more than a whole bucket never passes; a full one is all there is to wait for.
		d.Retry = refill(min(float64(cost), float64(limit))-left, limit)
	}
	return d
}

func perSecond(limit int) rate.Limit { return rate.Limit(float64(limit) / auth.Window.Seconds()) }

// refill is how long it takes for tokens to come, and a nanosecond more at most.
func refill(tokens float64, limit int) time.Duration {
	return time.Duration(math.Ceil(max(tokens, 0) / float64(limit) * float64(auth.Window)))
}

// A timeline is time that never goes back. A bucket that was filled up to a time which the
// clock then stepped back from would refuse until that time came again.
type timeline struct {
	now  func() time.Time
	last time.Time // of the clock
	at   time.Time // ours
}

// read returns the clock's time, and ours.
func (t *timeline) read() (wall, at time.Time) {
	wall = t.now()
	if ahead := wall.Sub(t.last); ahead > 0 {
		t.at = t.at.Add(ahead)
	}
	t.last = wall
	return wall, t.at
}
