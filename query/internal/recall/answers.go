// Package recall remembers answers, and computes the answer to equal questions that are asked at the same time once.
//
//	answers := recall.New(store, 64<<20)
//	known := answers.Known(key, question)            // what package origin decides by
//	if result, ok := answers.Recall(ctx, parameter, key, budget); ok { … }
//	result, shared, err := answers.Once(ctx, parameter, question, caller, budget, compute)
//
// A key includes the versions of the days that an answer depends on. So an answer is never found after its rows
// changed.
package recall

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/sightline-analytics/sightline/internal/lru"
	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/origin"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// Answers remembers the answers to parameters, and answers equal questions that are asked at the same time once. It
// remembers parameters and not whole requests, since dashboards share them, and since an answer to a parameter does not
// show the clock.
type Answers struct {
	MaxBytes int64 // of finished
	finished *lru.Cache[Key, *finished]
	asked    *lru.Cache[Key, Key] // by questions: the key of the latest answer

	mu      sync.Mutex
	flights map[flightKey]*flight
}

// A Question is a parameter at some versions of its days.
type Question struct {
	Key Key // of its answer
	Of  Key // the same without the versions
}

// askedBytes bounds the memory for questions, of which each takes askedCost.
const (
	askedBytes = 1 << 20
	askedCost  = 200
)

// A Key is a hash of all that decides an answer: the access, the plan, and the versions of the
// days that it depends on, read before it is computed. Who asks after a write finds another one.
type Key [sha256.Size]byte

// A finished answer to a parameter. Its tables are encoded.
type finished struct {
	data              answer.Table
	previous, changes *answer.Table
	totals            *answer.Single
	identity          string // of the visitors
	notes             []string
	more              bool
	size              int64           // of a Budget
	expired           *answer.Instant // before it, rows are missing; nil: none are
}

// A flight is an answer that is being computed for all who wait for it. It ends when the last of
// them leaves, and not before.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int

	answer *finished // instead of failed
	failed answer.Result
}

// A flightKey tells flights apart. Callers do not share them: one would wait for the other's turn.
type flightKey struct {
	answer Key
	caller string
	most   int64 // bytes of an answer
}

// New returns a memory of so many bytes. It is nil if bytes is negative, and if s does not know when data changed.
func New(s store.Store, bytes int64) *Answers {
	if _, ok := s.(store.DayLister); !ok || bytes < 0 {
		return nil
	}
	return &Answers{finished: lru.New[Key, *finished](bytes), MaxBytes: bytes, flights: map[flightKey]*flight{},
		asked: lru.New[Key, Key](askedBytes)}
}

// Size returns about how many bytes the answers take.
func (a *Answers) Size() int64 { return a.finished.Size() }

// Known returns what is known of the answer with a key. question returns its question. It does not count as a use of
// the answer. If a is nil, nothing is remembered. key is nil if the answer cannot be remembered.
func (a *Answers) Known(key *Key, question func(Key) Question) (known origin.Answer) {
	if a == nil {
		return origin.Answer{Off: true}
	}
	if key == nil {
		return known
	}
	known.Lasting = true
	if known.Remembered = a.finished.Has(*key); known.Remembered {
		return known
	}
	latest, asked := a.asked.Get(question(*key).Of)
	known.Asked, known.Unchanged = asked, latest == *key
	return known
}

// Recall returns the answer that is remembered under key.
func (a *Answers) Recall(ctx context.Context, p *plan.Parameter, key *Key, budget *answer.Budget) (r answer.Result,
	ok bool) {
	f, ok := a.finished.Get(*key)
	if !ok {
		return r, false
	}
	store.MeterOf(ctx).Add(f.data.Len(), 0)
	return f.result(p, budget), true
}

// Clear forgets all answers.
func (a *Answers) Clear() {
	a.finished.Clear()
	a.asked.Clear()
}

// Once returns the answer to p and remembers it as the answer to q. All callers that ask for it at the same time share
// the work, which is compute; shared reports whether another caller began it. Its error is the context's.
func (a *Answers) Once(ctx context.Context, p *plan.Parameter, q Question, caller string, budget *answer.Budget,
	compute func(context.Context, *answer.Budget) answer.Result) (r answer.Result, shared bool, _ error) {
	f, began, err := a.join(ctx, flightKey{q.Key, caller, budget.Max()}, func(ctx context.Context, f *flight) {
		f.answer, f.failed = encoded(ctx, p, budget.Fresh(), compute)
		if f.answer != nil {
			a.finished.Add(q.Key, f.answer, f.answer.cost())
			a.asked.Add(q.Of, q.Key, askedCost)
		}
	})
	switch {
	case err != nil:
		return answer.Result{}, false, err
	case f.answer == nil:
		r = f.failed
		r.ID = p.ID
		return r, !began, nil
	case !began: // the caller that began it was counted
		store.MeterOf(ctx).Add(f.answer.data.Len(), 0)
	}
	return f.answer.result(p, budget), !began, nil
}

// join waits for the flight of key, and starts it with work if nobody did.
func (a *Answers) join(ctx context.Context, key flightKey, work func(context.Context, *flight)) (_ *flight, began bool,
	_ error) {
	a.mu.Lock()
	f, joined := a.flights[key]
	if !joined {
		flying, cancel := context.WithCancel(context.WithoutCancel(ctx))
		f = &flight{done: make(chan struct{}), cancel: cancel}
		a.flights[key] = f
		//background:stop=ctx bound=callers fails=caller
		go func() {
			work(flying, f)
			a.mu.Lock()
			a.land(key, f)
			a.mu.Unlock()
			close(f.done)
		}()
	}
	f.waiting++
	a.mu.Unlock()
	select {
	case <-f.done:
		return f, !joined, nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		a.land(key, f)
	}
	return nil, !joined, ctx.Err()
}

// land ends f: nobody joins it any more.
func (a *Answers) land(key flightKey, f *flight) {
	f.cancel()
	if a.flights[key] == f {
		delete(a.flights, key)
	}
}

// encoded computes the answer to p and encodes it, or returns the failure.
func encoded(ctx context.Context, p *plan.Parameter, budget *answer.Budget,
	compute func(context.Context, *answer.Budget) answer.Result) (f *finished, failed answer.Result) {
	r := finish.Try(p, func() answer.Result {
		r := compute(ctx, budget)
		if r.Success {
			f = encode(r, budget)
		}
		return r
	})
	if !r.Success {
		return nil, r
	}
	return f, r
}

// encode encodes an answer, whose size budget has.
func encode(r answer.Result, budget *answer.Budget) *finished {
	f := &finished{data: r.Data.Encode(), more: r.Meta.HasMore, identity: r.Meta.Identity, notes: r.Meta.Notes,
		expired: r.Meta.ExpiredBefore, size: budget.Used()}
	if r.Totals != nil {
		totals := r.Totals.Encode()
		f.totals = &totals
	}
	if r.Previous != nil {
		previous, changes := r.Previous.Encode(), r.Changes.Encode()
		f.previous, f.changes = &previous, &changes
	}
	return f
}

// result is f as the answer to p, which takes its size from budget.
func (f *finished) result(p *plan.Parameter, budget *answer.Budget) answer.Result {
	if mistake := budget.Reserve(f.size); mistake != nil {
		return finish.Failure(p, mistake)
	}
	meta := finish.ResultMeta(p.Plan, f.data.Len(), f.more)
	meta.Identity, meta.Notes, meta.ExpiredBefore = f.identity, f.notes, f.expired
	return answer.Result{Parameter: p.Name, ID: p.ID, Success: true, Data: f.data, Previous: f.previous,
		Changes: f.changes, Totals: f.totals, Meta: meta}
}

// cost is about how many bytes f takes.
func (f *finished) cost() int64 {
	const fixed = 500
	cost := fixed + f.data.Held()
	if f.previous != nil {
		cost += f.previous.Held() + f.changes.Held()
	}
	if f.totals != nil {
		cost += f.totals.Held()
	}
	for _, note := range f.notes {
		cost += int64(len(note))
	}
	return cost
}
