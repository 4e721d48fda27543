// Package redislimit shares rate limits between processes through Redis:
//
//	options, err := redislimit.Options("redis://127.0.0.1:6379/0")
//	local, err := ratelimit.New(ratelimit.Config{}) // defines the limits
//	limiter, err := redislimit.New(redislimit.Config{Client: redis.NewClient(options), Local: local})
//	decision, err := limiter.Allow(ctx, auth.ClassQuery, key.ID, 1, key.Limits)
//	defer limiter.Close(ctx)
//
// Each bucket is one Redis key that holds an instant. A short script updates it with the clock of Redis (GCRA, the
// generic cell rate algorithm). One call of the script charges all buckets of a request, or none of them. All processes
// together let at most limit · (1 + t/60) requests pass in t seconds. The Redis key expires when the bucket is full
// again.
//
// # When Redis is unreachable or slow
//
// A call waits for at most [Config.Timeout]. After the first failed call, the Limiter decides with the buckets of
// its own process, which it updates with every request. So no process ever lets more than one limit pass. A
// goroutine tries Redis about once a second, and Redis decides again when it responds. The Limiter logs each change
// between Redis and local decisions once.
//
// A request that exceeds the bucket of the process is refused without asking Redis, because the requests of this
// process are part of the total. Decision.Remaining is then the count of the process. So a caller far over the
// limit causes few round trips, and is refused even if Redis has lost its data.
//
// If the response to a call is lost, Redis may have counted the request or not. Neither the Limiter nor a client
// with [Options] repeats the call. The process counts the request in any case. So when responses are lost, fewer
// requests than the limit may pass, but never more.
//
// Concurrent requests are counted per process, not through Redis.
//
// Redis 5 or newer is required. A Redis user with an access list needs EVAL, EVALSHA, GET, SET and TIME on keys
// with the prefix.
package redislimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
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

// Config configures New.
type Config struct {
	// Client connects to Redis: one server, a sentinel group or a cluster. Required. The host closes it after
	// the Limiter. Create it with [Options]. With other options, calls that timed out may continue in the
	// background until the client's own timeouts.
	Client redis.Scripter
	// Local defines the limits, decides while Redis is unreachable, and counts concurrent requests.
	// Required.
	Local *ratelimit.Limiter
	// Prefix is the prefix of every Redis key. Empty means DefaultPrefix.
	Prefix string
	// Timeout is the maximum time of a call. 0 means DefaultTimeout.
	Timeout time.Duration
	// Probe is the time between attempts to reach an unreachable Redis. 0 means DefaultProbe.
	Probe time.Duration
	// Now is the clock for Decision.Reset only. nil means time.Now.
	Now func() time.Time
	// Logger logs when Redis becomes unreachable and when it is reachable again. nil means no log.
	Logger *slog.Logger
}

// Options parses a DSN (redis://, rediss:// or unix://) and adds options for a limiter: short
// deadlines and no retries.
func Options(dsn string) (*redis.Options, error) {
	o, err := redis.ParseURL(dsn)
	if err != nil {
		return nil, fmt.Errorf("redislimit: %w", err)
	}
	o.ContextTimeoutEnabled = true
	o.MaxRetries, o.DialerRetries = -1, 1
	o.DisableIdentity = true
	o.Protocol = 2 // saves a round trip per connection
	return o, nil
}

// A Limiter is an [auth.Limiter], an [auth.GroupLimiter] and an [auth.ConcurrencyLimiter]. It is safe for concurrent
// use.
type Limiter struct {
	cfg  Config
	away atomic.Bool

	mu     sync.Mutex // guards the following fields
	closed bool
	end    context.CancelFunc
	ctx    context.Context // ends the probes
	probes sync.WaitGroup
}

// New returns a Limiter. It does not wait for Redis, which may be unreachable. Its error joins all problems of
// cfg.
func New(cfg Config) (*Limiter, error) {
	var faults []error
	if cfg.Client == nil {
		faults = append(faults, errors.New("redislimit: Config.Client is required"))
	}
	if cfg.Local == nil {
		faults = append(faults, errors.New("redislimit: Config.Local is required"))
	}
	if cfg.Timeout < 0 || cfg.Probe < 0 {
		faults = append(faults, fmt.Errorf("redislimit: Config.Timeout (%v) and Config.Probe (%v) must not be negative",
			cfg.Timeout, cfg.Probe))
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

// Allow implements [auth.Limiter]. It fails only for a class without a limit. It continues after the end of
// ctx, so that requests of callers who hang up are counted.
func (l *Limiter) Allow(ctx context.Context, class auth.Class, id string, cost int, own *auth.Limits) (auth.Decision,
	error) {
	all, err := l.allow(ctx, "", []auth.Bucket{{Class: class, ID: id, Limits: own}}, cost)
	if err != nil {
		return auth.Decision{}, err
	}
	return all[0], nil
}

// AllowAll implements [auth.GroupLimiter] in one call of Redis. It fails, and continues after the end of ctx, as Allow
// does.
func (l *Limiter) AllowAll(ctx context.Context, owner string, buckets []auth.Bucket, cost int) ([]auth.Decision,
	error) {
	// A cluster stores keys with the same text in braces on one server, where one script can use them.
	return l.allow(ctx, "{owner:"+url.QueryEscape(owner)+"}:", buckets, cost)
}

// allow decides about buckets whose keys begin with group.
func (l *Limiter) allow(ctx context.Context, group string, buckets []auth.Bucket, cost int) ([]auth.Decision, error) {
	if l.away.Load() {
		return l.cfg.Local.AllowAll(ctx, "", buckets, cost)
	}
	asked := make([]bucket, len(buckets))
	for i, b := range buckets {
		d, err := l.cfg.Local.Peek(b.Class, b.ID, cost, b.Limits)
		if err != nil {
			return nil, err
		}
		if !d.OK {
			return []auth.Decision{d}, nil
		}
		asked[i] = bucket{l.cfg.Prefix + group + string(b.Class) + ":" + b.ID, d.Limit}
	}
	decisions, err := l.ask(context.WithoutCancel(ctx), asked, cost)
	if err != nil {
		l.lost(err)
		return l.cfg.Local.AllowAll(ctx, "", buckets, cost)
	}
	if decisions[len(decisions)-1].OK {
		for _, b := range buckets { // keeps the local counts up to date; these decisions are ignored
			_, _ = l.cfg.Local.Allow(ctx, b.Class, b.ID, cost, b.Limits)
		}
	}
	return decisions, nil
}

// Acquire implements [auth.ConcurrencyLimiter].
func (l *Limiter) Acquire(id string, factor int) auth.Decision {
	return l.cfg.Local.Acquire(id, factor)
}

// Release implements [auth.ConcurrencyLimiter].
func (l *Limiter) Release(id string) { l.cfg.Local.Release(id) }

// Close stops the background work, and waits for it until ctx ends. Later decisions are local.
func (l *Limiter) Close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.end()
	l.away.Store(true)
	ended := make(chan struct{})
	//background:stop=Close bound=one fails=none
	go func() {
		l.probes.Wait()
		l.away.Store(true) // the last probe may have reached Redis
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lost makes decisions local until probe reaches Redis again.
func (l *Limiter) lost(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.away.Swap(true) {
		return
	}
	l.cfg.Logger.Warn("Redis is unreachable; this process counts rate limits alone", "error", cause)
	//background:stop=Close bound=one fails="Redis is unreachable"
	l.probes.Go(l.probe)
}

// probe tries Redis until it responds. It writes, because a read would also succeed on a replica, where scripts that
// write fail.
func (l *Limiter) probe() {
	ticker := time.NewTicker(l.cfg.Probe)
	defer ticker.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-ticker.C:
		}
		if _, err := l.ask(l.ctx, []bucket{{l.cfg.Prefix + "probe", 1_000_000}}, 1); err == nil {
			break
		}
	}
	l.mu.Lock() // log messages must be in the order of the changes
	defer l.mu.Unlock()
	l.away.Store(false)
	l.cfg.Logger.Info("Redis is reachable again; rate limits are shared")
}
