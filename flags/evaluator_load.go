package flags

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
)

// maxLoads is the maximum number of concurrent loads.
const maxLoads = 8

// known is the cached state of a client.
type known struct {
	index *Index       // nil before the first load
	used  atomic.Int64 // last evaluation, in nanoseconds since 1970

	running *loading // the current load
	next    *loading // starts after running, because of a change since running began
	await   *loading // the load that evaluations wait for; nil if index can be used
	failed  error    // error of the last load; nil if it succeeded or if index is current anyway
}

// A loading is one call of Store.Load that evaluations can wait for.
type loading struct {
	done  chan struct{} // closed when index and err are set
	index *Index        // the newest known index; nil if there is no index
	err   error
}

// find returns the client's index, loading it if necessary.
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

// await returns the load to wait for, or the index if it can be used.
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

// refresh starts a load of k that begins after this call. If wait is set, evaluations wait for it. The caller
// holds the lock.
func (e *Evaluator) refresh(client Client, k *known, wait bool) {
	next := k.next
	if next == nil {
		next = &loading{done: make(chan struct{})}
		if k.running == nil {
			k.running = next
			//background:stop=Close bound=maxLoads fails="flags cannot be updated"
			e.done.Go(func() { e.run(client, k) })
		} else {
			k.next = next
		}
	}
	if wait {
		k.await = next
	}
}

// run loads k until no change happens during a load.
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

// settle stores the result of a load, and reports whether another load is needed.
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
		delete(e.clients, client) // the next evaluation retries
	}
	return k.running != nil
}

// ask loads a client's set and makes an index.
func (e *Evaluator) ask(client Client) (x *Index, err error) {
	defer failure.Recovered(&err) // a panic in this goroutine would end the process
	ctx, cancel := context.WithTimeout(e.work, e.cfg.Timeout)
	defer cancel()
	set, err := e.cfg.Store.Load(ctx, client)
	if err != nil {
		return nil, err
	}
	return NewIndex(set), nil
}
