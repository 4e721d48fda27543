package sqlite

import (
	"slices"
	"sync"
)

// A queue has the writes that wait for the writer. Senders take turns. So a sender with many writes delays the
// other senders by at most one group.
type queue struct {
	ready chan struct{} // signals that writes wait; capacity 1

	mu      sync.Mutex
	waiting []*write // in the order of arrival
}

func newQueue() queue { return queue{ready: make(chan struct{}, 1)} }

// add appends w.
func (q *queue) add(w *write) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, w)
	q.announce()
}

func (q *queue) announce() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// remove removes w and reports whether it was there.
func (q *queue) remove(w *write) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, w)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// groupRows is the number of rows that completes a group. One write may have more. A group of this size takes
// about a tenth of a second, and the writes of other senders wait that long.
const groupRows = 2_000

// next removes and returns the writes of the next group: one of each sender, then another one of each, and so
// on.
func (q *queue) next() (group []*write) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for rows := 0; len(q.waiting) > 0 && rows < groupRows; {
		served := map[string]bool{}
		q.waiting = slices.DeleteFunc(q.waiting, func(w *write) bool {
			if served[w.batch.Sender] || rows >= groupRows {
				return false
			}
			served[w.batch.Sender] = true
			group, rows = append(group, w), rows+len(w.rows)
			return true
		})
	}
	if len(q.waiting) > 0 {
		q.announce()
	}
	return group
}
