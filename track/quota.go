package track

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sightline-analytics/sightline/internal/lru"
	"github.com/sightline-analytics/sightline/store"
)

// Usage counts stored events.
type Usage interface {
	// Events returns the number of stored page events, custom events and clicks of a website from from until before
	// to.
	Events(ctx context.Context, website string, from, to time.Time) (int64, error)
}

// NoQuotas is a Usage for hosts whose websites have no quotas. It ignores [store.Rules.MonthlyEvents].
var NoQuotas Usage = noQuotas{}

type noQuotas struct{}

func (noQuotas) Events(context.Context, string, time.Time, time.Time) (int64, error) { return 0, nil }

// usageTTL is the lifetime of a cached count of stored events. For this time a process may not notice events that
// other processes accepted. usageBytes bounds the cache, to some 10 000 websites; beyond it the website that was used
// least recently leaves.
const (
	usageTTL   = time.Minute
	usageBytes = 3 << 20
	usageCost  = 300 // bytes of one website beside its id
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
	usage Usage // nil means that quotas are ignored
	by    *lru.Cache[string, *used]
}

func newUsageCache(usage Usage) *usageCache {
	return &usageCache{usage, lru.New[string, *used](usageBytes)}
}

// of returns the count of a website, which concurrent requests share.
func (u *usageCache) of(website string) *used {
	return u.by.GetOrAdd(website, func() *used { return &used{} }, usageCost+int64(len(website)))
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
	// number of events left when the request began, minus its accepted events; concurrent requests are not subtracted
	left int64
}

// quotas are the quotas of the websites of one request.
type quotas struct {
	usage   *usageCache
	website map[string]*quota // only websites with a quota
}

// open reports whether the website has events left in the month of now, in UTC.
func (q *quotas) open(ctx context.Context, w store.Website, now time.Time) (left bool, err error) {
	if w.Rules.MonthlyEvents == 0 || q.usage.usage == nil {
		return true, nil
	}
	one := q.usage.of(w.ID)
	n, err := q.usage.events(ctx, one, w.ID, now)
	if err != nil || n >= w.Rules.MonthlyEvents {
		return false, err
	}
	if q.website == nil {
		q.website = map[string]*quota{}
	}
	q.website[w.ID] = &quota{one, w.Rules.MonthlyEvents - n}
	return true, nil
}

// spend takes one event of a website, and reports whether one was left.
func (q *quotas) spend(website string) bool {
	one := q.website[website]
	if one == nil {
		return true
	}
	if one.left == 0 {
		return false
	}
	one.left--
	return true
}

// charge counts the stored events of b.
func (q *quotas) charge(b *store.Batch) {
	for i := range b.Events {
		if one := q.website[b.Events[i].Website]; one != nil {
			one.used.taken.Add(1)
		}
	}
}
