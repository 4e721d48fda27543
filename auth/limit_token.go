package auth

import (
	"context"
	"math"
)

// TokensFactor is how many times a key's limit all of its panel tokens have together.
const TokensFactor = 10

// Token is the class of one panel token's requests of class c; its limit is that of c.
func (c Class) Token() Class { return c + "-token" }

// Tokens is the class of the requests of all panel tokens of a key; its limit is
// [TokensFactor] times that of c.
func (c Class) Tokens() Class { return c + "-tokens" }

// Charge takes cost from the bucket of p's key in class. For a panel token it takes it
// from the token's own and from that of all the key's tokens instead, so that who shows
// a panel does not use up the key, and who mints tokens gets no more by minting many.
// The answer is that of the token's own bucket, unless the other says no.
func (p *Principal) Charge(ctx context.Context, l Limiter, class Class, cost int) (Decision, error) {
	own := p.Key.Limits
	if p.Token == "" {
		return l.Allow(ctx, class, p.Key.ID, cost, own)
	}
	d, err := l.Allow(ctx, class.Token(), p.Key.ID+"/"+p.Token, cost, own)
	if err != nil || !d.OK {
		return d, err
	}
	if own != nil {
		own = &Limits{PerMinute: min(own.PerMinute, math.MaxInt/TokensFactor) * TokensFactor}
	}
	if all, err := l.Allow(ctx, class.Tokens(), p.Key.ID, cost, own); err != nil || !all.OK {
		return all, err
	}
	return d, nil
}

// Place is by what a [Gate] counts p: the key, or all panel tokens of the key together.
func (p *Principal) Place() string {
	if p.Token == "" {
		return p.Key.ID
	}
	return p.Key.ID + "/tokens"
}
