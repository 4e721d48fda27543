// Package redislimit shares rate limits between processes through Redis.
//
// Each bucket is one key that holds an instant, counted by Redis's own clock in one short
// script (GCRA, the generic cell rate algorithm), so all processes together let at most limit · (1 +
// t/60) pass in t seconds. A bucket's key expires when it is full again.
//
// # When Redis is away or slow
//
// A call waits for [Config.Timeout] at most. The first that fails, for whatever reason, makes all
// decisions local: they use the process's own buckets, which count all along, so no process ever lets
// more pass than one limit. Redis is asked again about each second, in the background; when it answers,
// it decides again. Each change is logged once.
//
// What a process's own buckets refuse is refused without asking Redis, since the process's requests are
// among those of all; Remaining is then by its own count. So a caller far over the limit costs few
// round trips, and is refused even when Redis has lost its data.
//
// A call whose answer is lost may have been counted. It is not sent again (with [Options], not by the
// client either), and the process counts it: when in doubt, more is refused, never more let pass.
//
// Requests at the same time are counted per process, not through Redis.
//
// Redis needs to be 5 or newer; a user of an access list needs EVAL, EVALSHA, GET, SET
// and TIME on keys with the prefix.
package redislimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
)

// The defaults of Config.
const (
	DefaultPrefix  = "sightline:limit:"
	DefaultTimeout = 50 * time.Millisecond
	DefaultProbe   = time.Second
)

// Config is what New needs.
type Config struct {
	// Client reaches Redis: one server, a sentinel group or a cluster. Required. The host closes it,
	// after the Limiter. Make it with [Options]; with others, calls that timed out may go on in the
	// background until the client's own timeouts end them.
	Client redis.Scripter
	// Local has the limits, decides while Redis is unreachable, and counts requests at the same time.
	// Required.
	Local *ratelimit.Limiter
	// Prefix begins every key. Empty means DefaultPrefix.
	Prefix string
	// Timeout bounds each call. 0 means DefaultTimeout.
	Timeout time.Duration
	// Probe is how often an unreachable Redis is asked again. 0 means DefaultProbe.
	Probe time.Duration
	// Now is the clock of Decision.Reset only. nil means time.Now.
	Now func() time.Time
	// Logger gets when Redis becomes unreachable and when it is back. nil means silent.
	Logger *slog.Logger
}

// Options reads a DSN, redis://, rediss:// or unix://, and adds what suits a limiter:
// deadlines are kept, and nothing is tried twice.
func Options(dsn string) (*redis.Options, error) {
	o, err := redis.ParseURL(dsn)
	if err != nil {
		return nil, fmt.Errorf("redislimit: %w", err)
	}
	o.ContextTimeoutEnabled = true
	o.MaxRetries, o.DialerRetries = -1, 1
	o.DisableIdentity = true
	o.Protocol = 2 // a round trip less per connection
	return o, nil
}

// A Limiter is an [auth.Limiter] and an [auth.ConcurrencyLimiter]. It is safe for concurrent use.
type Limiter struct {
	cfg  Config
	away atomic.Bool

	mu     sync.Mutex // of what follows
	closed bool
	end    context.CancelFunc
	ctx    context.Context // the life of the probes
	probes sync.WaitGroup
}

// New returns a Limiter, or all that is wrong with cfg. It does not wait for Redis, which may be
// unreachable.
func New(cfg Config) (*Limiter, error) {
	var faults []error
	if cfg.Client == nil {
		faults = append(faults, errors.New("redislimit: Config.Client is required"))
	}
	if cfg.Local == nil {
		faults = append(faults, errors.New("redislimit: Config.Local is required"))
	}
	if cfg.Timeout < 0 || cfg.Probe < 0 {
		faults = append(faults, fmt.Errorf("redislimit: Config.Timeout is %v and Config.Probe %v", cfg.Timeout, cfg.Probe))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	l := &Limiter{cfg: cfg.withDefaults()}
	l.ctx, l.end = context.WithCancel(context.Background())
	return l, nil
}

func (cfg Config) withDefaults() Config {
	if cfg.Prefix == "" {
		cfg.Prefix = DefaultPrefix
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.Probe == 0 {
		cfg.Probe = DefaultProbe
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return cfg
}

// Allow implements [auth.Limiter]. Its only error is that of a class without a limit. The end of ctx
// does not end it, or callers who hang up would not be counted.
func (l *Limiter) Allow(ctx context.Context, class auth.Class, id string, cost int, own *auth.Limits) (auth.Decision, error) {
	cost = max(cost, 0)
	if l.away.Load() {
		return l.cfg.Local.Allow(ctx, class, id, cost, own)
	}
	d, err := l.cfg.Local.Peek(class, id, cost, own)
	if err != nil || !d.OK {
		return d, err
	}
	d, err = l.ask(context.WithoutCancel(ctx), l.key(class, id), d.Limit, cost)
	if err != nil {
		l.lost(err)
		return l.cfg.Local.Allow(ctx, class, id, cost, own)
	}
	if d.OK {
		_, err = l.cfg.Local.Allow(ctx, class, id, cost, own) // counts along; its word does not matter
	}
	return d, err
}

// Acquire implements [auth.ConcurrencyLimiter].
func (l *Limiter) Acquire(id string, factor int) auth.Decision {
	return l.cfg.Local.Acquire(id, factor)
}

// Release implements [auth.ConcurrencyLimiter].
func (l *Limiter) Release(id string) { l.cfg.Local.Release(id) }

// Close stops the background work. Decisions after it are local.
func (l *Limiter) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.end()
	l.probes.Wait()
	l.away.Store(true)
	return nil
}

// lost makes decisions local until a probe finds Redis again.
func (l *Limiter) lost(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.away.Swap(true) {
		return
	}
	l.cfg.Logger.Warn("Redis is away: rate limits are counted by this process alone", "error", cause)
	l.probes.Go(l.probe)
}

// probe asks Redis until it answers. It writes, so that a replica does not pass for Redis.
func (l *Limiter) probe() {
	ticker := time.NewTicker(l.cfg.Probe)
	defer ticker.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-ticker.C:
		}
		if _, err := l.ask(l.ctx, l.cfg.Prefix+"probe", 1_000_000, 1); err == nil {
			break
		}
	}
	l.mu.Lock() // so that the log tells changes in their order
	defer l.mu.Unlock()
	l.away.Store(false)
	l.cfg.Logger.Info("Redis is back: rate limits are shared again")
}
