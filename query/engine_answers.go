package query

import (
	"context"
	"crypto/sha256"
	"runtime/debug"
	"sync"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/lru"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// DefaultResultCache bounds the bytes of remembered answers, unless Config sets another bound.
const DefaultResultCache = 64 << 20

// answers remembers the answers to parameters, and answers equal questions that are asked at the same time once. It remembers
// parameters and not whole requests, since dashboards share them, and since an answer to a parameter does not show the clock.
type answers struct {
	versions store.Versioner
	kept     *lru.Cache[answerKey, keptAnswer]

	mu      sync.Mutex
	flights map[flightKey]*flight
}

// A keptAnswer is a *finished, or an *Encoded for a request as a whole.
type keptAnswer interface {
	cost() int64 // about how many bytes it takes
}

// An answerKey is a hash of all that decides an answer: the access, the plan, and the versions of the
// days that it depends on, read before it is computed. Who asks after a write finds another one.
type answerKey [sha256.Size]byte

// A finished answer to a parameter. Its tables are encoded.
type finished struct {
	data              Table
	previous, changes *Table
	more              bool
	size              int64 // of a Budget
}

// A flight is an answer that is being computed for all who wait for it. It ends when the last of
// them leaves, and not before.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int

	answer *finished // instead of failed
	failed Result
}

// A flightKey tells flights apart. Callers do not share them: one would wait for the other's turn.
type flightKey struct {
	answer answerKey
	caller string
	most   int64 // bytes of an answer
}

// newAnswers keeps so many bytes; nil when it keeps nothing, or s does not know when data changed.
func newAnswers(s store.Store, bytes int64) *answers {
	v, ok := s.(store.Versioner)
	if !ok || bytes < 0 {
		return nil
	}
	return &answers{versions: v, kept: lru.New[answerKey, keptAnswer](bytes), flights: map[flightKey]*flight{}}
}

// forgetAnswers drops all remembered answers.
func (e *Engine) forgetAnswers() {
	if e.answers != nil {
		e.answers.kept.Clear()
	}
}

// A basis is the first part of the keys of a request's answers: whose rows are read, of which days, and what
// versions these have.
type basis []byte

// basis returns the versions that the answers of p depend on. It is nil if no answer is remembered.
func (p *Prepared) basis(ctx context.Context) basis {
	a := p.engine.answers
	if a == nil {
		return nil
	}
	all := p.ofKeptAnswers.get(func() []Dependency { return p.dependenciesOf(p.engine.keeps) })
	if len(all) == 0 {
		return nil
	}
	b := ask.AppendKeyTexts(nil, p.access)
	for _, d := range all {
		began := p.engine.now()
		version, err := a.versions.Version(ctx, d.Subject, d.From, d.To)
		store.MeterOf(ctx).Add(0, p.engine.now().Sub(began))
		if err != nil {
			return nil // the answers are computed
		}
		b = ask.AppendKeyNumbers(b, d.From.Unix(), d.To.Unix(), int64(version))
	}
	return b
}

// answerKey is the key of the answer to p on basis at; nil when it is not kept.
func (e *Engine) answerKey(p *plan.Parameter, at basis) *answerKey {
	if at == nil || p.Err != nil || !e.keeps(p.Plan) {
		return nil
	}
	key := answerKey(sha256.Sum256(append(at[:len(at):len(at)], p.Key...)))
	return &key
}

// recall returns the answer that is remembered under key.
func (e *Engine) recall(ctx context.Context, p *plan.Parameter, key *answerKey, budget *Budget) (r Result, ok bool) {
	if key == nil {
		return r, false
	}
	kept, _ := e.answers.kept.Get(*key)
	f, ok := kept.(*finished)
	if !ok {
		return r, false
	}
	store.MeterOf(ctx).Add(f.data.Len(), 0)
	return f.result(p, budget), true
}

// answerOnce returns the answer to p and remembers it under key. All callers that ask for it at the same time share the work.
func (e *Engine) answerOnce(ctx context.Context, p *plan.Parameter, key *answerKey, caller string, budget *Budget, snapshot func() *days.Snapshot) Result {
	if key == nil {
		return e.answer(ctx, p, caller, budget, snapshot)
	}
	f, began, err := e.answers.join(ctx, flightKey{*key, caller, budget.Max()}, func(ctx context.Context, f *flight) {
		f.answer, f.failed = e.finished(ctx, p, caller, NewBudget(budget.Max()), snapshot)
		if f.answer != nil {
			e.answers.kept.Add(*key, f.answer, f.answer.cost())
		}
	})
	switch {
	case err != nil:
		return finish.Failure(p, storeFailure(err))
	case f.answer == nil:
		r := f.failed
		r.ID = p.ID
		return r
	case !began: // who began it was counted
		store.MeterOf(ctx).Add(f.answer.data.Len(), 0)
	}
	return f.answer.result(p, budget)
}

// join waits for the flight of key, and starts it with work if nobody did.
func (a *answers) join(ctx context.Context, key flightKey, work func(context.Context, *flight)) (_ *flight, began bool, _ error) {
	a.mu.Lock()
	f, joined := a.flights[key]
	if !joined {
		flying, cancel := context.WithCancel(context.WithoutCancel(ctx))
		f = &flight{done: make(chan struct{}), cancel: cancel}
		a.flights[key] = f
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
func (a *answers) land(key flightKey, f *flight) {
	f.cancel()
	if a.flights[key] == f {
		delete(a.flights, key)
	}
}

// finished computes the answer to p and encodes it. A panic would end the process here, too.
func (e *Engine) finished(ctx context.Context, p *plan.Parameter, caller string, budget *Budget, snapshot func() *days.Snapshot) (f *finished, failed Result) {
	defer func() {
		if fault := recover(); fault != nil {
			f, failed = nil, finish.Failure(p, ask.Broken("%v\n%s", fault, debug.Stack()))
		}
	}()
	r := e.answer(ctx, p, caller, budget, snapshot)
	if !r.Success {
		return nil, r
	}
	f = &finished{data: r.Data.Encode(), more: r.Meta.HasMore, size: budget.Used()}
	if r.Previous != nil {
		previous, changes := r.Previous.Encode(), r.Changes.Encode()
		f.previous, f.changes = &previous, &changes
	}
	return f, failed
}

// result is f as the answer to p, which takes its size from budget.
func (f *finished) result(p *plan.Parameter, budget *Budget) Result {
	if mistake := budget.Reserve(f.size); mistake != nil {
		return finish.Failure(p, mistake)
	}
	return Result{Parameter: p.Name, ID: p.ID, Success: true, Data: f.data, Previous: f.previous, Changes: f.changes, Meta: finish.ResultMeta(p.Plan, f.data.Len(), f.more)}
}

// cost is about how many bytes f takes.
func (f *finished) cost() int64 {
	const fixed = 500
	cost := fixed + f.data.Held()
	if f.previous != nil {
		cost += f.previous.Held() + f.changes.Held()
	}
	return cost
}
