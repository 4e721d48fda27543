package auth

import (
	"context"
	"errors"
	"math"
	"strconv"
)

// TokensFactor times a key's limit is the common limit of all its panel tokens.
const TokensFactor = 10

// OwnerFactor times a key's limit is the common limit of all keys of its owner with that limit. Their panel tokens have
// [TokensFactor] times as much.
const OwnerFactor = 10

// Token returns the class for the requests of one panel token. It has the limit of c.
func (c Class) Token() Class { return c + "-token" }

// Tokens returns the class for the requests of all panel tokens of a key together. Its limit is
// [TokensFactor] times the limit of c.
func (c Class) Tokens() Class { return c + "-tokens" }

// Owner returns the class for the requests of all keys of an owner together. Its limit is [OwnerFactor] times the limit
// of c.
func (c Class) Owner() Class { return c + "-owner" }

// A Share is the rate of a key that counts the requests of the keys that it made, too.
type Share struct {
	Key    string  `json:"key"`              // the id of the key that made the other one
	Limits *Limits `json:"limits,omitempty"` // its limit at that time; nil means the defaults
}

// MaxShares is the largest number of Shares of a key.
const MaxShares = 4

// shares returns the Shares of a key that k makes. If k has the limit of its own maker, the rate of the maker also
// bounds k and everything that k makes.
func (k *Key) shares() []Share {
	all := cloneShares(k.Shares)
	if n := len(all); n > 0 && sameLimits(all[n-1].Limits, k.Limits) {
		return all
	}
	return append(all, Share{Key: k.ID, Limits: k.Limits.clone()})
}

func cloneShares(all []Share) []Share {
	if all == nil {
		return nil
	}
	copied := make([]Share, len(all))
	for i, s := range all {
		copied[i] = Share{Key: s.Key, Limits: s.Limits.clone()}
	}
	return copied
}

func sameLimits(a, b *Limits) bool { return a == b || a != nil && b != nil && *a == *b }

func (l *Limits) clone() *Limits {
	if l == nil {
		return nil
	}
	return new(*l)
}

// times returns n times l.
func (l *Limits) times(n int) *Limits {
	if l == nil {
		return nil
	}
	return &Limits{PerMinute: min(l.PerMinute, math.MaxInt/n) * n}
}

// buckets returns the buckets that a request of p takes from: the bucket of the key or token, the buckets of the keys
// that made the key, and the bucket of the owner. The bucket of a key does not count the requests of its tokens.
func (p *Principal) buckets(class Class) []Bucket {
	k := p.Key
	own, owner := Bucket{class, k.ID, k.Limits}, Bucket{class.Owner(), k.Owner, k.Limits.times(OwnerFactor)}
	if k.Limits != nil { // buckets of other limits would change this one at each request
		owner.ID += "/" + strconv.Itoa(k.Limits.PerMinute)
	}
	if p.Token == "" {
		all := append(make([]Bucket, 0, 2+len(k.Shares)), own)
		for _, s := range k.Shares {
			all = append(all, Bucket{class, s.Key, s.Limits})
		}
		return append(all, owner)
	}
	own.Class, own.ID = class.Token(), k.ID+"/"+p.Token
	all := []Bucket{own, {class.Tokens(), k.ID, k.Limits.times(TokensFactor)}}
	for _, s := range k.Shares {
		all = append(all, Bucket{class.Tokens(), s.Key, s.Limits.times(TokensFactor)})
	}
	owner.Class, owner.Limits = class.Owner().Tokens(), owner.Limits.times(TokensFactor)
	return append(all, owner)
}

// Charge takes cost from all buckets that count the requests of p in class, or from none:
//
//   - the bucket of the key, or of the panel token,
//   - for a token, a bucket that all tokens of the key share: so panels do not use up the limit of the key, and minting
//     many tokens does not raise the limit,
//   - the buckets of the keys that made the key, directly or indirectly: so making keys does not raise the limit,
//   - a bucket that all keys of the owner with this limit share, or all their tokens.
//
// It returns the decision of the first bucket, with the least Remaining of all, or the decision of one that refuses.
func (p *Principal) Charge(ctx context.Context, l Limiter, class Class, cost int) (Decision, error) {
	decisions, err := allowAll(ctx, l, p.Key.Owner, p.buckets(class), cost)
	if err != nil {
		return Decision{}, err
	}
	if len(decisions) == 0 { // a limiter of a host may do so
		return Decision{}, errors.New("auth: the limiter decided nothing")
	}
	if last := decisions[len(decisions)-1]; !last.OK {
		return last, nil
	}
	first := decisions[0]
	for _, d := range decisions[1:] {
		if d.Limit > 0 && d.Remaining < first.Remaining {
			first.Remaining, first.Reset = d.Remaining, d.Reset
		}
	}
	return first, nil
}

// allowAll is [GroupLimiter.AllowAll] for every Limiter.
func allowAll(ctx context.Context, l Limiter, owner string, buckets []Bucket, cost int) ([]Decision, error) {
	if group, ok := l.(GroupLimiter); ok {
		return group.AllowAll(ctx, owner, buckets, cost)
	}
	decisions := make([]Decision, 0, len(buckets))
	for i, b := range buckets {
		d, err := l.Allow(ctx, b.Class, b.ID, cost, b.Limits)
		decisions = append(decisions, d)
		if err != nil || !d.OK {
			for _, taken := range buckets[:i] {
				_, _ = l.Allow(ctx, taken.Class, taken.ID, -cost, taken.Limits) // the refusal counts
			}
			return decisions, err
		}
	}
	return decisions, nil
}

// Acquire takes one of the slots for concurrent requests of each caller that p belongs to, or none: of the key or the
// panel token, of all tokens of the key together ([TokensFactor] times as many), of the keys that made the key, and of
// its owner ([OwnerFactor] times as many, and for tokens [TokensFactor] times that). release is nil after a refusal.
// Otherwise the caller must call it exactly once, after the request ended.
func (p *Principal) Acquire(l ConcurrencyLimiter) (d Decision, release func()) {
	type slot struct {
		id     string
		factor int
	}
	k, kind, factor := p.Key, "", 1
	all := make([]slot, 0, 3+len(k.Shares))
	if p.Token != "" {
		all = append(all, slot{k.ID + "/" + p.Token, 1})
		kind, factor = "/tokens", TokensFactor
	}
	all = append(all, slot{k.ID + kind, factor})
	for _, s := range k.Shares {
		all = append(all, slot{s.Key + kind, factor})
	}
	all = append(all, slot{"owner " + k.Owner + kind, factor * OwnerFactor})
	giveBack := func(n int) {
		for _, taken := range all[:n] {
			l.Release(taken.id)
		}
	}
	for i, s := range all {
		got := l.Acquire(s.id, s.factor)
		if !got.OK {
			giveBack(i)
			return got, nil
		}
		if i == 0 {
			d = got
		}
	}
	return d, func() { giveBack(len(all)) }
}
