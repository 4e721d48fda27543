package clickhouse

import (
	"fmt"
	"slices"
	"sync"

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
	rows    int             // of those that somebody waits for
	storing map[uint64]bool // the hashes of rows that are being stored
	retries int             // how many steps are being tried again
	wake    chan struct{}   // has room for one: something waits
	filled  chan struct{}   // has room for one: a whole group waits
	closed  bool
}

func (q *queue) begin() {
	q.wake, q.filled = make(chan struct{}, 1), make(chan struct{}, 1)
	q.storing = map[uint64]bool{}
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

// take removes a group of writes from the queue, and those that nobody waits for. What has an
// event id of a group that is being stored waits until that one is released, so that groups
// race only with other processes. While a step is tried again nothing is taken: servers that
// are away are not asked by more and more groups.
func (q *queue) take() []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.retries > 0 && !q.closed {
		return nil
	}
	var group, left []*write
	rows, full := 0, false
	for _, w := range q.waiting {
		full = full || rows > 0 && rows+len(w.rows) > groupRows
		switch {
		case w.abandoned:
		case full || q.isStoring(w):
			left = append(left, w)
		default:
			w.taken = true
			group = append(group, w)
			rows += len(w.rows)
		}
	}
	for _, w := range group {
		for i := range w.rows {
			q.storing[w.rows[i].hash] = true
		}
	}
	q.rows -= rows
	q.waiting = left
	if full {
		signal(q.wake)
	}
	if q.rows >= groupRows {
		signal(q.filled)
	}
	return group
}

// isStoring reports whether a group that is being stored has a row like one of w.
func (q *queue) isStoring(w *write) bool {
	return slices.ContainsFunc(w.rows, func(r row) bool { return q.storing[r.hash] })
}

// release lets in what waits for a group that take returned.
func (q *queue) release(group []*write) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range group {
		for i := range w.rows {
			delete(q.storing, w.rows[i].hash)
		}
	}
	if len(q.waiting) > 0 {
		signal(q.wake)
	}
}

// retrying counts a step that is tried again, by 1, and one that is not any more, by -1.
func (q *queue) retrying(steps int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.retries += steps
	if q.retries == 0 && len(q.waiting) > 0 {
		signal(q.wake)
	}
}

// end makes the queue refuse what comes from now on.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}
