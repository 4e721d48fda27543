package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// The defaults of Config.
const (
	DefaultSize     = 65_536 // ids per class
	DefaultInFlight = 20     // concurrent requests of a key
)

// maxLimit is the maximum limit. It keeps the arithmetic of a bucket exact.
const maxLimit = 1_000_000_000

// Defaults returns the limits of the classes, in requests per [auth.Window], in a new map.
func Defaults() map[auth.Class]int {
	all := map[auth.Class]int{}
	for _, class := range []auth.Class{auth.ClassQuery, auth.ClassOther, auth.ClassExport, auth.ClassTrack,
		auth.ClassIdentify, auth.ClassFlags, auth.ClassEvaluate, auth.ClassPublic, auth.ClassHealth,
		auth.ClassRefused} {
		all[class] = class.Default()
	}
	return all
}

// Config configures New. The zero Config uses all defaults.
type Config struct {
	// Limits are requests per auth.Window by class, at least 1. A missing class has its default. A class of the
	// host has no default. Limits of panel tokens and owners ([auth.Class.Token], Tokens and Owner) are derived from
	// the other limits unless they are set.
	Limits map[auth.Class]int
	// Factor multiplies all limits, including limits of keys, but not InFlight. 0 means 1.
	Factor float64
	// InFlight is the maximum number of concurrent requests of a key. 0 means
	// DefaultInFlight.
	InFlight int
	// Size is the maximum number of ids per class. Each takes about 250 bytes. 0 means
	// DefaultSize.
	Size int
	// Now is the clock. nil means time.Now.
	Now func() time.Time
}

// A Limiter is an [auth.Limiter], an [auth.GroupLimiter] and an [auth.ConcurrencyLimiter]. It is safe for concurrent
// use and starts no goroutines.
type Limiter struct {
	tables   map[auth.Class]*table // not changed after New
	factor   float64
	now      func() time.Time
	inFlight inFlight
}

// New returns a Limiter. Its error joins all problems of cfg.
func New(cfg Config) (*Limiter, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	l := &Limiter{
		tables:   make(map[auth.Class]*table, len(cfg.Limits)),
		factor:   cfg.Factor,
		now:      cfg.Now,
		inFlight: inFlight{limit: cfg.InFlight, running: map[string]int{}},
	}
	for class, limit := range cfg.Limits {
		t, err := newTable(l.scaled(limit), cfg.Size, cfg.Now)
		if err != nil {
			return nil, err
		}
		l.tables[class] = t
	}
	return l, nil
}

func (cfg *Config) check() error {
	var faults []error
	for _, class := range slices.Sorted(maps.Keys(cfg.Limits)) {
		if n := cfg.Limits[class]; n < 1 {
			faults = append(faults, fmt.Errorf("ratelimit: Config.Limits for class %q must be at least 1, not %d",
				class, n))
		}
	}
	if cfg.Factor < 0 || math.IsNaN(cfg.Factor) || math.IsInf(cfg.Factor, 0) {
		faults = append(faults, fmt.Errorf("ratelimit: Config.Factor must be a positive number, not %v", cfg.Factor))
	}
	if cfg.InFlight < 0 {
		faults = append(faults, fmt.Errorf("ratelimit: Config.InFlight must not be negative: %d", cfg.InFlight))
	}
	if cfg.Size < 0 {
		faults = append(faults, fmt.Errorf("ratelimit: Config.Size must not be negative: %d", cfg.Size))
	}
	return errors.Join(faults...)
}

func (cfg Config) withDefaults() Config {
	limits := Defaults()
	maps.Copy(limits, cfg.Limits)
	// Tokens have their own tables, so that minting many tokens does not push out the buckets of keys.
	for class, limit := range maps.Clone(limits) {
		for of, times := range map[auth.Class]int{class.Token(): 1, class.Tokens(): auth.TokensFactor,
			class.Owner(): auth.OwnerFactor, class.Owner().Tokens(): auth.OwnerFactor * auth.TokensFactor} {
			if _, given := cfg.Limits[of]; !given {
				limits[of] = min(limit, maxLimit) * times
			}
		}
	}
	cfg.Limits = limits
	if cfg.Factor == 0 {
		cfg.Factor = 1
	}
	if cfg.InFlight == 0 {
		cfg.InFlight = DefaultInFlight
	}
	if cfg.Size == 0 {
		cfg.Size = DefaultSize
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return cfg
}

// Allow implements [auth.Limiter]. It does no I/O, and fails only for a class without a
// limit.
func (l *Limiter) Allow(_ context.Context, class auth.Class, id string, cost int, own *auth.Limits) (auth.Decision,
	error) {
	return l.decide(class, id, cost, own, true)
}

// AllowAll implements [auth.GroupLimiter]. Nobody sees a state in which some buckets are charged and others are not. It
// fails only for a class without a limit.
func (l *Limiter) AllowAll(_ context.Context, _ string, buckets []auth.Bucket, cost int) ([]auth.Decision, error) {
	var classes []auth.Class
	for _, b := range buckets {
		if _, ok := l.tables[b.Class]; !ok {
			return nil, noLimit(b.Class)
		}
		if !slices.Contains(classes, b.Class) {
			classes = append(classes, b.Class)
		}
	}
	slices.Sort(classes) // all callers lock tables in the same order
	for _, class := range classes {
		l.tables[class].mu.Lock()
		defer l.tables[class].mu.Unlock()
	}
	decisions := make([]auth.Decision, 0, len(buckets))
	for _, take := range []bool{false, true} {
		decisions = decisions[:0]
		for _, b := range buckets {
			t := l.tables[b.Class]
			d := t.decideLocked(b.ID, cost, l.limitOf(t, b.Limits), take)
			if decisions = append(decisions, d); !d.OK {
				return decisions, nil
			}
		}
	}
	return decisions, nil
}

// Peek returns the decision that Allow would make now, without taking anything.
func (l *Limiter) Peek(class auth.Class, id string, cost int, own *auth.Limits) (auth.Decision, error) {
	return l.decide(class, id, cost, own, false)
}

func (l *Limiter) decide(class auth.Class, id string, cost int, own *auth.Limits, take bool) (auth.Decision, error) {
	t, ok := l.tables[class]
	if !ok {
		return auth.Decision{}, noLimit(class)
	}
	return t.decide(id, cost, l.limitOf(t, own), take), nil
}

func noLimit(class auth.Class) error { return fmt.Errorf("ratelimit: class %q has no limit", class) }

// limitOf returns the limit of a bucket in t, which may have its own.
func (l *Limiter) limitOf(t *table, own *auth.Limits) int {
	if own != nil {
		return l.scaled(own.PerMinute)
	}
	return t.limit
}

// scaled returns limit times the factor, rounded, and at least 1.
func (l *Limiter) scaled(limit int) int {
	return int(min(max(math.Round(float64(limit)*l.factor), 1), maxLimit))
}
