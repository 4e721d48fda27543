package httpapi

import (
	"context"
	"slices"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/lru"
	"github.com/sightline-analytics/sightline/query"
)

// addressBytes bounds the cached addresses. longestAddress is the maximum size of a cached one in bytes.
const (
	addressBytes   = 8 << 20
	longestAddress = 2 << 10
)

// An address is the decoded query of a URL. It is shared and must not be changed.
type address struct {
	subject auth.Resource // without its owner; of several websites empty
	queries []query.Decoded
	bom     bool
}

// addresses caches the decoded queries of valid URLs, since dashboards repeat them. The cache does not contain
// permissions.
type addresses struct{ known *lru.Cache[string, address] }

func newAddresses() addresses { return addresses{lru.New[string, address](addressBytes)} }

// add stores the decoded query of text.
func (all addresses) add(text string, asks address) {
	const fixed, decoded = 1000, 8 // a decoded query takes some times as much as its text
	if len(text) <= longestAddress {
		all.known.Add(text, asks, fixed+decoded*int64(len(text)))
	}
}

// allowAddress is like allowSubject, but uses the cache.
func (a *api) allowAddress(ctx context.Context, r *front.Request, q *question) error {
	known, ok := a.addresses.known.Get(r.URL.RawQuery)
	if !ok {
		return a.allowSubject(ctx, r, q)
	}
	if r.Resource, q.queries, q.bom = known.subject, known.queries, known.bom; known.subject.ID == "" {
		return a.allowSubject(ctx, r, q)
	}
	return a.permitOn(ctx, r, r.Route.May, "")
}

// readAddress decodes a query from the URL, unless it came from the cache.
func (a *api) readAddress(ctx context.Context, r *front.Request, q *question) error {
	if q.queries == nil {
		if err := a.parseAddress(ctx, r, q); err != nil {
			return err
		}
		var of auth.Resource
		if q.websites == nil {
			of = auth.Resource{Kind: r.Resource.Kind, ID: r.Resource.ID}
		}
		a.addresses.add(r.URL.RawQuery, address{of, q.queries, q.bom})
	}
	if err := a.findName(ctx, r, q); err != nil {
		return err
	}
	if q.websites != nil || !q.queries[0].Request.UsesSaved() {
		return nil
	}
	q.queries = slices.Clone(q.queries) // those in the cache keep the names
	bad, err := a.resolveSaved(ctx, r, q)
	if err == nil && bad[0] != nil {
		err = bad[0]
	}
	return err
}
