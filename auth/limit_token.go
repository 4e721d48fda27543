package auth

import (
	"context"
	"math"
)

// TokensFactor times a key's limit is the limit of all its panel tokens together.
const TokensFactor = 10

// Token is the class of one panel token's requests of class c; its limit is that of c.
func (c Class) Token() Class { return c + "-token" }

// Tokens is the class of the requests of all panel tokens of a key; its limit is
// [TokensFactor] times that of c.
func (c Class) Tokens() Class { return c + "-tokens" }

// Charge takes cost from the bucket of p's key in class. For a panel token it takes it instead from the
// token's own bucket and from the one that all tokens of the key share, so that panels do not use up
// the key's limit, and minting many tokens does not raise it. The Decision is that of the token's own
// bucket, unless the shared one refuses. A refusal by one takes nothing from the other, except when
// concurrent requests race for the rest of the shared bucket: then a token's own may be charged for a
// refusal.
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
	if short { // that knows for how long; and what came back just now is taken
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

// Acquire takes one of p's slots for requests at the same time. A panel token takes one of its own and
// one that all tokens of the key share, of which there are [TokensFactor] times as many, so that no
// token can use up those of others. release is nil after a refusal; else it must be called exactly
// once, when the request has ended.
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
