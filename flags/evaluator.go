package flags

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// MaxEvery is the longest time between two checks for revisions, so that a change is seen within about
// a second.
const MaxEvery = time.Second

// EvaluatorConfig is what an [Evaluator] needs.
type EvaluatorConfig struct {
	Store   Store            // required
	Every   time.Duration    // between checks for revisions; at most MaxEvery; 0 means 500 ms
	Timeout time.Duration    // of one check, and of loading one client's set; 0 means 2 s
	Clients int              // how many are kept in memory; 0 means 10 000
	Now     func() time.Time // nil means time.Now
	Logger  *slog.Logger     // nil means silent
}

// An Evaluator evaluates flags from memory. The first evaluation for a client waits for the
// store; later ones wait only after [Evaluator.FlagsChanged], for the new flags. Other changes are
// found within [EvaluatorConfig.Every]. While the store does not answer, evaluation goes on with what
// was last known. It is safe for concurrent use.
type Evaluator struct {
	cfg  EvaluatorConfig
	stop context.CancelFunc
	work context.Context // of everything that nobody waits for; ends with Close
	done sync.WaitGroup
	look chan struct{} // asks for a look at revisions before its time
	load chan struct{} // a place for every set that is being loaded

	mu      sync.RWMutex
	clients map[Client]*known
	failing error     // of the last look; nil when it went well
	since   time.Time // when looks began to fail
}

var _ Invalidator = (*Evaluator)(nil)

// ErrBusy: no other client can be loaded now, since too many are being loaded or the store is
// unreachable, or the evaluator is closed.
var ErrBusy = errors.New("flags: no room to load a client's flags")

// NewEvaluator returns an Evaluator, which runs until Close. Its error joins all problems of cfg.
func NewEvaluator(cfg EvaluatorConfig) (*Evaluator, error) {
	var faults []error
	if cfg.Store == nil {
		faults = append(faults, errors.New("flags: evaluator without a store"))
	}
	if cfg.Every < 0 || cfg.Every > MaxEvery {
		faults = append(faults, fmt.Errorf("flags: looks every %v, more than %v or negative", cfg.Every, MaxEvery))
	}
	if cfg.Timeout < 0 || cfg.Clients < 0 {
		faults = append(faults, fmt.Errorf("flags: timeout of %v, or room for %d clients", cfg.Timeout, cfg.Clients))
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
	e.done.Go(e.watch)
	return e, nil
}

// Close ends looking for changes. Evaluations of clients that are not in memory fail from then
// on. Calling it again does nothing.
func (e *Evaluator) Close() error {
	e.mu.Lock() // so that nothing begins after it
	e.stop()
	e.mu.Unlock()
	e.done.Wait()
	return nil
}

// Evaluate is the result of one flag of client. Its error wraps ErrInvalid for a context that is
// too large, wraps ErrBusy, or is the store's when nothing is known of client.
func (e *Evaluator) Evaluate(ctx context.Context, client Client, key string, c *Context) (Result, error) {
	x, now, err := e.index(ctx, client, c)
	if err != nil {
		return Result{}, err
	}
	return x.Evaluate(key, c, now), nil
}

// EvaluateAll is the results by key of all flags of client that are evaluated for c. Its error is
// that of Evaluate.
func (e *Evaluator) EvaluateAll(ctx context.Context, client Client, c *Context) (map[string]Result, error) {
	x, now, err := e.index(ctx, client, c)
	if err != nil {
		return nil, err
	}
	return x.EvaluateAll(c, now), nil
}

// EvaluateKeys is the results of those of keys that are evaluated for c. Its error is that of
// Evaluate, and wraps ErrInvalid for more than [MaxKeys] keys.
func (e *Evaluator) EvaluateKeys(ctx context.Context, client Client, keys []string, c *Context) (map[string]Result, error) {
	if len(keys) > MaxKeys {
		return nil, FieldErrors{{"keys", fmt.Sprintf("are %d, more than %d", len(keys), MaxKeys)}}
	}
	x, now, err := e.index(ctx, client, c)
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

// index is what is known of client, for a context that may be evaluated.
func (e *Evaluator) index(ctx context.Context, client Client, c *Context) (*Index, time.Time, error) {
	now := e.cfg.Now()
	if err := c.Check(); err != nil {
		return nil, now, err
	}
	if !client.valid() {
		return nil, now, FieldErrors{{"clientId", fmt.Sprintf("is required, with at most %d characters", MaxClient)}}
	}
	x, err := e.find(ctx, client, now)
	return x, now, err
}

// Check reports whether changes are seen: nil when the last check for revisions succeeded, else why it
// failed, and since when. Evaluation goes on meanwhile. It fits a health.Probe, and does not ask the
// store.
func (e *Evaluator) Check(context.Context) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.failing == nil {
		return nil
	}
	return fmt.Errorf("flags: evaluated as they were at %s: %w",
		e.since.UTC().Format(time.RFC3339), e.failing)
}

// FlagsChanged implements [Invalidator]: evaluations that begin after it wait for the client's new
// flags. For the zero Client, the next check for revisions finds out which changed.
func (e *Evaluator) FlagsChanged(_ context.Context, client Client) {
	if client == (Client{}) {
		select {
		case e.look <- struct{}{}:
		default: // one is asked for already
		}
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if k := e.clients[client]; k != nil && e.work.Err() == nil {
		e.refresh(client, k, true)
	}
}
