// Package queue has the writes that wait for the one writer of an embedded store:
//
//	q := queue.New[*write]()
//	q.Add(batch, w)     // in the goroutine of a caller
//	<-q.Ready           // in the goroutine of the writer
//	w, ok := q.Next()
//
// Owners take turns, and the senders of an owner take turns among themselves. So an owner with many writes or many
// senders delays another owner by at most the write that is being stored and one of its own.
package queue

import (
	"slices"
	"sync"

	"github.com/sightline-analytics/sightline/store"
)

// A Queue is safe for concurrent use.
type Queue[W comparable] struct {
	// Ready signals writes that Next may not have seen. Its capacity is 1.
	Ready chan struct{}

	mu     sync.Mutex
	owners turns[*turns[[]W]] // none without senders, and no sender without writes
}

// turns has names in the order of their turns.
type turns[T any] struct {
	names []string
	of    map[string]T
}

func newTurns[T any]() turns[T] { return turns[T]{of: map[string]T{}} }

// set sets what name has. A new name comes last.
func (t *turns[T]) set(name string, to T) {
	if _, known := t.of[name]; !known {
		t.names = append(t.names, name)
	}
	t.of[name] = to
}

func (t *turns[T]) remove(name string) {
	delete(t.of, name)
	i := slices.Index(t.names, name)
	t.names = slices.Delete(t.names, i, i+1)
}

// back makes the first name the last one.
func (t *turns[T]) back() { t.names = append(t.names[1:], t.names[0]) }

// New returns an empty queue.
func New[W comparable]() *Queue[W] {
	return &Queue[W]{Ready: make(chan struct{}, 1), owners: newTurns[*turns[[]W]]()}
}

// Add appends w to the writes of the owner and the sender of b.
func (q *Queue[W]) Add(b *store.Batch, w W) {
	q.mu.Lock()
	defer q.mu.Unlock()
	senders := q.owners.of[b.Owner]
	if senders == nil {
		senders = new(newTurns[[]W]())
		q.owners.set(b.Owner, senders)
	}
	senders.set(b.Sender, append(senders.of[b.Sender], w))
	q.announce()
}

// Remove removes w, which was added with b, and reports whether it was still there.
func (q *Queue[W]) Remove(b *store.Batch, w W) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	senders := q.owners.of[b.Owner]
	if senders == nil {
		return false
	}
	i := slices.Index(senders.of[b.Sender], w)
	if i >= 0 {
		q.take(b.Owner, b.Sender, i)
	}
	return i >= 0
}

// Next removes and returns the first write of the sender whose turn it is. ok is false if no write waits.
func (q *Queue[W]) Next() (w W, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.owners.names) == 0 {
		return w, false
	}
	owner := q.owners.names[0]
	senders := q.owners.of[owner]
	sender := senders.names[0]
	w = senders.of[sender][0]
	senders.back()
	q.owners.back()
	q.take(owner, sender, 0)
	return w, true
}

// take removes write i of a sender.
func (q *Queue[W]) take(owner, sender string, i int) {
	senders := q.owners.of[owner]
	if left := slices.Delete(senders.of[sender], i, i+1); len(left) > 0 {
		senders.of[sender] = left
		return
	}
	if senders.remove(sender); len(senders.names) == 0 {
		q.owners.remove(owner)
	}
}

// Again signals Ready if writes still wait.
func (q *Queue[W]) Again() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.owners.names) > 0 {
		q.announce()
	}
}

func (q *Queue[W]) announce() {
	select {
	case q.Ready <- struct{}{}:
	default:
	}
}
