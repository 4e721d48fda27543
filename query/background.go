package query

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/store"
)

// Partials that a question lacks are computed in the background, while a statement gives the answer: to compute them
// takes several times as long. The next question about the same is merged.

// maxWaiting bounds the questions that wait for their partials. Later ones wait until they are asked again.
const maxWaiting = 64

// background is the work of an engine that no caller waits for. One statement runs at a time.
type background struct {
	pace *store.Pace
	turn chan struct{}   // held while a statement runs and the pace rests
	ctx  context.Context //nolint:containedctx // ends with Close
	stop context.CancelFunc

	mu      sync.Mutex
	waiting []*waitingMerge
	known   map[string]bool // keys of those that wait, and of the one that runs
	ended   chan struct{}   // closed when nothing waits any more; nil: nothing does
}

func newBackground(pace *store.Pace) *background {
	b := &background{pace: pace, turn: make(chan struct{}, 1), known: map[string]bool{}}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// do runs work when it is its turn, and rests after it as [store.Pace] does.
func (b *background) do(ctx context.Context, least int, work func(context.Context) error) error {
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-b.turn }()
	return b.pace.Do(ctx, least, work)
}

// A waitingMerge lacks partials.
type waitingMerge struct {
	*merge
	key string
}

// computeLater has the partials of m computed, unless it waits already or too many others do.
func (mr *merger) computeLater(m *merge) {
	b := mr.background
	pending := &waitingMerge{m, string(m.p.AppendKey(ask.AppendKeyTexts(nil, string(m.p.Subject.Kind), m.p.Subject.ID)))}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known[pending.key] || len(b.waiting) >= maxWaiting || b.ctx.Err() != nil {
		return
	}
	b.known[pending.key], b.waiting = true, append(b.waiting, pending)
	if b.ended == nil {
		b.ended = make(chan struct{})
		go mr.computeWaiting()
	}
}

// computeWaiting computes partials until nothing waits.
func (mr *merger) computeWaiting() {
	b := mr.background
	for next := b.next(nil); next != nil; next = b.next(next) {
		mr.computePartials(b.ctx, next.merge)
	}
}

// computePartials computes what m lacks. What fails is computed when somebody asks again.
func (mr *merger) computePartials(ctx context.Context, m *merge) {
	defer func() { _ = recover() }() // whoever asks again gets the statement's answer
	g := mr.lookup(m, nil)
	g.background = true
	if g.load(ctx) == nil {
		_, _ = g.gather(ctx)
	}
}

// next takes the first waiting question after done was computed. It returns nil if none waits or the engine was closed.
func (b *background) next(done *waitingMerge) *waitingMerge {
	b.mu.Lock()
	defer b.mu.Unlock()
	if done != nil {
		delete(b.known, done.key)
	}
	if len(b.waiting) == 0 || b.ctx.Err() != nil {
		b.waiting = nil
		clear(b.known)
		close(b.ended)
		b.ended = nil
		return nil
	}
	first := b.waiting[0]
	b.waiting = b.waiting[1:]
	return first
}

// wait returns when nothing waits, or ctx ends.
func (b *background) wait(ctx context.Context) error {
	b.mu.Lock()
	ended := b.ended
	b.mu.Unlock()
	if ended == nil {
		return ctx.Err()
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Wait returns when the partials that earlier questions lacked are computed, or when ctx ends.
func (e *Engine) Wait(ctx context.Context) error { return e.merger.background.wait(ctx) }

// Close stops the work that no caller waits for. Call it before the store is closed. An engine answers questions after
// it, too, but computes no further partials in the background.
func (e *Engine) Close() error {
	e.merger.background.stop()
	return e.merger.background.wait(context.Background())
}

// lastAsked records the last request about each website. It is safe for concurrent use.
type lastAsked struct {
	mu sync.Mutex
	at map[store.Subject]time.Time
}

func (l *lastAsked) note(of store.Subject, now time.Time) {
	if of.Kind != store.KindWebsite {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == nil {
		l.at = map[store.Subject]time.Time{}
	}
	l.at[of] = now
}

// order returns a comparison of websites, as they were asked about so far: the last one comes first.
func (l *lastAsked) order() func(a, b store.Subject) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := maps.Clone(l.at)
	return func(a, b store.Subject) int { return at[b].Compare(at[a]) }
}
