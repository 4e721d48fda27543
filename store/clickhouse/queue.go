package clickhouse

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// groupRows ends the gathering of a group; one batch may be larger.
const groupRows = 50_000

// A write is a batch that waits to be stored.
type write struct {
	batch     *store.Batch
	rows      []row
	done      chan error // has room for the one answer
	abandoned atomic.Bool
}

// A queue is what waits to be stored.
type queue struct {
	mu      sync.Mutex
	waiting []*write
	rows    int
	wake    chan struct{} // has room for one
	closed  bool
}

// enqueue adds w to the queue, or refuses it when the queue is full.
func (s *Store) enqueue(w *write) error {
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return errClosed
	case q.rows > 0 && q.rows+len(w.rows) > s.cfg.Buffer:
		return fmt.Errorf("%w: %d rows wait to be stored", store.ErrUnavailable, q.rows)
	}
	q.waiting = append(q.waiting, w)
	q.rows += len(w.rows)
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return nil
}

// take removes a group of writes from the queue, those left out that nobody waits for.
func (q *queue) take() []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	var group []*write
	taken, rows := 0, 0
	for _, w := range q.waiting {
		if rows > 0 && rows+len(w.rows) > groupRows {
			break
		}
		taken++
		q.rows -= len(w.rows)
		if !w.abandoned.Load() {
			group = append(group, w)
			rows += len(w.rows)
		}
	}
	q.waiting = append([]*write(nil), q.waiting[taken:]...)
	return group
}

// full reports whether a group of the largest size waits.
func (q *queue) full() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.rows >= groupRows
}

// run is the writer: it stores one group after the other until the store is closed and
// nothing waits.
func (s *Store) run() {
	defer close(s.ended)
	var last time.Time
	for {
		select {
		case <-s.queue.wake:
		case <-s.closing.Done():
			s.queue.mu.Lock()
			s.queue.closed = true
			s.queue.mu.Unlock()
			for s.commitNext() {
			}
			return
		}
		s.linger(last)
		for s.commitNext() {
			last = s.cfg.Now()
			s.linger(last)
		}
	}
}

// linger waits until writes that came shortly after the last commit had time to be
// joined by more.
func (s *Store) linger(last time.Time) {
	if rest := s.cfg.Linger - s.cfg.Now().Sub(last); rest > 0 && !s.queue.full() {
		pause(s.closing, rest)
	}
}

// commitNext stores the next group and tells its writers; false when none waits.
func (s *Store) commitNext() bool {
	group := s.queue.take()
	if len(group) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Patience)
	defer cancel()
	err := s.commit(ctx, group)
	for _, w := range group {
		w.done <- err
	}
	return true
}
