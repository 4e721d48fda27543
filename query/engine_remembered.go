package query

import (
	"context"
	"crypto/sha256"

	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/origin"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/recall"
)

// DefaultResultCache is about how many bytes of memory remembered answers take, unless Config sets another bound.
const DefaultResultCache = 32 << 20

// ResultCache returns about how many bytes of memory remembered answers may take. 0 means that no answer is remembered.
func (e *Engine) ResultCache() int64 {
	if e.answers == nil {
		return 0
	}
	return e.answers.MaxBytes
}

// known returns what is known of the remembered answer to p under key.
func (e *Engine) known(p *plan.Parameter, key *recall.Key, at *basis) origin.Facts {
	question := func(key recall.Key) recall.Question { return at.question(p, key) }
	return origin.Facts{Answer: e.answers.Known(key, question)}
}

// recall returns the answer to p if it is remembered under key. facts says whether it is.
func (s *Snapshot) recall(ctx context.Context, p *plan.Parameter, key *recall.Key, facts *origin.Facts,
	budget *Budget) (r Result, ok bool) {
	e, d := s.p.engine, origin.Decide(*facts)
	if d.Source != Remembered {
		return r, false
	}
	if r, ok = e.answers.Recall(ctx, p, key, budget); ok && r.Success {
		e.note(ctx, p, d.Origin)
	}
	facts.Answer.Remembered = ok // others may have taken its room
	facts.Answer.Asked, facts.Answer.Unchanged = true, true
	return r, ok
}

// answerOnce returns the answer to p and remembers it under key, unless key is nil.
func (s *Snapshot) answerOnce(ctx context.Context, p *plan.Parameter, key *recall.Key, at *basis, facts origin.Facts,
	budget *Budget) Result {
	e := s.p.engine
	compute := func(ctx context.Context, budget *Budget) Result { return s.answer(ctx, p, budget, facts) }
	if key == nil {
		return finish.Try(p, func() Result { return compute(ctx, budget) })
	}
	r, shared, err := e.answers.Once(ctx, p, at.question(p, *key), s.p.caller, budget, compute)
	if err != nil {
		return finish.Failure(p, storeFailure(err))
	}
	if shared && r.Success {
		e.note(ctx, p, Origin{Source: Remembered})
	}
	return r
}

// forgetAnswers drops all remembered answers. Responses that hosts remember get another key.
func (e *Engine) forgetAnswers() {
	e.rebuilt.Add(1)
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

// answerKey is the key of the answer to p on basis at; nil if it is not remembered.
func (e *Engine) answerKey(p *plan.Parameter, at *basis) *recall.Key {
	if at == nil || p.Err != nil || !e.remembers(p.Plan) {
		return nil
	}
	key := recall.Key(sha256.Sum256(append(at.all[:len(at.all):len(at.all)], p.Key...)))
	return &key
}
