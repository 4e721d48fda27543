package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// groupRows ends the gathering of a group; one batch may be larger.
const groupRows = 50_000

// A write is a batch that waits to be stored.
type write struct {
	batch *store.Batch
	rows  []row
	done  chan error // has room for the one answer

	// Both under the queue's lock.
	taken     bool // out of the queue
	abandoned bool // nobody waits for it
}

// A queue is what waits to be stored.
type queue struct {
	mu      sync.Mutex
	waiting []*write
	rows    int           // of those that somebody waits for
	wake    chan struct{} // has room for one: something waits
	filled  chan struct{} // has room for one: a whole group waits
	closed  bool
}

func (q *queue) begin() {
	q.wake, q.filled = make(chan struct{}, 1), make(chan struct{}, 1)
}

// add puts w into the queue, or refuses it when more than limit rows would wait. One
// batch of any size passes when none waits.
func (q *queue) add(w *write, limit int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return errClosed
	case q.rows > 0 && q.rows+len(w.rows) > limit:
		return fmt.Errorf("%w: %d rows wait to be stored", store.ErrUnavailable, q.rows)
	}
	q.waiting = append(q.waiting, w)
	q.rows += len(w.rows)
	signal(q.wake)
	if q.rows >= groupRows {
		signal(q.filled)
	}
	return nil
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// abandon gives the place of w free, and what it holds, when it waits still.
func (q *queue) abandon(w *write) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !w.taken {
		w.abandoned = true
		q.rows -= len(w.rows)
		w.batch, w.rows = nil, nil
	}
}

// take removes a group of writes from the queue, and those that nobody waits for.
func (q *queue) take() []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	var group []*write
	seen, rows := 0, 0
	for _, w := range q.waiting {
		if rows > 0 && rows+len(w.rows) > groupRows {
			break
		}
		seen++
		if w.abandoned {
			continue
		}
		w.taken = true
		group = append(group, w)
		rows += len(w.rows)
	}
	q.rows -= rows
	q.waiting = append([]*write(nil), q.waiting[seen:]...)
	if len(q.waiting) > 0 {
		signal(q.wake)
	}
	if q.rows >= groupRows {
		signal(q.filled)
	}
	return group
}

// end makes the queue refuse what comes from now on.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}

// run is the writer: it stores one group after the other until the store is closed and
// nothing waits, and looks again at pending conflicts.
func (s *Store) run() {
	defer close(s.ended)
	tick := time.NewTicker(s.conflicts.every)
	defer tick.Stop()
	rest := time.NewTimer(0) // until the next group may be stored
	defer rest.Stop()
	for {
		select {
		case <-s.queue.wake:
			s.gather(rest)
			s.storeNext(context.Background())
			rest.Reset(s.cfg.BatchDelay)
		case <-tick.C:
			s.recheckConflicts(context.Background(), false)
		case <-s.closing.Done():
			s.finish()
			return
		}
	}
}

// gather waits until writes that came shortly after the last group had time to be
// joined by more.
func (s *Store) gather(rest *time.Timer) {
	select {
	case <-rest.C:
	case <-s.queue.filled:
	case <-s.closing.Done():
	}
}

// finish stores what waits, as far as Config.WriteTimeout reaches.
func (s *Store) finish() {
	s.queue.end()
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.WriteTimeout)
	defer cancel()
	for s.storeNext(ctx) {
	}
	s.recheckConflicts(ctx, true)
}

// storeNext stores the next group and tells its writers; false when none waits.
func (s *Store) storeNext(ctx context.Context) bool {
	writes := s.queue.take()
	if len(writes) == 0 {
		return false
	}
	s.store(ctx, &group{writes: writes})
	return true
}

// store stores a group. When the servers refuse it, it tries halves, down to the batches
// that are to blame.
func (s *Store) store(ctx context.Context, g *group) {
	timed, cancel := context.WithTimeout(ctx, s.cfg.WriteTimeout)
	err := s.commit(timed, g, s.newAttempt)
	cancel()
	if len(g.writes) > 1 && maybeOfOne(err) {
		half := len(g.writes) / 2
		s.store(ctx, &group{g.writes[:half], slices.Clip(g.receipts)})
		s.store(ctx, &group{g.writes[half:], slices.Clip(g.receipts)})
		return
	}
	for _, w := range g.writes {
		w.done <- err
	}
}

// maybeOfOne reports whether err may be about one batch alone.
func maybeOfOne(err error) bool {
	if err == nil {
		return false
	}
	for _, general := range []error{
		store.ErrUnavailable, store.ErrFull, store.ErrNewerSchema, ErrAccess, ErrRights, ErrNoSchema, ErrTooOld, ErrTLS,
	} {
		if errors.Is(err, general) {
			return false
		}
	}
	return true
}
