package query

import (
	"context"
	"crypto/sha256"

	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/recall"
	"github.com/sightline-analytics/sightline/store"
)

// DefaultResultCache bounds the bytes of remembered answers, unless Config sets another bound.
const DefaultResultCache = 64 << 20

// answerOnce returns the answer to p and remembers it under key, unless key is nil.
func (e *Engine) answerOnce(ctx context.Context, p *plan.Parameter, key *recall.Key, at *basis, caller string, budget *Budget, snapshot func() *days.Snapshot) Result {
	why := e.whyNotRemembered(p, key, at)
	compute := func(ctx context.Context, budget *Budget) Result {
		return e.answer(ctx, p, caller, budget, snapshot, why)
	}
	if key == nil {
		return compute(ctx, budget)
	}
	r, shared, err := e.answers.Once(ctx, p, at.question(p, *key), caller, budget, compute)
	if err != nil {
		return finish.Failure(p, storeFailure(err))
	}
	if shared && r.Success {
		e.note(ctx, p, Origin{Source: Remembered})
	}
	return r
}

// whyNotRemembered returns the reason why no answer to p is remembered under key. The caller has looked for one.
func (e *Engine) whyNotRemembered(p *plan.Parameter, key *recall.Key, at *basis) Reason {
	switch {
	case e.answers == nil:
		return Off
	case key == nil:
		return NotRememberable
	}
	return e.answers.Why(at.question(p, *key))
}

// forgetAnswers drops all remembered answers.
func (e *Engine) forgetAnswers() {
	if e.answers != nil {
		e.answers.Clear()
	}
}

// A basis is the first part of the keys of a request's answers: whose rows are read, of which days, and what
// versions these have.
type basis struct {
	all  []byte
	days []byte // all without the versions
}

// question returns the question of p, whose answer has that key.
func (b *basis) question(p *plan.Parameter, key recall.Key) recall.Question {
	return recall.Question{Key: key, Of: sha256.Sum256(append(b.days[:len(b.days):len(b.days)], p.Key...))}
}

// basis returns the versions that the answers of p depend on. It is nil if no answer is remembered.
func (p *Prepared) basis(ctx context.Context) *basis {
	a := p.engine.answers
	if a == nil {
		return nil
	}
	all := p.ofKeptAnswers.get(func() []Dependency { return p.dependenciesOf(p.engine.keeps) })
	if len(all) == 0 {
		return nil
	}
	b := &basis{all: keytext.Texts(nil, p.access), days: keytext.Texts(nil, p.access)}
	for _, d := range all {
		began := p.engine.now()
		days, err := a.Days.Days(ctx, d.Subject, d.From, d.To)
		store.MeterOf(ctx).Add(0, p.engine.now().Sub(began))
		if err != nil {
			return nil // the answers are computed
		}
		b.all = keytext.Numbers(b.all, d.From.Unix(), d.To.Unix(), int64(store.VersionOf(days)))
		b.days = keytext.Numbers(b.days, d.From.Unix(), d.To.Unix())
	}
	return b
}

// answerKey is the key of the answer to p on basis at; nil when it is not kept.
func (e *Engine) answerKey(p *plan.Parameter, at *basis) *recall.Key {
	if at == nil || p.Err != nil || !e.keeps(p.Plan) {
		return nil
	}
	key := recall.Key(sha256.Sum256(append(at.all[:len(at.all):len(at.all)], p.Key...)))
	return &key
}
