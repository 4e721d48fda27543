package query

import (
	"context"
	"crypto/sha256"

	"github.com/sightline-analytics/sightline/query/internal/finish"
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

// answerOnce returns the answer to p and remembers it under key, unless key is nil.
func (s *Snapshot) answerOnce(ctx context.Context, p *plan.Parameter, key *recall.Key, at *basis,
	budget *Budget) Result {
	e := s.p.engine
	why := e.whyNotRemembered(p, key, at)
	compute := func(ctx context.Context, budget *Budget) Result { return s.answer(ctx, p, budget, why) }
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

// answerKey is the key of the answer to p on basis at; nil when it is not kept.
func (e *Engine) answerKey(p *plan.Parameter, at *basis) *recall.Key {
	if at == nil || p.Err != nil || !e.keeps(p.Plan) {
		return nil
	}
	key := recall.Key(sha256.Sum256(append(at.all[:len(at.all):len(at.all)], p.Key...)))
	return &key
}
