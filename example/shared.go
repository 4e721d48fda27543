//go:build cgo

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/keycache/redisbus"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
	"github.com/sightline-analytics/sightline/store/meta"
)

// shared is what processes have in common through Redis. The nil shared is that of a
// program without.
type shared struct {
	client *redis.Client
	close  []func() error // what uses the client, in the order in which it began
}

// openShared does not wait for Redis, which may be away.
func openShared(dsn string) (*shared, error) {
	if dsn == "" {
		return nil, nil //nolint:nilnil // the nil shared is one
	}
	o, err := redislimit.Options(dsn)
	if err != nil {
		return nil, fmt.Errorf("--redis: %w", err)
	}
	return &shared{client: redis.NewClient(o)}, nil
}

func (s *shared) end() error {
	if s == nil {
		return nil
	}
	var faults []error
	for _, end := range slices.Backward(s.close) {
		faults = append(faults, end())
	}
	return errors.Join(append(faults, s.client.Close())...)
}

func (s *shared) ping(ctx context.Context) error { return s.client.Ping(ctx).Err() }

// listen has to told of keys that other processes changed.
func (a *app) listen(to auth.Invalidator) error {
	if a.shared == nil {
		return nil
	}
	bus, err := redisbus.New(redisbus.Config{Client: a.shared.client, To: to, Logger: a.log})
	if err != nil {
		return err
	}
	a.shared.close = append(a.shared.close, bus.Close)
	a.meta.Notify(bus)
	return nil
}

// deaf hears of no changed keys: a command remembers none.
type deaf struct{}

func (deaf) KeyChanged(context.Context, string) {}

// redisFlag adds the flag of commands that change keys which servers may remember.
func (r *records) redisFlag(set *flag.FlagSet) {
	set.StringVar(&r.redis, "redis", "", "`address` of the servers' Redis, to tell them at once; without it they see the change within a second")
}

// telling runs a change to a key of m, and tells servers of it through Redis.
func (r *records) telling(m *meta.Store, change func() error) (err error) {
	s, err := openShared(r.redis)
	switch {
	case err != nil:
		return err
	case s == nil:
		return change()
	}
	defer func() { err = errors.Join(err, s.end()) }()
	log := slog.New(slog.NewTextHandler(r.to.err, nil))
	bus, err := redisbus.New(redisbus.Config{Client: s.client, To: deaf{}, Timeout: time.Second, Logger: log})
	if err != nil {
		return err
	}
	s.close = append(s.close, bus.Close)
	m.Notify(bus)
	return change()
}

// limiter is one for all addresses, so that a key has the same buckets at each.
func (a *app) limiter() (auth.Limiter, error) {
	if a.settings.limits == 0 {
		return auth.Unlimited, nil
	}
	local, err := ratelimit.New(ratelimit.Config{Limits: a.settings.limitOf, Factor: a.settings.limits, Now: a.now})
	if err != nil || a.shared == nil {
		return local, err
	}
	all, err := redislimit.New(redislimit.Config{Client: a.shared.client, Local: local, Now: a.now, Logger: a.log})
	if err != nil {
		return nil, err
	}
	a.shared.close = append(a.shared.close, all.Close)
	return all, nil
}
