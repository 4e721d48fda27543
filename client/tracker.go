package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A TrackerConfig configures a [Tracker]. Only Website is required.
type TrackerConfig struct {
	Website  WebsiteID
	Queue    int           // the most events that wait in memory; 0 means 10 000
	Interval time.Duration // how long an event waits for others at most; 0 means 1 s
	// OnLost is called for events that the service did not store, one call at a time. It must return soon. The events
	// have ids, so a program can write them to a file and send them later. nil: lost events are only counted.
	OnLost func([]Lost)
}

// Errors of [Tracker.Track].
var (
	ErrQueueFull     = errors.New("client: the queue of events is full")
	ErrTrackerClosed = errors.New("client: the tracker is closed")
)

// A Tracker collects events and sends them in the background, up to 100 in one request. Each event that Track takes is
// stored, ignored by the website's rules, still waiting, or lost, and [Tracker.Stats] counts each of them. While the
// service refuses requests or cannot be reached, events wait in the queue. When the queue is full, Track takes no
// further event and says so.
//
// A Tracker is safe for concurrent use. Close it, or the waiting events are not sent.
type Tracker struct {
	client *Client
	cfg    TrackerConfig
	wake   chan struct{} // has a value if the queue has a batch, is flushed or is closed
	done   chan struct{} // closed when the sender has ended
	stop   context.CancelCauseFunc

	mu      sync.Mutex
	queue   []prepared
	flushes []flush
	closed  bool
	stats   Stats
	first   error // the error of the first lost event
}

// A flush waits until as many events are settled as were taken before it. Events are settled in their order.
type flush struct {
	taken int
	done  chan struct{}
}

// Stats counts the events of a [Tracker].
type Stats struct {
	Taken   int // by Track
	Waiting int // in the queue, or being sent
	Stored  int
	Ignored int // by the website's rules
	Lost    int // not stored; OnLost has the events
	Refused int // by Track, because the queue was full or closed
}

// NewTracker returns a Tracker that sends events through c. Its error joins all problems, and wraps [ErrConfig].
func NewTracker(c *Client, cfg TrackerConfig) (*Tracker, error) {
	var faults []error
	if c.track == "" {
		faults = append(faults, fmt.Errorf("%w: TrackURL is required to send events", ErrConfig))
	}
	if cfg.Website == "" {
		faults = append(faults, fmt.Errorf("%w: Website is required", ErrConfig))
	}
	if cfg.Queue < 0 || cfg.Interval < 0 {
		faults = append(faults, fmt.Errorf("%w: Queue and Interval must not be negative", ErrConfig))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	cfg.Queue = cmp.Or(cfg.Queue, 10_000)
	cfg.Interval = cmp.Or(cfg.Interval, time.Second)
	ctx, stop := context.WithCancelCause(context.Background())
	t := &Tracker{client: c, cfg: cfg, wake: make(chan struct{}, 1), done: make(chan struct{}), stop: stop}
	//background:stop=Close bound=Queue fails=caller
	go t.run(ctx)
	return t, nil
}

// Track takes an event, and never waits. If it returns an error, the event was not taken: [ErrQueueFull],
// [ErrTrackerClosed], or an error about properties that have no JSON.
func (t *Tracker) Track(e Event) error {
	p, err := t.client.prepare(t.cfg.Website, e)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil:
		t.stats.Refused++
		return err
	case t.closed:
		t.stats.Refused++
		return ErrTrackerClosed
	case t.stats.Waiting >= t.cfg.Queue:
		t.stats.Refused++
		return ErrQueueFull
	}
	t.queue = append(t.queue, p)
	t.stats.Taken++
	t.stats.Waiting++
	if len(t.queue) >= maxBatch {
		t.signal()
	}
	return nil
}

// signal wakes the sender.
func (t *Tracker) signal() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// Stats returns the counts up to now. Taken is the sum of Waiting, Stored, Ignored and Lost.
func (t *Tracker) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stats
}

// Flush sends the waiting events now, and returns when each is stored, ignored or lost, or with the error of ctx.
func (t *Tracker) Flush(ctx context.Context) error {
	settled := make(chan struct{})
	t.mu.Lock()
	t.flushes = append(t.flushes, flush{t.stats.Taken, settled})
	t.release()
	t.mu.Unlock()
	t.signal()
	select {
	case <-settled:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("client: %d events still wait: %w", t.Stats().Waiting, context.Cause(ctx))
	}
}

// errClosed is the cause when a tracker gives up, because the context of Close ended.
var errClosed = errors.New("client: the tracker was closed before the event was sent")

// Close takes no further events, sends the waiting ones and ends the sender. If ctx ends first, the waiting events are
// lost. The error has the number of all events that the tracker lost, and wraps the error of the first one; nil means
// that none was lost.
func (t *Tracker) Close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.signal()
	select {
	case <-t.done:
	case <-ctx.Done():
		t.stop(fmt.Errorf("%w: %w", errClosed, context.Cause(ctx)))
		<-t.done
	}
	t.stop(nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stats.Lost == 0 {
		return nil
	}
	return fmt.Errorf("client: %d of %d events are lost: %w", t.stats.Lost, t.stats.Taken, t.first)
}

// run sends batches until t is closed and its queue is empty, or ctx ends.
func (t *Tracker) run(ctx context.Context) {
	defer close(t.done)
	ticker := time.NewTicker(t.cfg.Interval)
	defer ticker.Stop()
	for {
		all := false // also a batch that is not full
		select {
		case <-t.wake:
		case <-ticker.C:
			all = true
		}
		for {
			batch := t.next(all)
			if len(batch) == 0 {
				break
			}
			t.settle(t.deliver(ctx, batch))
		}
		if t.ended() {
			return
		}
	}
}

// next takes the next batch from the queue: a full one or, if all or somebody waits for it, what there is.
func (t *Tracker) next(all bool) []prepared {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(t.queue), maxBatch)
	if n < maxBatch && !all && !t.closed && len(t.flushes) == 0 {
		return nil
	}
	batch := t.queue[:n:n]
	t.queue = t.queue[n:]
	return batch
}

// ended reports whether t is closed and nothing waits.
func (t *Tracker) ended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed && len(t.queue) == 0
}

// deliver sends a batch. Events that fail for now are sent again until ctx ends: [Client.send] makes some attempts,
// with its waits, and deliver repeats them after a pause.
func (t *Tracker) deliver(ctx context.Context, batch []prepared) Tracked {
	var all Tracked
	for {
		var now Tracked
		t.client.sendEvents(ctx, batch, &now)
		all.Stored, all.Ignored = all.Stored+now.Stored, all.Ignored+now.Ignored
		passing := map[string]error{} // by event id
		wait := lastBackoff
		for _, lost := range now.Lost {
			if lasting(lost.Err) {
				all.Lost = append(all.Lost, lost)
				continue
			}
			passing[lost.Event.ID] = lost.Err
			if e, ok := errors.AsType[*Error](lost.Err); ok {
				wait = max(wait, e.RetryAfter)
			}
		}
		if len(passing) == 0 {
			return all
		}
		batch = slices.DeleteFunc(slices.Clone(batch), func(p prepared) bool { return passing[p.ID] == nil })
		if err := sleep(ctx, wait); err != nil {
			for _, p := range batch {
				all.Lost = append(all.Lost, Lost{p.Event, fmt.Errorf("%w; %w", err, passing[p.ID])})
			}
			return all
		}
	}
}

// lasting reports whether sending an event again is of no use.
func lasting(err error) bool {
	e, answered := errors.AsType[*Error](err)
	return answered && !e.passing() || errors.Is(err, errAnswer)
}

// settle counts what became of a batch.
func (t *Tracker) settle(done Tracked) {
	if len(done.Lost) > 0 && t.cfg.OnLost != nil {
		t.cfg.OnLost(done.Lost)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats.Waiting -= done.Stored + done.Ignored + len(done.Lost)
	t.stats.Stored += done.Stored
	t.stats.Ignored += done.Ignored
	t.stats.Lost += len(done.Lost)
	if t.first == nil && len(done.Lost) > 0 {
		t.first = done.Lost[0].Err
	}
	t.release()
}

// release ends the flushes whose events are settled. The caller holds the lock.
func (t *Tracker) release() {
	t.flushes = slices.DeleteFunc(t.flushes, func(f flush) bool {
		settled := t.stats.Taken-t.stats.Waiting >= f.taken
		if settled {
			close(f.done)
		}
		return settled
	})
}
