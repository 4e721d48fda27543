package flags

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// MaxEvery is the maximum time between two checks for revisions. It ensures that a change takes effect within about
// a second.
const MaxEvery = time.Second

// EvaluatorConfig configures [NewEvaluator].
type EvaluatorConfig struct {
	Store   Store            // required
	Every   time.Duration    // time between checks for revisions, at most MaxEvery; 0 means 500 ms
	Timeout time.Duration    // of one check, and of loading the flags of one client; 0 means 2 s
	Clients int              // maximum number of clients in memory; 0 means 10 000
	Now     func() time.Time // nil means time.Now
	Logger  *slog.Logger     // nil means no log
}

// An Evaluator evaluates flags in memory. The first evaluation for a client waits for the store. Later
// evaluations wait only after [Evaluator.FlagsChanged], until the new flags are loaded. Other changes are found
// within [EvaluatorConfig.Every]. If the store fails, evaluation continues with the last known flags. An Evaluator
// is safe for concurrent use.
type Evaluator struct {
	cfg  EvaluatorConfig
	stop context.CancelFunc
	work context.Context // context of background work; ends with Close
	done sync.WaitGroup
	look chan struct{} // requests an early check for revisions
	load chan struct{} // limits the number of concurrent loads

	mu      sync.RWMutex
	clients map[Client]*known
	failing error     // error of the last check; nil if it succeeded
	since   time.Time // time of the first of several failed checks
}

var _ Invalidator = (*Evaluator)(nil)

// ErrBusy: the client's flags cannot be loaded now. Too many clients are being loaded, the store is
// unreachable, or the evaluator is closed.
var ErrBusy = failure.New(failure.Unavailable, "flags: too busy to load the client's flags")

// NewEvaluator returns a running Evaluator; [Evaluator.Close] stops it. Its error joins all problems of cfg.
func NewEvaluator(cfg EvaluatorConfig) (*Evaluator, error) {
	var faults []error
	if cfg.Store == nil {
		faults = append(faults, errors.New("flags: Store is required"))
	}
	if cfg.Every < 0 || cfg.Every > MaxEvery {
		faults = append(faults, fmt.Errorf("flags: Every must be between 0 and %v, not %v", MaxEvery, cfg.Every))
	}
	if cfg.Timeout < 0 || cfg.Clients < 0 {
		faults = append(faults, fmt.Errorf("flags: Timeout (%v) and Clients (%d) must not be negative", cfg.Timeout,
			cfg.Clients))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if cfg.Every == 0 {
		cfg.Every = 500 * time.Millisecond
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 2 * time.Second
	}
	if cfg.Clients == 0 {
		cfg.Clients = 10_000
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	work, stop := context.WithCancel(context.Background())
	e := &Evaluator{
		cfg: cfg, work: work, stop: stop, clients: map[Client]*known{},
		look: make(chan struct{}, 1), load: make(chan struct{}, maxLoads),
	}
	//background:stop=Close bound=Every fails="flags cannot be updated"
	e.done.Go(e.watch)
	return e, nil
}

// Close stops the checks for changes, and waits for running ones until ctx ends. It fails only if ctx ends first.
// Later evaluations fail for clients that are not in memory. Further calls only wait.
func (e *Evaluator) Close(ctx context.Context) error {
	e.mu.Lock() // prevents new background work after Close
	e.stop()
	e.mu.Unlock()
	ended := make(chan struct{})
	//background:stop=Close bound=one fails=none
	go func() {
		e.done.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Evaluate returns the result of one flag of client. Its error wraps ErrInvalid if the part of the context that the
// flag reads is too large, or ErrBusy. If the client is not in memory, it may also be an error of the store.
func (e *Evaluator) Evaluate(ctx context.Context, client Client, key string, c *Context) (Result, error) {
	x, now, err := e.index(ctx, client)
	if err != nil {
		return Result{}, err
	}
	if c.Check() != nil {
		if err := newPartial(c, now).check(x.flags[place{c.Environment, key}]); err != nil {
			return Result{}, err
		}
	}
	return x.Evaluate(key, c, now), nil
}

// EvaluateEach is EvaluateAll for callers that can report an error for one flag. If the context is too large, it
// leaves out the flags that read a part of it that is, and returns the error of each, which wraps ErrInvalid.
func (e *Evaluator) EvaluateEach(ctx context.Context, client Client, c *Context) (results map[string]Result,
	faults map[string]error, err error) {
	x, now, err := e.index(ctx, client)
	if err != nil {
		return nil, nil, err
	}
	if c.Check() == nil {
		return x.EvaluateAll(c, now), nil, nil
	}
	results, faults = map[string]Result{}, map[string]error{}
	p, each := newPartial(c, now), evaluation{context: c, now: now}
	for _, r := range x.environments[c.Environment] {
		if err := p.check(r); err != nil {
			faults[r.flag.Key] = err
		} else if result := each.result(r); result.Reason != FlagNotFound {
			results[r.flag.Key] = result
		}
	}
	return results, faults, nil
}

// EvaluateAll returns the results by key of all flags of client that are evaluated for c. Its errors are the
// errors of Evaluate, for the context as a whole.
func (e *Evaluator) EvaluateAll(ctx context.Context, client Client, c *Context) (map[string]Result, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	x, now, err := e.index(ctx, client)
	if err != nil {
		return nil, err
	}
	return x.EvaluateAll(c, now), nil
}

// EvaluateKeys returns the results of the named flags that are evaluated for c. Its errors are the errors of
// EvaluateAll, and ErrInvalid for more than [MaxKeys] keys.
func (e *Evaluator) EvaluateKeys(ctx context.Context, client Client, keys []string, c *Context) (map[string]Result,
	error) {
	if len(keys) > MaxKeys {
		return nil, FieldErrors{{Field: "keys", Message: mistake.AtMost(MaxKeys, "entries", len(keys))}}
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	x, now, err := e.index(ctx, client)
	if err != nil {
		return nil, err
	}
	return x.EvaluateKeys(keys, c, now), nil
}

// Has reports whether client is in memory and has flags. It does not ask the store.
func (e *Evaluator) Has(client Client) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	k := e.clients[client]
	return k != nil && k.index != nil && !k.empty()
}

// index returns the client's index.
func (e *Evaluator) index(ctx context.Context, client Client) (*Index, time.Time, error) {
	now := e.cfg.Now()
	if err := client.check(); err != nil {
		return nil, now, err
	}
	x, err := e.find(ctx, client, now)
	return x, now, err
}

// Check returns nil if the last check for revisions succeeded. Otherwise it returns the reason and the start of the
// outage; evaluation continues meanwhile. Check can be used as a health.Probe. It does not ask the
// store.
func (e *Evaluator) Check(context.Context) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.failing == nil {
		return nil
	}
	return fmt.Errorf("flags: using the flags of %s: %w",
		e.since.UTC().Format(time.RFC3339), e.failing)
}

// FlagsChanged implements [Invalidator]. Evaluations that begin after it wait for the client's new flags. For the
// zero Client it requests an early check for revisions of all clients.
func (e *Evaluator) FlagsChanged(_ context.Context, client Client) {
	if client == (Client{}) {
		select {
		case e.look <- struct{}{}:
		default: // a check is already requested
		}
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if k := e.clients[client]; k != nil && e.work.Err() == nil {
		e.refresh(client, k, true)
	}
}
