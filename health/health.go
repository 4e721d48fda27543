// Package health checks whether the dependencies of a service respond:
//
//	checker := health.New(health.Config{Probes: map[string]health.Probe{health.Analytics: events.Ping, health.Relational: records.Ping}})
//	report := checker.Check(ctx)
//	if !report.Success {
//		log.Print("analytics store responds: ", report.ClickHouse)
//	}
package health

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
)

// The roles in a Report, with the names of their JSON fields. The names do not depend on the product in use.
const (
	Analytics  = "clickhouse" // the analytics store
	Relational = "database"   // the relational store
	Cache      = "redis"      // the shared cache
)

// DefaultTimeout is the time limit of a probe if Config.Timeout is 0.
const DefaultTimeout = 2 * time.Second

// fresh is the time for which a Report is reused.
const fresh = time.Second

// A Probe checks one dependency and returns nil if it responds. It should return when ctx ends. A probe that does
// not counts as failed, and is not started again before it has returned.
type Probe func(ctx context.Context) error

// Config configures New. All fields are optional.
type Config struct {
	// Probes by role. A role without a probe is not part of the deployment and is reported as true. A probe with
	// another name affects Report.Success, and Report.Checks names it while it fails.
	Probes map[string]Probe
	// Warnings are probes that do not affect Report.Success: the service works without what they check, such as a
	// recent backup, or a cache. The report has the roles among them as it has those of Probes. Report.Checks names the
	// others while they fail.
	Warnings map[string]Probe
	// Timeout is the time limit of each probe. 0 means DefaultTimeout.
	Timeout time.Duration
	// Version is the version of the service in reports.
	Version string
	// Now is the clock for timestamps and for the cache. nil means time.Now.
	Now func() time.Time
	// Logger logs the errors of probes. A Report never contains them. nil means no log.
	Logger *slog.Logger
}

// A Checker runs probes. It is safe for concurrent use.
type Checker struct {
	cfg Config // with defaults

	mu      sync.Mutex
	last    Report
	current chan struct{}   // closed when the current run ends; nil without a run
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
	cfg.Probes, cfg.Warnings = maps.Clone(cfg.Probes), maps.Clone(cfg.Warnings)
	if cfg.Probes == nil {
		cfg.Probes = map[string]Probe{}
	}
	maps.Copy(cfg.Probes, cfg.Warnings)
	return &Checker{cfg: cfg, busy: map[string]bool{}}
}

// A Report is the state at one time, with its JSON names.
type Report struct {
	ClickHouse bool   `json:"clickhouse"`
	Database   bool   `json:"database"`
	Redis      bool   `json:"redis"`
	Success    bool   `json:"success"` // every probe succeeded, apart from Config.Warnings
	Version    string `json:"version"`
	Timestamp  Time   `json:"timestamp"` // when the probes had responded
	// Checks has the value false for each probe that failed and whose name is not one of the roles above. It is nil if
	// there is none. Callers share it and must not change it.
	Checks map[string]bool `json:"checks,omitempty"`
}

// Time is encoded in JSON as ISO 8601 in UTC with milliseconds.
type Time struct{ time.Time }

// MarshalText returns t in the form 2026-03-29T01:02:03.000Z.
func (t Time) MarshalText() ([]byte, error) {
	return t.UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z07:00"), nil
}

// MarshalJSON returns the text of MarshalText as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(nil, `"2006-01-02T15:04:05.000Z07:00"`), nil
}

// Check returns the state, which is at most one second old. Probes run concurrently, and concurrent calls share
// one run. Check returns within Timeout. Only the values of ctx are used: its end does not stop a run, since
// other calls may wait for it.
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
		//background:stop=Check bound=one fails="health probe failed"
		go c.run(context.WithoutCancel(ctx), done)
	}
	c.mu.Unlock()
	<-done
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// run runs all probes and stores the report.
func (c *Checker) run(ctx context.Context, done chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	errs := make(map[string]error, len(c.cfg.Probes))
	for name, answer := range c.start(ctx) {
		select {
		case errs[name] = <-answer:
		case <-ctx.Done():
			errs[name] = ctx.Err()
			select { // prefer a result that is already available
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

// start starts all probes and returns the channels of their results.
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
		//background:stop=run bound=busy fails="health probe failed"
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

// try runs probe. A panic and a missing probe count as failures.
func try(ctx context.Context, probe Probe) (err error) {
	defer failure.Recovered(&err)
	return probe(ctx)
}

func (c *Checker) report(ctx context.Context, errs map[string]error) Report {
	success := true
	var checks map[string]bool
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		if err := errs[name]; err != nil {
			if _, only := c.cfg.Warnings[name]; !only {
				success = false
			}
			if name != Analytics && name != Relational && name != Cache {
				if checks == nil {
					checks = map[string]bool{}
				}
				checks[name] = false
			}
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
		Checks:     checks,
	}
}
