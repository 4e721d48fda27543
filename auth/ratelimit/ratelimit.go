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
	DefaultInFlight = 20     // requests of a key at the same time
)

// maxLimit keeps a bucket's arithmetic exact; it is a million requests in a millisecond.
const maxLimit = 1_000_000_000

// Defaults returns the limits of the classes per [auth.Window], in a new map.
func Defaults() map[auth.Class]int {
	return map[auth.Class]int{
		auth.ClassQuery:    120,
		auth.ClassOther:    300,
		auth.ClassTrack:    6000,
		auth.ClassIdentify: 600,
		auth.ClassFlags:    600,
		auth.ClassPublic:   120,
		auth.ClassHealth:   600,
		auth.ClassRefused:  60,
	}
}

// Config is what New needs. The zero Config has all defaults.
type Config struct {
	// Limits are requests per auth.Window by class, 1 or more. A class that is missing has its default;
	// a class of the host's own has none. Limits of panel tokens ([auth.Class.Token] and Tokens) follow
	// from the others unless they are set.
	Limits map[auth.Class]int
	// Factor multiplies all limits, those of keys too, but not InFlight. 0 means 1.
	Factor float64
	// InFlight is how many requests of a key may run at the same time. 0 means
	// DefaultInFlight.
	InFlight int
	// Size is how many ids are remembered per class, some 250 bytes each. 0 means
	// DefaultSize.
	Size int
	// Now is the clock. nil means time.Now.
	Now func() time.Time
}

// A Limiter is an [auth.Limiter] and an [auth.ConcurrencyLimiter]. It is safe for concurrent use, and
// starts no goroutine.
type Limiter struct {
	tables   map[auth.Class]*table // fixed
	factor   float64
	now      func() time.Time
	inFlight inFlight
}

// New returns a Limiter, or all that is wrong with cfg.
func New(cfg Config) (*Limiter, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	l := &Limiter{
		tables:   make(map[auth.Class]*table, len(cfg.Limits)),
		factor:   cfg.Factor,
		now:      cfg.Now,
		inFlight: inFlight{most: cfg.InFlight, running: map[string]int{}},
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
			faults = append(faults, fmt.Errorf("ratelimit: Config.Limits: %d for class %q, fewer than 1", n, class))
		}
	}
	if cfg.Factor < 0 || math.IsNaN(cfg.Factor) || math.IsInf(cfg.Factor, 0) {
		faults = append(faults, fmt.Errorf("ratelimit: Config.Factor is %v", cfg.Factor))
	}
	if cfg.InFlight < 0 {
		faults = append(faults, fmt.Errorf("ratelimit: Config.InFlight is negative: %d", cfg.InFlight))
	}
	if cfg.Size < 0 {
		faults = append(faults, fmt.Errorf("ratelimit: Config.Size is negative: %d", cfg.Size))
	}
	return errors.Join(faults...)
}

func (cfg Config) withDefaults() Config {
	limits := Defaults()
	maps.Copy(limits, cfg.Limits)
	// Tokens have tables of their own: who mints many does not push out the buckets of keys.
	for class, limit := range maps.Clone(limits) {
		for of, times := range map[auth.Class]int{class.Token(): 1, class.Tokens(): auth.TokensFactor} {
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

// Allow implements [auth.Limiter]. It needs no I/O; its only error is that of a class
// without a limit.
func (l *Limiter) Allow(_ context.Context, class auth.Class, id string, cost int, own *auth.Limits) (auth.Decision, error) {
	return l.decide(class, id, cost, own, true)
}

// Peek returns what Allow would return now, and takes nothing.
func (l *Limiter) Peek(class auth.Class, id string, cost int, own *auth.Limits) (auth.Decision, error) {
	return l.decide(class, id, cost, own, false)
}

func (l *Limiter) decide(class auth.Class, id string, cost int, own *auth.Limits, take bool) (auth.Decision, error) {
	t, ok := l.tables[class]
	if !ok {
		return auth.Decision{}, fmt.Errorf("ratelimit: class %q has no limit", class)
	}
	limit := t.limit
	if own != nil {
		limit = l.scaled(own.PerMinute)
	}
	return t.decide(id, max(cost, 0), limit, take), nil
}

// scaled is a limit with the factor applied. Nobody is locked out by rounding.
func (l *Limiter) scaled(limit int) int {
	return int(min(max(math.Round(float64(limit)*l.factor), 1), maxLimit))
}
