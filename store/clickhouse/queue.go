package clickhouse

import (
	"fmt"
	"slices"
	"sync"

	"github.com/sightline-analytics/sightline/store"
)

// groupRows is the number of rows that completes a group. One batch may be larger.
const groupRows = 50_000

// A write is a batch that waits to be stored.
type write struct {
	batch *store.Batch
	rows  []row
	done  chan error // receives the result; capacity 1

	// Both are protected by the queue's lock.
	taken     bool // not in the queue any more
	abandoned bool // its caller has stopped waiting
}

// A queue has the writes that wait to be stored.
type queue struct {
	mu      sync.Mutex
	waiting []*write
	rows    int             // rows of writes whose callers still wait
	storing map[uint64]bool // the hashes of rows that are being stored
	retries int             // steps that are being retried
	wake    chan struct{}   // signals a waiting write; capacity 1
	filled  chan struct{}   // signals a complete group; capacity 1
	closed  bool
}

func (q *queue) begin() {
	q.wake, q.filled = make(chan struct{}, 1), make(chan struct{}, 1)
	q.storing = map[uint64]bool{}
}

// add puts w into the queue. It returns an error if more than limit rows would wait. An empty queue accepts a
// batch of any size.
func (q *queue) add(w *write, limit int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return errClosed
	case q.rows > 0 && q.rows+len(w.rows) > limit:
		return fmt.Errorf("%w: the buffer is full, %d rows wait to be stored", store.ErrUnavailable, q.rows)
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

// abandon frees the place and the rows of w, if w is still in the queue.
func (q *queue) abandon(w *write) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !w.taken {
		w.abandoned = true
		q.rows -= len(w.rows)
		w.batch, w.rows = nil, nil
	}
}

// take removes a group of writes from the queue, and drops abandoned writes. A write that shares an event id
// with a group in progress waits until release, so that groups race only with other processes. While a step is
// being retried, take returns nothing, so that unavailable servers do not get requests from more and more
// groups.
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

// isStoring reports whether a group in progress has a row with the identity of a row of w.
func (q *queue) isStoring(w *write) bool {
	return slices.ContainsFunc(w.rows, func(r row) bool { return q.storing[r.hash] })
}

// release makes writes available that waited for group, which take returned.
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

// retrying adds steps to the number of steps being retried: 1 when a retry begins, -1 when it ends.
func (q *queue) retrying(steps int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.retries += steps
	if q.retries == 0 && len(q.waiting) > 0 {
		signal(q.wake)
	}
}

// end makes the queue reject further writes.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}
