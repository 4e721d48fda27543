package keycache

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// A question is a look-up under way. All who want to know the same wait for its answer.
type question struct {
	changes uint64 // of the cache when it began
	at      time.Time
	done    chan struct{}

	// The answer is set before done is closed, and not changed after.
	key     *auth.Key
	err     error
	givenUp bool // whoever asked went away, so the answer says nothing
}

// memory is what a cache can say of a digest: one of the first two, or where the answer
// will be.
type memory struct {
	key      *auth.Key // shared; callers get copies
	unknown  bool
	question *question
	mine     bool // the caller has to ask it
}

func (c *Cache) recall(d auth.Digest) memory {
	now := c.cfg.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.known.Get(d); ok && c.fresh(a.at, now) {
		return memory{key: a.key}
	}
	if at, ok := c.unknown.Get(d); ok && c.fresh(at, now) {
		return memory{unknown: true}
	}
	// A question from before a change may get the answer from before it.
	if q, ok := c.asking[d]; ok && q.changes == c.changes && c.fresh(q.at, now) {
		return memory{question: q}
	}
	q := &question{changes: c.changes, at: now, done: make(chan struct{}), givenUp: true}
	c.asking[d] = q
	return memory{question: q, mine: true}
}

// fresh reports whether an answer of an instant may still be given at now. What comes
// from the future, since a clock was set back, may not.
func (c *Cache) fresh(at, now time.Time) bool {
	age := now.Sub(at)
	return age >= 0 && age < c.cfg.TTL
}

// ask asks the store, remembers the answer and tells those who wait, also when the store
// panics.
func (c *Cache) ask(ctx context.Context, d auth.Digest, q *question) (*auth.Key, error) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.asking[d] == q {
			delete(c.asking, d)
		}
		if q.changes == c.changes && !q.givenUp {
			c.remember(d, q)
		}
		close(q.done)
	}()
	key, err := c.cfg.Store.KeyByDigest(ctx, d)
	q.key, q.err = clone(key), err
	q.givenUp = err != nil && ctx.Err() != nil
	return key, err
}

func (c *Cache) remember(d auth.Digest, q *question) {
	c.known.Remove(d)
	c.unknown.Remove(d)
	switch {
	case q.err == nil && q.key != nil:
		c.known.Add(d, answer{q.key, q.at})
		c.of[q.key.ID] = append(c.of[q.key.ID], d)
	case errors.Is(q.err, auth.ErrNotFound):
		c.unknown.Add(d, q.at)
	}
}

// dropped runs whenever an answer leaves the list of those that are known.
func (c *Cache) dropped(d auth.Digest, a answer) {
	rest := slices.DeleteFunc(slices.Clone(c.of[a.key.ID]), func(x auth.Digest) bool { return x == d })
	if len(rest) == 0 {
		delete(c.of, a.key.ID)
		return
	}
	c.of[a.key.ID] = rest
}
