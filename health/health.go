// Package health checks whether the parts that a service depends on answer.
package health

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// The roles of a Report, by the names of its JSON fields, whatever products are used.
const (
	Analytics  = "clickhouse" // the analytics store
	Relational = "database"   // the relational store
	Cache      = "redis"      // the shared cache
)

// DefaultTimeout bounds a probe when Config.Timeout is 0.
const DefaultTimeout = 2 * time.Second

// fresh is for how long a Report answers again.
const fresh = time.Second

// A Probe reports whether one part can answer; nil means yes. It should return when ctx ends. One that
// does not counts as failed, and is not started again before it returns.
type Probe func(ctx context.Context) error

// Config is what New needs. All fields are optional.
type Config struct {
	// Probes by role. A role without a probe is not part of the deployment and is reported as true. A
	// probe under any other name counts only for success.
	Probes map[string]Probe
	// Timeout bounds each probe. 0 means DefaultTimeout.
	Timeout time.Duration
	// Version is the service's, as reported.
	Version string
	// Now is the clock of timestamps and of the cache. nil means time.Now.
	Now func() time.Time
	// Logger gets the errors of probes; a Report never has them. nil means silent.
	Logger *slog.Logger
}

// A Checker runs probes. It is safe for concurrent use.
type Checker struct {
	cfg Config // complete

	mu      sync.Mutex
	last    Report
	current chan struct{}   // closed when the run in flight ends; nil when there is none
	busy    map[string]bool // probes that have not returned yet
}

// New returns a Checker.
func New(cfg Config) *Checker {
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.Probes = maps.Clone(cfg.Probes)
	return &Checker{cfg: cfg, busy: map[string]bool{}}
}

// A Report is the state at one time, with its JSON names.
type Report struct {
	ClickHouse bool   `json:"clickhouse"`
	Database   bool   `json:"database"`
	Redis      bool   `json:"redis"`
	Success    bool   `json:"success"` // every probe succeeded
	Version    string `json:"version"`
	Timestamp  Time   `json:"timestamp"` // when the probes had answered
}

// Time is written in JSON as ISO 8601 in UTC with milliseconds.
type Time struct{ time.Time }

// MarshalText writes t as in 2026-03-29T01:02:03.000Z.
func (t Time) MarshalText() ([]byte, error) {
	return t.UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z07:00"), nil
}

// MarshalJSON writes the text of MarshalText.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(nil, `"2006-01-02T15:04:05.000Z07:00"`), nil
}

// Check reports the state, at most a second old. Probes run concurrently, and concurrent calls share
// one run. It returns within Timeout. The end of ctx does not stop a run, since others may wait for it;
// only its values are used.
func (c *Checker) Check(ctx context.Context) Report {
	c.mu.Lock()
	if age := c.cfg.Now().Sub(c.last.Timestamp.Time); c.current == nil && 0 <= age && age < fresh {
		defer c.mu.Unlock()
		return c.last
	}
	done := c.current
	if done == nil {
		done = make(chan struct{})
		c.current = done
		go c.run(context.WithoutCancel(ctx), done)
	}
	c.mu.Unlock()
	<-done
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// run asks all probes and keeps the report.
func (c *Checker) run(ctx context.Context, done chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	errs := make(map[string]error, len(c.cfg.Probes))
	for name, answer := range c.start(ctx) {
		select {
		case errs[name] = <-answer:
		case <-ctx.Done():
			errs[name] = ctx.Err()
			select { // an answer that is already there wins
			case errs[name] = <-answer:
			default:
			}
		}
	}
	report := c.report(ctx, errs)
	c.mu.Lock()
	c.last, c.current = report, nil
	c.mu.Unlock()
	close(done)
}

// start sets every probe to work and returns where each will answer.
func (c *Checker) start(ctx context.Context) map[string]<-chan error {
	c.mu.Lock()
	defer c.mu.Unlock()
	answers := make(map[string]<-chan error, len(c.cfg.Probes))
	for name, probe := range c.cfg.Probes {
		answer := make(chan error, 1)
		answers[name] = answer
		if c.busy[name] {
			answer <- errStuck
			continue
		}
		c.busy[name] = true
		go func() {
			err := try(ctx, probe)
			c.mu.Lock()
			c.busy[name] = false
			c.mu.Unlock()
			answer <- err
		}()
	}
	return answers
}

var errStuck = errors.New("an earlier probe has not returned yet")

// try runs probe; a panic or a missing probe is a failure like any other.
func try(ctx context.Context, probe Probe) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return probe(ctx)
}

func (c *Checker) report(ctx context.Context, errs map[string]error) Report {
	success := true
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		if err := errs[name]; err != nil {
			success = false
			c.cfg.Logger.ErrorContext(ctx, "health probe failed", "probe", name, "error", err)
		}
	}
	return Report{
		ClickHouse: errs[Analytics] == nil,
		Database:   errs[Relational] == nil,
		Redis:      errs[Cache] == nil,
		Success:    success,
		Version:    c.cfg.Version,
		Timestamp:  Time{c.cfg.Now()},
	}
}
