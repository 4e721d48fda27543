package auth

import (
	"context"
	"math"
)

// TokensFactor times a key's limit is the common limit of all its panel tokens.
const TokensFactor = 10

// Token returns the class for the requests of one panel token. It has the limit of c.
func (c Class) Token() Class { return c + "-token" }

// Tokens returns the class for the requests of all panel tokens of a key together. Its limit is
// [TokensFactor] times the limit of c.
func (c Class) Tokens() Class { return c + "-tokens" }

// Charge takes cost from the bucket of p's key in class. For a panel token it takes cost from two other
// buckets: the bucket of the token, and a bucket that all tokens of the key share. So panels do not use up the
// limit of the key, and minting many tokens does not raise the limit. Charge returns the decision of the token's
// bucket, unless the shared bucket refuses. If one of the buckets refuses, the other one is not charged. There is
// one exception: if several requests compete for the rest of the shared bucket, a token's bucket may be charged for
// a request that is refused.
func (p *Principal) Charge(ctx context.Context, l Limiter, class Class, cost int) (Decision, error) {
	own := p.Key.Limits
	if p.Token == "" {
		return l.Allow(ctx, class, p.Key.ID, cost, own)
	}
	together := own
	if own != nil {
		together = &Limits{PerMinute: min(own.PerMinute, math.MaxInt/TokensFactor) * TokensFactor}
	}
	all, err := l.Allow(ctx, class.Tokens(), p.Key.ID, 0, together)
	short := err == nil && all.Limit > 0 && all.Remaining < cost
	if short { // this call returns the time to wait, or succeeds if the bucket has refilled in the meantime
		all, err = l.Allow(ctx, class.Tokens(), p.Key.ID, cost, together)
	}
	if err != nil || !all.OK {
		return all, err
	}
	d, err := l.Allow(ctx, class.Token(), p.Key.ID+"/"+p.Token, cost, own)
	if err != nil || !d.OK || short {
		return d, err
	}
	if all, err = l.Allow(ctx, class.Tokens(), p.Key.ID, cost, together); err != nil || !all.OK {
		return all, err
	}
	return d, nil
}

// Acquire takes one of p's slots for concurrent requests. A panel token takes a slot of the token, and a slot that
// all tokens of the key share. There are [TokensFactor] times as many shared slots, so no token can use up the slots
// of the others. release is nil after a refusal. Otherwise the caller must call it exactly once, after the request
// ended.
func (p *Principal) Acquire(l ConcurrencyLimiter) (d Decision, release func()) {
	if p.Token == "" {
		if d = l.Acquire(p.Key.ID, 1); !d.OK {
			return d, nil
		}
		return d, func() { l.Release(p.Key.ID) }
	}
	own, all := p.Key.ID+"/"+p.Token, p.Key.ID+"/tokens"
	if d = l.Acquire(all, TokensFactor); !d.OK {
		return d, nil
	}
	if d = l.Acquire(own, 1); !d.OK {
		l.Release(all)
		return d, nil
	}
	return d, func() {
		l.Release(own)
		l.Release(all)
	}
}
