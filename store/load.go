package store

import (
	"context"
	"sync"
	"time"
)

// A Loaded store reports how much time it spends on callers, so that background work can adapt to them. A Store
// does not need to implement it.
type Loaded interface {
	// BusyTime returns the sum of the durations of all queries and writes so far, including those that are
	// running. It does not include statements with a context of Background.
	BusyTime() time.Duration
}

type backgroundKey struct{}

// Background returns a context for statements that no caller waits for.
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// A Load sums the durations of queries and writes, for a [Loaded] store. It is safe for concurrent use.
type Load struct {
	now func() time.Time

	mu      sync.Mutex
	running int
	busy    time.Duration // the sum up to at
	at      time.Time
}

// NewLoad returns a Load that measures time with now.
func NewLoad(now func() time.Time) *Load { return &Load{now: now} }

// Begin counts a query or a write as running until end is called. It ignores contexts of Background.
func (l *Load) Begin(ctx context.Context) (end func()) {
	if ctx.Value(backgroundKey{}) != nil {
		return func() {}
	}
	l.change(1)
	return func() { l.change(-1) }
}

// BusyTime implements [Loaded].
func (l *Load) BusyTime() time.Duration { return l.change(0) }

func (l *Load) change(by int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.busy += time.Duration(l.running) * max(0, now.Sub(l.at))
	l.running, l.at = l.running+by, now
	return l.busy
}

// A Pace runs background work on a store. After each piece of work it rests as long as queries and writes ran
// during the work, in sum. So a single caller that always sends queries leaves half of the time to the work, and
// nine such callers leave a tenth. Without queries and writes, a Pace does not rest.
type Pace struct {
	load Loaded // nil if the store is not Loaded
	now  func() time.Time
	wait func(ctx context.Context, d time.Duration)
}

// NewPace returns a Pace for a store, which measures time with now. If the store is not [Loaded], the Pace always
// rests nine times as long as the work took. wait waits for the duration d or until ctx ends. Nil means a timer.
func NewPace(of any, now func() time.Time, wait func(ctx context.Context, d time.Duration)) *Pace {
	if wait == nil {
		wait = waitTimer
	}
	load, _ := of.(Loaded)
	return &Pace{load, now, wait}
}

const (
	// the maximum rest is the duration of the work times this, or times least if that is greater
	mostRests = 9
	restStep  = time.Second // the time after which a resting Pace notices that queries and writes have stopped
)

// Do runs work with a context of [Background], and rests. If there are queries or writes, it rests at least the
// duration of the work times least.
func (p *Pace) Do(ctx context.Context, least int, work func(context.Context) error) error {
	began, busy := p.now(), p.busyTime()
	err := work(Background(ctx))
	took := max(0, p.now().Sub(began))
	rest := took * time.Duration(max(mostRests, least))
	if p.load != nil {
		if busy = p.busyTime() - busy; busy == 0 {
			return err
		}
		rest = min(rest, max(busy, took*time.Duration(least)))
	}
	p.rest(ctx, rest)
	return err
}

func (p *Pace) busyTime() time.Duration {
	if p.load == nil {
		return 0
	}
	return p.load.BusyTime()
}

// rest waits for d, or until there are no more queries and writes.
func (p *Pace) rest(ctx context.Context, d time.Duration) {
	for d > 0 && ctx.Err() == nil {
		step, before := min(d, restStep), p.busyTime()
		p.wait(ctx, step)
		if d -= step; p.load != nil && p.busyTime() == before {
			return
		}
	}
}

func waitTimer(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
