package merge

import (
	"context"
	"sync"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
	"github.com/sightline-analytics/sightline/query/internal/origin"
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
	Stop context.CancelFunc

	mu      sync.Mutex
	waiting []*waitingMerge
	known   map[string]bool // keys of those that wait, and of the one that runs
	ended   chan struct{}   // closed when nothing waits any more; nil: nothing does
}

func newBackground(pace *store.Pace) *background {
	b := &background{pace: pace, turn: make(chan struct{}, 1), known: map[string]bool{}}
	b.ctx, b.Stop = context.WithCancel(context.Background())
	return b
}

// Do runs work when it is its turn, and rests after it as [store.Pace] does.
func (b *background) Do(ctx context.Context, least int, work func(context.Context) error) error {
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
	*Merge
	key string
}

// computeLater has the partials of m computed, unless it waits already or too many others do.
func (mr *Merger) computeLater(m *Merge) {
	b := mr.Background
	pending := &waitingMerge{m, string(m.p.AppendKey(keytext.Texts(nil, string(m.p.Subject.Kind), m.p.Subject.ID)))}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known[pending.key] || len(b.waiting) >= maxWaiting || b.ctx.Err() != nil {
		return
	}
	b.known[pending.key], b.waiting = true, append(b.waiting, pending)
	if b.ended == nil {
		b.ended = make(chan struct{})
		//background:stop=Wait bound=maxWaiting fails="computing states in the background failed"
		go mr.computeWaiting()
	}
}

// computeWaiting computes partials until nothing waits.
func (mr *Merger) computeWaiting() {
	b := mr.Background
	for next := b.next(nil); next != nil; next = b.next(next) {
		mr.logFault("computing states", failure.Try(func() error {
			mr.computePartials(b.ctx, next.Merge)
			return nil
		}))
	}
}

// computePartials computes what m lacks. What fails is logged, and computed when somebody asks again.
func (mr *Merger) computePartials(ctx context.Context, m *Merge) {
	g := mr.lookup(m, origin.Waiting, nil)
	g.background = true
	d := origin.Decide(origin.Facts{Ways: []origin.Way{g.read(ctx)}})
	err := g.unread
	if err == nil {
		_, err = g.gather(ctx, d.Ways[0])
	}
	if err != nil && ctx.Err() == nil {
		mr.log.Debug("query: computing states in the background failed; a statement gives the next answer", "error",
			err)
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

// Wait returns when nothing waits, or ctx ends.
func (b *background) Wait(ctx context.Context) error {
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
