package store

import (
	"context"
	"sync"
	"time"
)

// A Loaded store reports how long it was in use, so that background work can leave it to callers. It is optional
// beside Store.
type Loaded interface {
	// BusyTime returns how long questions and writes took together so far, including the time of those that run. It
	// does not count statements with a context of Background.
	BusyTime() time.Duration
}

type backgroundKey struct{}

// Background returns a context for statements that no caller waits for.
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// A Load adds up how long questions and writes take, for a [Loaded] store. It is safe for concurrent use.
type Load struct {
	now func() time.Time

	mu      sync.Mutex
	running int
	busy    time.Duration // until at
	at      time.Time
}

// NewLoad returns a Load that measures time with now.
func NewLoad(now func() time.Time) *Load { return &Load{now: now} }

// Begin counts a question or a write until end is called. It ignores contexts of Background.
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

// A Pace runs background work beside a store. After each piece of work it rests for as long as questions and writes ran
// meanwhile, all together: one caller that asks all the time leaves half of the time to the work, nine callers
// leave a tenth. It does not rest while nobody asks or writes.
type Pace struct {
	load Loaded // nil if the store does not tell
	now  func() time.Time
	wait func(ctx context.Context, d time.Duration)
}

// NewPace returns a Pace for a store, which measures time with now. Beside a store that is not [Loaded] it always rests
// nine times as long as the work took. Wait waits until ctx ends or for that long; nil means by a timer.
func NewPace(of any, now func() time.Time, wait func(ctx context.Context, d time.Duration)) *Pace {
	if wait == nil {
		wait = waitTimer
	}
	load, _ := of.(Loaded)
	return &Pace{load, now, wait}
}

const (
	mostRests = 9           // how many times as long as the work took a Pace rests at most, unless it is told more
	restStep  = time.Second // how soon a Pace notices that nobody asks or writes any more
)

// Do runs work, with a context of [Background], and rests. While somebody asks or writes, it rests at least so many
// times as long as the work took.
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

// rest waits for d, or until nobody asks or writes.
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
