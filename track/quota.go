package track

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// Usage counts stored events.
type Usage interface {
	// Events returns the number of stored page events, custom events and clicks of a website from from until before
	// to.
	Events(ctx context.Context, website string, from, to time.Time) (int64, error)
}

// usageTTL is the lifetime of a cached count of stored events. For this time a process may not notice events that
// other processes accepted. usageKept is the maximum number of websites in the cache.
const (
	usageTTL  = time.Minute
	usageKept = 10_000
)

// A used counts the events of a website in a month: the stored events at the last query, and the events that this
// process accepted since then.
type used struct {
	mu     sync.Mutex // held during a query, so that other requests wait for the result
	month  time.Time
	asked  time.Time
	stored int64
	taken  atomic.Int64
}

// A usageCache caches the results of Usage.
type usageCache struct {
	usage Usage

	mu sync.Mutex
	by map[string]*used
}

func (u *usageCache) of(website string) *used {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.by == nil || len(u.by) == usageKept {
		u.by = map[string]*used{}
	}
	one := u.by[website]
	if one == nil {
		one = &used{}
		u.by[website] = one
	}
	return one
}

// events returns the number of a website's events in the month of now.
func (u *usageCache) events(ctx context.Context, one *used, website string, now time.Time) (int64, error) {
	one.mu.Lock()
	defer one.mu.Unlock()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	if !month.Equal(one.month) || now.Sub(one.asked) >= usageTTL {
		n, err := u.usage.Events(ctx, website, month, month.AddDate(0, 1, 0))
		if err != nil {
			return 0, err
		}
		one.month, one.asked, one.stored = month, now, n
		one.taken.Store(0)
	}
	return one.stored + one.taken.Load(), nil
}

// A quota is the part of a website's quota that one request may use.
type quota struct {
	used *used
	left int64 // number of events left when the request began, minus its accepted events; concurrent requests are not subtracted
}

// withinQuota returns an error if the website has used up its events of the month, in UTC.
func (c *call) withinQuota(ctx context.Context, w store.Website) error {
	if w.Rules.MonthlyEvents == 0 || c.h.usage.usage == nil || c.route.kind == kindIdentify { // identifications are not events
		return nil
	}
	one := c.h.usage.of(w.ID)
	n, err := c.h.usage.events(ctx, one, w.ID, c.now)
	if err != nil {
		return codeQuotaDown.withCause(err)
	}
	if n >= w.Rules.MonthlyEvents {
		return c.turnAway(ctx, codeQuota, w.ID)
	}
	if c.quotas == nil {
		c.quotas = map[string]*quota{}
	}
	c.quotas[w.ID] = &quota{one, w.Rules.MonthlyEvents - n}
	return nil
}

// spend returns an error if the website of an event in b, from the given index on, has no events left. An item has at
// most one event.
func (c *call) spend(ctx context.Context, b *store.Batch, from int) error {
	for i := from; i < len(b.Events); i++ {
		website := b.Events[i].Website
		q := c.quotas[website]
		if q == nil {
			continue
		}
		if q.left == 0 {
			b.Events = b.Events[:from]
			return c.turnAway(ctx, codeQuota, website)
		}
		q.left--
	}
	return nil
}

// charge counts the stored events of b.
func (c *call) charge(b *store.Batch) {
	for i := range b.Events {
		if q := c.quotas[b.Events[i].Website]; q != nil {
			q.used.taken.Add(1)
		}
	}
}
