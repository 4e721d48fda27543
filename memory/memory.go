// Package memory bounds the bytes that requests hold in memory at one time:
//
//	budget, err := memory.New(memory.Config{})
//	api, err := httpapi.New(httpapi.Config{Memory: budget, ...})
//	tracking, err := track.New(track.Config{Memory: budget, ...})
//
// Handlers that share a Budget count together: the bodies of requests while they arrive and until they are answered,
// and the rows of answers from the moment when the store has returned them until the client has read the answer.
//
// Bytes are counted by owner, key and panel token. One key, one token or, without either, one network may hold a
// quarter of the bytes, and all panel tokens of a key three eighths. An owner may hold no more than what is left. So
// there is always room for one more owner.
package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// The defaults of Config.
const (
	DefaultBodies  = 64 << 20
	DefaultAnswers = 128 << 20
)

// Small is the size in bytes up to which an answer does not count. So errors and small answers are always sent.
const Small = 64 << 10

// The errors of [Claim.Grow].
var (
	// ErrCaller means that the caller, or its owner, holds too many bytes.
	ErrCaller = errors.New("the caller holds too many bytes")
	// ErrAll means that all callers together hold too many bytes.
	ErrAll = errors.New("all callers together hold too many bytes")
)

// Config configures [New].
type Config struct {
	Bodies  int64 // bytes of bodies of requests; 0 means DefaultBodies
	Answers int64 // bytes of answers, with the rows that they are made of; 0 means DefaultAnswers
}

// A Budget bounds bytes in memory. It is safe for concurrent use.
type Budget struct {
	bodies, answers *pool
}

// New returns a Budget.
func New(cfg Config) (*Budget, error) {
	if cfg.Bodies < 0 || cfg.Answers < 0 {
		return nil, fmt.Errorf("memory: Config.Bodies (%d) and Config.Answers (%d) must not be negative", cfg.Bodies,
			cfg.Answers)
	}
	if cfg.Bodies == 0 {
		cfg.Bodies = DefaultBodies
	}
	if cfg.Answers == 0 {
		cfg.Answers = DefaultAnswers
	}
	return &Budget{newPool(cfg.Bodies, 0), newPool(cfg.Answers, Small)}, nil
}

// Default returns a new Budget with the defaults of Config.
func Default() *Budget { return &Budget{newPool(DefaultBodies, 0), newPool(DefaultAnswers, Small)} }

// A Caller is who holds bytes. Without a key, Owner is the network of the client.
type Caller struct {
	Owner, Key string
	Token      string // the panel token of Key; empty without one
}

// Body returns a claim of c for the body of a request. It holds nothing yet.
func (b *Budget) Body(c Caller) *Claim { return b.bodies.claim(c) }

// Answer returns a claim of c for an answer. It holds nothing yet.
func (b *Budget) Answer(c Caller) *Claim { return b.answers.claim(c) }

// A pool has the bytes of one kind.
type pool struct {
	all  int64 // bytes of all callers together
	free int64 // the size up to which a claim does not count

	mu   sync.Mutex
	used int64
	of   map[string]int64 // by owner, tokens of a key, and caller; without zeros
}

func newPool(all, free int64) *pool { return &pool{all: all, free: free, of: map[string]int64{}} }

func (p *pool) claim(c Caller) *Claim {
	claim := &Claim{from: p, owner: "owner " + c.Owner, caller: "caller " + c.Owner + "/" + c.Key + "/" + c.Token}
	if c.Token != "" {
		claim.tokens = "tokens " + c.Owner + "/" + c.Key
	}
	return claim
}

// A Claim is the part of a Budget that one request holds. It is safe for concurrent use. A nil Claim holds nothing.
type Claim struct {
	from                  *pool
	owner, tokens, caller string

	size    int64 // guarded by from.mu, as are the following fields
	counted int64 // 0 up to from.free, and size above it
	ended   bool
}

// Grow adds size bytes. After an error, which wraps [ErrCaller] or [ErrAll], c is as before. After [Claim.End] it adds
// nothing, because work for several requests may outlive the first of them.
func (c *Claim) Grow(size int64) error {
	p := c.from
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.ended {
		return nil
	}
	if to := c.size + size; to > p.free {
		if err := p.room(c, to-c.counted); err != nil {
			return err
		}
		c.count(to)
	}
	c.size += size
	return nil
}

// room returns an error if there is no room for size more bytes of c. A claim of a caller that holds nothing else may
// exceed the bound of a caller.
func (p *pool) room(c *Claim, size int64) error {
	owner, own, tokens := p.of[c.owner], p.of[c.caller], p.of[c.tokens]
	switch {
	case own > c.counted && own+size > p.all/4, tokens > c.counted && tokens+size > p.all*3/8,
		owner > c.counted && owner+size > p.all-p.used:
		return ErrCaller
	case p.used > owner && owner+size > p.all-p.used:
		return fmt.Errorf("%w: %d of %d", ErrAll, p.used, p.all)
	}
	return nil
}

// count changes what is counted of c. c.from.mu is locked.
func (c *Claim) count(to int64) {
	p, n := c.from, to-c.counted
	c.counted = to
	p.used += n
	for _, who := range [...]string{c.owner, c.tokens, c.caller} {
		if who == "" {
			continue
		}
		if p.of[who] += n; p.of[who] == 0 {
			delete(p.of, who)
		}
	}
}

// Size returns the bytes of c, also those that do not count.
func (c *Claim) Size() int64 {
	if c == nil {
		return 0
	}
	c.from.mu.Lock()
	defer c.from.mu.Unlock()
	return c.size
}

// Shrink gives back all but size bytes.
func (c *Claim) Shrink(size int64) {
	if c == nil {
		return
	}
	c.from.mu.Lock()
	defer c.from.mu.Unlock()
	if size >= c.size {
		return
	}
	if c.size = size; size <= c.from.free {
		size = 0
	}
	c.count(size)
}

// End gives back all bytes. c holds nothing more.
func (c *Claim) End() {
	if c == nil {
		return
	}
	c.Shrink(0)
	c.from.mu.Lock()
	defer c.from.mu.Unlock()
	c.ended = true
}

// A Guest holds bytes outside the handlers of this module, in the name of callers whom the handlers find: the body of
// a message that needs several requests, and the answers to these requests.
type Guest struct {
	// Body is the size of the message, which the first request with a known caller claims.
	Body int64

	mu     sync.Mutex
	claims []*Claim
}

// End gives back all bytes of g.
func (g *Guest) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.claims {
		c.End()
	}
	g.claims = nil
}

// Keep makes g hold c until its end.
func (g *Guest) Keep(c *Claim) {
	if c == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.claims = append(g.claims, c)
}

// TakeBody claims the Body of g for c, unless an earlier request did.
func (g *Guest) TakeBody(b *Budget, c Caller) error {
	g.mu.Lock()
	size := g.Body
	g.Body = 0
	g.mu.Unlock()
	if size == 0 {
		return nil
	}
	claim := b.Body(c)
	if err := claim.Grow(size); err != nil {
		return err
	}
	g.Keep(claim)
	return nil
}

type guestKey struct{}

// WithGuest returns a context for requests to the handlers: g then holds the bytes of their answers.
func WithGuest(ctx context.Context, g *Guest) context.Context {
	return context.WithValue(ctx, guestKey{}, g)
}

// GuestOf returns the Guest of ctx, or nil.
func GuestOf(ctx context.Context) *Guest {
	g, _ := ctx.Value(guestKey{}).(*Guest)
	return g
}
