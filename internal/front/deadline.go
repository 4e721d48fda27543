package front

import (
	"context"
	"sync"
	"time"
)

// A deadline is a context like one of [context.WithDeadline], but it only starts a timer when somebody first waits for its
// end. Most requests end without that, and need no timer.
type deadline struct {
	context.Context // the parent

	at   time.Time
	mu   sync.Mutex
	over bool            // cancelled
	real context.Context // nil until a caller waits
	stop context.CancelFunc
}

// within returns a context that ends after timeout, with parent, or when it is cancelled. It must be cancelled.
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

// Value implements context.Context. It asks the real context if there is one. Contexts derived from d then find that they
// can be notified of its end.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	from := d.real
	d.mu.Unlock()
	if from == nil {
		from = d.Context
	}
	return from.Value(key)
}

// waited returns the real context. The caller holds d.mu.
func (d *deadline) waited() context.Context {
	if d.real == nil {
		d.real, d.stop = context.WithDeadline(d.Context, d.at)
		if d.over {
			d.stop()
		}
	}
	return d.real
}
