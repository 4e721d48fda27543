// Package redisbus notifies all processes of a deployment of changed feature flags through Redis:
//
//	evaluator, err := flags.NewEvaluator(flags.EvaluatorConfig{Store: store})
//	bus, err := redisbus.New(redisbus.Config{Client: client, To: evaluator}) // messages of other processes go to evaluator
//	defer bus.Close()
//	editor, err := flags.NewEditor(flags.EditorConfig{Store: store, Notify: []flags.Invalidator{evaluator, bus}})
//	flag, err := editor.Create(ctx, actor, flag)                             // all evaluators are notified
//
// With it, evaluators see a change within milliseconds. The bus carries only kinds and ids of clients. It is
// optional: without it, evaluators find changes within [flags.EvaluatorConfig.Every]. Messages are sent and
// received as in package auth/keycache/redisbus.
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

// DefaultChannel is the default Redis channel, which all processes of a deployment share.
const DefaultChannel = "sightline:flags"

// Config configures [New].
type Config struct {
	Client  redis.UniversalClient // required; the caller closes it after the bus
	To      flags.Invalidator     // required; notified of changes by all processes, for example a flags.Evaluator
	Channel string                // one per deployment; empty means DefaultChannel
	Timeout time.Duration         // maximum time of sending, during which the change of a flag waits; 0 means 50 ms
	Logger  *slog.Logger          // nil means no log
}

// A Bus is a [flags.Invalidator] that notifies all processes. It is safe for concurrent use.
type Bus struct{ bus *redisbus.Bus }

var _ flags.Invalidator = (*Bus)(nil)

// New starts listening. It does not wait for Redis, which may be unreachable. Its error joins all problems of
// cfg.
func New(cfg Config) (*Bus, error) {
	if cfg.To == nil {
		return nil, errors.New("flags/redisbus: Config.To is required")
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

// Close stops listening. Further calls do nothing.
func (b *Bus) Close() error { return b.bus.Close() }

// listener passes on notifications of keys as notifications of clients.
type listener struct{ to flags.Invalidator }

// KeyChanged implements auth.Invalidator. Any other text, as sent by older versions, stands for all clients.
func (l listener) KeyChanged(ctx context.Context, text string) {
	client, known := flags.ParseClient(text)
	if !known {
		client = flags.Client{}
	}
	l.to.FlagsChanged(ctx, client)
}
