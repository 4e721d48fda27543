package httpapi

import (
	"context"
	"sync"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
)

const (
	// maxAddresses is how many addresses are remembered, half of them in any case.
	maxAddresses = 1024
	// longestAddress is the longest that is, in bytes.
	longestAddress = 2 << 10
)

// An address is what the query of a URL asks, and of what. It is shared, and not to be changed.
type address struct {
	subject auth.Resource // without its owner
	queries []query.Decoded
}

// addresses remember what was asked without a mistake: dashboards ask the same again and again. It says
// nothing of who may ask. It is safe for concurrent use.
type addresses struct {
	mu sync.Mutex
	// Two generations do for a list by last use: what is asked for moves into the newer one, and the
	// older one is dropped when the newer one is full.
	newer, older map[string]address
}

// get is what text asks, if it is remembered.
func (all *addresses) get(text string) (known address, ok bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if known, ok = all.newer[text]; ok {
		return known, true
	}
	if known, ok = all.older[text]; ok {
		all.put(text, known)
	}
	return known, ok
}

// add remembers what text asks.
func (all *addresses) add(text string, asks address) {
	if len(text) > longestAddress {
		return
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.put(text, asks)
}

func (all *addresses) put(text string, asks address) {
	if all.newer == nil || len(all.newer) >= maxAddresses/2 {
		all.older, all.newer = all.newer, map[string]address{}
	}
	all.newer[text] = asks
}

// allowAddress is allowSubject, for an address that may be known.
func (a *api) allowAddress(ctx context.Context, r *front.Request, q *question) error {
	known, ok := a.addresses.get(r.URL.RawQuery)
	if !ok {
		return a.allowSubject(ctx, r, q)
	}
	r.Resource, q.queries = known.subject, known.queries
	return a.allowResource(ctx, r)
}

// readAddress takes one query from the address, unless it was known.
func (a *api) readAddress(ctx context.Context, r *front.Request, q *question) error {
	if q.queries != nil {
		return nil
	}
	if err := a.parseAddress(ctx, r, q); err != nil {
		return err
	}
	a.addresses.add(r.URL.RawQuery, address{auth.Resource{Kind: r.Resource.Kind, ID: r.Resource.ID}, q.queries})
	return nil
}
