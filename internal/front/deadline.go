package front

import (
	"context"
	"sync"
	"time"
)

// A deadline is a context that ends like one of [context.WithDeadline], and sets its timer when
// somebody first waits for that: most requests are answered before anybody does.
type deadline struct {
	context.Context // that it is made of

	at   time.Time
	mu   sync.Mutex
	over bool            // it was cancelled
	real context.Context // nil: nobody has waited yet
	stop context.CancelFunc
}

// within returns a context that ends after timeout, when parent does, or when it is cancelled, which it must be.
func within(parent context.Context, timeout time.Duration) *deadline {
	return &deadline{Context: parent, at: time.Now().Add(timeout)}
}

// cancel ends d.
func (d *deadline) cancel() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over = true; d.stop != nil {
		d.stop()
	}
}

// Deadline implements context.Context.
func (d *deadline) Deadline() (time.Time, bool) {
	if at, ok := d.Context.Deadline(); ok && at.Before(d.at) {
		return at, true
	}
	return d.at, true
}

// Done implements context.Context.
func (d *deadline) Done() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.waited().Done()
}

// Err implements context.Context.
func (d *deadline) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.real == nil && !d.over && time.Now().Before(d.at) {
		return d.Context.Err()
	}
	return d.waited().Err()
}

// Value implements context.Context. By asking the real context, those that are made of this one find that it
// can tell them of its end.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	from := d.real
	d.mu.Unlock()
	if from == nil {
		from = d.Context
	}
	return from.Value(key)
}

// waited is the real context. d.mu is held.
func (d *deadline) waited() context.Context {
	if d.real == nil {
		d.real, d.stop = context.WithDeadline(d.Context, d.at)
		if d.over {
			d.stop()
		}
	}
	return d.real
}
