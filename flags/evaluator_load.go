package flags

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// maxLoads is how many sets are loaded at the same time.
const maxLoads = 8

// known is what is remembered of a client.
type known struct {
	index *Index       // nil until it was loaded for the first time
	used  atomic.Int64 // when it was last asked for, in nanoseconds since 1970

	running *loading // under way
	next    *loading // begins when running ends, since something changed after that began
	await   *loading // what evaluations wait for; nil when index will do
	failed  error    // of the last way to the store; nil when it went well, or index is right all the same
}

// loading is one way to the store.
type loading struct {
	done  chan struct{} // closed when index and err are set
	index *Index        // the newest that is known; nil when there is none
	err   error
}

// find is what is known of client, loaded when nothing is.
func (e *Evaluator) find(ctx context.Context, client Client, now time.Time) (*Index, error) {
	e.mu.RLock()
	k := e.clients[client]
	if k != nil && k.await == nil {
		defer e.mu.RUnlock()
		k.used.Store(now.UnixNano())
		return k.index, nil
	}
	e.mu.RUnlock()
	wait, x, err := e.await(client, now)
	if wait == nil {
		return x, err
	}
	select {
	case <-wait.done:
		if wait.index != nil {
			return wait.index, nil
		}
		return nil, wait.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// await returns what to wait for, or the index when that will do after all.
func (e *Evaluator) await(client Client, now time.Time) (*loading, *Index, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	k := e.clients[client]
	if k == nil {
		if e.work.Err() != nil || !e.makeRoom() {
			return nil, nil, ErrBusy
		}
		k = &known{}
		e.clients[client] = k
		e.refresh(client, k, true)
	}
	k.used.Store(now.UnixNano())
	return k.await, k.index, nil
}

// refresh has k loaded, by a way to the store that begins from now on; with wait,
// evaluations wait for it. It runs with the lock.
func (e *Evaluator) refresh(client Client, k *known, wait bool) {
	next := k.next
	if next == nil {
		next = &loading{done: make(chan struct{})}
		if k.running == nil {
			k.running = next
			e.done.Go(func() { e.run(client, k) })
		} else {
			k.next = next
		}
	}
	if wait {
		k.await = next
	}
}

// run loads k until nothing changed meanwhile.
func (e *Evaluator) run(client Client, k *known) {
	for {
		e.load <- struct{}{}
		e.mu.Lock()
		l := k.running
		e.mu.Unlock()
		index, err := e.ask(client)
		<-e.load
		if !e.settle(client, k, l, index, err) {
			return
		}
	}
}

// settle keeps what a way to the store brought, and reports whether there is another to go.
func (e *Evaluator) settle(client Client, k *known, l *loading, index *Index, err error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		k.index = index
	}
	k.failed = err
	l.index, l.err = k.index, err
	close(l.done)
	if k.await == l {
		k.await = nil
	}
	k.running, k.next = k.next, nil
	if k.index == nil && k.running == nil && e.clients[client] == k {
		delete(e.clients, client) // the next evaluation tries again
	}
	return k.running != nil
}

// ask loads a client's set and makes it ready.
func (e *Evaluator) ask(client Client) (x *Index, err error) {
	defer func() {
		if p := recover(); p != nil { // in a goroutine of its own it would end the process
			err = fmt.Errorf("flags: the store panicked: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(e.work, e.cfg.Timeout)
	defer cancel()
	set, err := e.cfg.Store.Load(ctx, client)
	if err != nil {
		return nil, err
	}
	return NewIndex(set), nil
}
