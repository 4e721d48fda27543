//go:build cgo

package duckdb

import (
	"slices"
	"sync"
)

// A queue has the writes that wait for the writer. Senders take turns. So a sender with many writes delays the
// other senders by at most one group.
type queue struct {
	ready chan struct{} // signals a waiting write that gather has not seen; capacity 1

	mu      sync.Mutex
	waiting map[string][]*write // waiting writes by sender; no list is empty
	turns   []string            // the senders of waiting writes, in the order of their turns
}

func newQueue() *queue {
	return &queue{ready: make(chan struct{}, 1), waiting: map[string][]*write{}}
}

// add appends w to the writes of its sender.
func (q *queue) add(w *write) {
	q.mu.Lock()
	defer q.mu.Unlock()
	sender := w.batch.Sender
	if len(q.waiting[sender]) == 0 {
		q.turns = append(q.turns, sender)
	}
	q.waiting[sender] = append(q.waiting[sender], w)
	q.announce()
}

// remove removes w from the queue and reports whether it was there.
func (q *queue) remove(w *write) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	sender := w.batch.Sender
	i := slices.Index(q.waiting[sender], w)
	if i < 0 {
		return false
	}
	q.take(slices.Index(q.turns, sender), i, sender)
	return true
}

// next removes and returns the first write of the sender whose turn it is. It returns nil if no write waits.
func (q *queue) next() *write {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.turns) == 0 {
		return nil
	}
	sender := q.turns[0]
	w := q.waiting[sender][0]
	q.take(0, 0, sender)
	if len(q.waiting[sender]) > 0 {
		q.turns = append(q.turns[1:], sender)
	}
	return w
}

// take removes write i of sender, and the sender's turn if it has no further writes.
func (q *queue) take(turn, i int, sender string) {
	if q.waiting[sender] = slices.Delete(q.waiting[sender], i, i+1); len(q.waiting[sender]) > 0 {
		return
	}
	delete(q.waiting, sender)
	q.turns = slices.Delete(q.turns, turn, turn+1)
}

// again signals ready if writes still wait.
func (q *queue) again() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.turns) > 0 {
		q.announce()
	}
}

func (q *queue) announce() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}
