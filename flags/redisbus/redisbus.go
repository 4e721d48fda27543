// Package redisbus notifies the processes of a deployment of changed feature flags through Redis, so
// that their evaluators see a change in milliseconds. It carries only kinds and ids of clients, and nothing
// depends on it: without it, evaluators find changes within [flags.EvaluatorConfig.Every]. Messages are
// sent and received as in package auth/keycache/redisbus.
package redisbus

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth/keycache/redisbus"
	"github.com/sightline-analytics/sightline/flags"
)

// DefaultChannel is the Redis channel that the processes of one deployment share.
const DefaultChannel = "sightline:flags"

// Config is what a [Bus] needs.
type Config struct {
	Client  redis.UniversalClient // required; the caller closes it, after the bus
	To      flags.Invalidator     // required; notified of changes of all processes, such as a flags.Evaluator
	Channel string                // empty means DefaultChannel; one per deployment
	Timeout time.Duration         // of sending, which the change of a flag waits for; 0 means 50 ms
	Logger  *slog.Logger          // nil means silent
}

// A Bus is a [flags.Invalidator] that notifies all processes. It is safe for concurrent use.
type Bus struct{ bus *redisbus.Bus }

var _ flags.Invalidator = (*Bus)(nil)

// New begins to listen. It does not wait for Redis, which may be unreachable. Its error joins all
// problems of cfg.
func New(cfg Config) (*Bus, error) {
	if cfg.To == nil {
		return nil, errors.New("flags/redisbus: whom to tell is missing")
	}
	bus, err := redisbus.New(redisbus.Config{
		Client: cfg.Client, To: listener{cfg.To}, Channel: cmp.Or(cfg.Channel, DefaultChannel), Timeout: cfg.Timeout, Logger: cfg.Logger,
	})
	if err != nil {
		return nil, err
	}
	return &Bus{bus}, nil
}

// FlagsChanged implements [flags.Invalidator] as [redisbus.Bus] implements auth.Invalidator.
func (b *Bus) FlagsChanged(ctx context.Context, client flags.Client) {
	b.bus.KeyChanged(ctx, client.String())
}

// Close stops listening. Calling it again does nothing.
func (b *Bus) Close() error { return b.bus.Close() }

// listener hears of clients where others hear of keys.
type listener struct{ to flags.Invalidator }

// KeyChanged implements auth.Invalidator. A text that names no client, as older programs send it, may mean any.
func (l listener) KeyChanged(ctx context.Context, text string) {
	client, known := flags.ParseClient(text)
	if !known {
		client = flags.Client{}
	}
	l.to.FlagsChanged(ctx, client)
}
