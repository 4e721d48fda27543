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
	// Events returns how many page events, custom events and clicks of a website are stored whose
	// time lies in the range; to is exclusive.
	Events(ctx context.Context, website string, from, to time.Time) (int64, error)
}

// How long a count of stored events stands, and of how many websites it is remembered. So much
// later a process knows what others took.
const (
	usageTTL  = time.Minute
	usageKept = 10_000
)

// A used is how many events of a website there are in a month: those stored when it was asked, and
// those that this process took since.
type used struct {
	mu     sync.Mutex // while it is asked, others wait for what it hears
	month  time.Time
	asked  time.Time
	stored int64
	taken  atomic.Int64
}

// A usageCache remembers what Usage said.
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

// events returns how many events of the month of now a website has.
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

// A quota is what one request may take of a website's.
type quota struct {
	used *used
	left int64 // when the request began, less the events that it took; others may take them, too
}

// withinQuota refuses requests for a website that has as many events this month as its rules allow.
// Months are those of UTC.
func (c *call) withinQuota(ctx context.Context, w store.Website) error {
	if w.Rules.MonthlyEvents == 0 || c.h.usage.usage == nil || c.route.kind == kindIdentify { // which is no event
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

// spend refuses the events of b from the given one on when their website has no room left for them.
// An item has one event or none.
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

// charge counts the events of b, which are stored.
func (c *call) charge(b *store.Batch) {
	for i := range b.Events {
		if q := c.quotas[b.Events[i].Website]; q != nil {
			q.used.taken.Add(1)
		}
	}
}
