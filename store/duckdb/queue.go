//go:build cgo

package duckdb

import (
	"slices"
	"sync"
)

// A queue holds the writes that wait for the writer. Senders take turns, so a sender of many writes delays the others
// by one group at most.
type queue struct {
	ready chan struct{} // capacity 1; not empty while writes wait that gather has not seen

	mu      sync.Mutex
	waiting map[string][]*write // by sender; no list is empty
	turns   []string            // the senders of waiting, the next one first
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

// remove takes w out of the queue, and reports whether it was there.
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

// next takes out the first write of the sender whose turn it is; nil when no write waits.
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

// take removes write i of sender, and the turn of a sender without writes.
func (q *queue) take(turn, i int, sender string) {
	if q.waiting[sender] = slices.Delete(q.waiting[sender], i, i+1); len(q.waiting[sender]) > 0 {
		return
	}
	delete(q.waiting, sender)
	q.turns = slices.Delete(q.turns, turn, turn+1)
}

// again makes ready not empty if writes still wait.
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
