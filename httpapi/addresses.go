package httpapi

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
)

const (
	// maxAddresses is how many addresses are remembered.
	maxAddresses = 1024
	// longestAddress is the longest that is, in bytes.
	longestAddress = 2 << 10
)

// An address is what the query of a URL asks, and of what. It is shared, and not to be changed.
type address struct {
	subject auth.Resource // without its owner
	queries []query.Decoded
}

// addresses remember what was asked without a mistake, by last use: dashboards ask the same again and again. They say
// nothing of who may ask, and are safe for concurrent use.
type addresses struct{ known *lru.Cache[string, address] }

func newAddresses() (addresses, error) {
	known, err := lru.New[string, address](maxAddresses)
	return addresses{known}, err
}

// add remembers what text asks.
func (all addresses) add(text string, asks address) {
	if len(text) <= longestAddress {
		all.known.Add(text, asks)
	}
}

// allowAddress is allowSubject, for an address that may be known.
func (a *api) allowAddress(ctx context.Context, r *front.Request, q *question) error {
	known, ok := a.addresses.known.Get(r.URL.RawQuery)
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
