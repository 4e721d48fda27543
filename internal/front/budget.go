package front

import (
	"fmt"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// A budget bounds how many bytes a Front holds in memory at one time. No caller may hold more than the
// budget has left, so there is always room for one more caller.
type budget struct {
	name  string // of the bytes, in errors
	one   int64  // the bound of one key, one panel token or, without either, one network
	token int64  // the bound of all panel tokens of one key together
	all   int64  // the bound of all callers together

	mu   sync.Mutex
	used int64
	of   map[string]int64 // by caller and by the tokens of a key; without zeros
}

// newBodies returns the budget for request bodies.
func newBodies() *budget {
	return &budget{name: "bodies", one: 16 << 20, token: 32 << 20, all: 64 << 20, of: map[string]int64{}}
}

// newAnswers returns the budget for answers.
func newAnswers() *budget {
	return &budget{name: "answers", one: 32 << 20, token: 64 << 20, all: 128 << 20, of: map[string]int64{}}
}

// A claim is the part of a budget that one request uses.
type claim struct {
	from   *budget // nil before the first byte
	caller string
	tokens string // the tokens of the caller's key; empty without a token
	size   int64
}

// grow adds size bytes of budget b to c for request r. Its error is a *[LimitedError] when the caller has too
// much, and an *[UnavailableError] when all callers together have.
func (c *claim) grow(b *budget, r *Request, size int64) error {
	if c.from == nil {
		*c = claim{from: b, caller: r.sender()}
		if p := r.Principal; p != nil && p.Token != "" {
			c.tokens = "tokens " + p.Key.ID
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	own, tokens := b.of[c.caller], b.of[c.tokens]
	switch {
	case own > 0 && own+size > b.one, tokens > 0 && tokens+size > b.token:
		d := auth.Decision{Retry: time.Second, Reset: r.Now.Add(time.Second), Concurrent: true}
		return &LimitedError{Decision: d, Status: d.RateStatus(r.Now), Of: b.name}
	case b.used > 0 && own+size > b.all-b.used:
		return &UnavailableError{b.name, fmt.Errorf("%d bytes are in use, of at most %d", b.used, b.all)}
	}
	c.add(size)
	return nil
}

// shrink gives back all but size bytes.
func (c *claim) shrink(size int64) {
	if c.from == nil || size >= c.size {
		return
	}
	c.from.mu.Lock()
	defer c.from.mu.Unlock()
	c.add(size - c.size)
}

// add changes the size of c by n. c.from.mu is locked.
func (c *claim) add(n int64) {
	c.size += n
	c.from.used += n
	for _, who := range []string{c.caller, c.tokens} {
		if who == "" {
			continue
		}
		if c.from.of[who] += n; c.from.of[who] == 0 {
			delete(c.from.of, who)
		}
	}
}

// sender returns the name under which the budgets count r: its key, its panel token, or its network.
func (r *Request) sender() string {
	if p := r.Principal; p != nil {
		return "key " + p.Key.ID + " " + p.Token
	}
	return r.Network()
}
