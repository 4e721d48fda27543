// Package redisbus notifies all processes of a deployment of changed keys through Redis:
//
//	cache, err := keycache.New(keycache.Config{Store: keys})
//	bus, err := redisbus.New(redisbus.Config{Client: client, To: cache}) // messages of other processes go to cache
//	defer bus.Close()
//	keys.Notify(cache)                                                   // changes of this process
//	bus.KeyChanged(ctx, key.ID)                                          // notifies all processes
//
// With it a revocation reaches all processes within milliseconds, instead of after the TTL of their caches.
//
// The bus carries only ids of keys, and security does not depend on it. If a message is lost or Redis is
// unreachable, caches are still at most keycache.Config.TTL behind. A message is sent once, and may be lost with
// the connection of its sender. A duplicate message is harmless. After a lost connection is restored, caches drop
// everything, since they may have missed messages.
package redisbus

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
)

// DefaultChannel is the default Redis channel, which all processes of a deployment share.
const DefaultChannel = "sightline:keys"

const (
	maxID      = 1024 // bytes of an id; a longer message is not from this program
	maxSending = 16   // concurrent messages; they pile up if Redis does not respond
)

// Config configures [New].
type Config struct {
	Client  redis.UniversalClient // required; the caller closes it after the bus
	To      auth.Invalidator      // required; notified of changes by all processes, for example a keycache.Cache
	Channel string                // one per deployment; empty means DefaultChannel
	Timeout time.Duration         // maximum time of sending, during which the change of a key waits; 0 means 50 ms
	Logger  *slog.Logger          // nil means no log
}

// A Bus is an [auth.Invalidator] that notifies all processes. It is safe for concurrent use.
type Bus struct {
	cfg  Config
	sub  *redis.PubSub
	stop context.CancelFunc
	done sync.WaitGroup // waits for listen

	sending chan struct{} // limits concurrent messages
	away    atomic.Bool   // the last message could not be sent
}

var _ auth.Invalidator = (*Bus)(nil)

// New starts listening. It does not wait for Redis, which may be unreachable. Its error joins all problems of
// cfg.
func New(cfg Config) (*Bus, error) {
	var faults []error
	if cfg.Client == nil {
		faults = append(faults, errors.New("auth/keycache/redisbus: Config.Client is required"))
	}
	if cfg.To == nil {
		faults = append(faults, errors.New("auth/keycache/redisbus: Config.To is required"))
	}
	if cfg.Timeout < 0 {
		faults = append(faults, errors.New("auth/keycache/redisbus: Config.Timeout must not be negative"))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if cfg.Channel == "" {
		cfg.Channel = DefaultChannel
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 50 * time.Millisecond
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	b := &Bus{
		cfg: cfg, stop: stop, sending: make(chan struct{}, maxSending),
		sub: cfg.Client.Subscribe(ctx), // without a channel, so it does not connect yet
	}
	b.done.Go(func() { b.listen(ctx) })
	return b, nil
}

// listen passes on messages until Close. The client reconnects automatically.
func (b *Bus) listen(ctx context.Context) {
	// An error does not matter: the client subscribes when it reconnects.
	_ = b.sub.Subscribe(ctx, b.cfg.Channel)
	for said := range b.sub.ChannelWithSubscriptions() {
		switch m := said.(type) {
		case *redis.Subscription: // the first subscription, or a new one after a lost connection
			b.cfg.To.KeyChanged(ctx, "")
		case *redis.Message:
			if len(m.Payload) <= maxID {
				b.cfg.To.KeyChanged(ctx, m.Payload)
			}
		}
	}
}

// Close stops listening. Further calls do nothing.
func (b *Bus) Close() error {
	b.stop()
	err := b.sub.Close()
	b.done.Wait()
	if errors.Is(err, redis.ErrClosed) {
		return nil
	}
	return err
}

// KeyChanged implements [auth.Invalidator]. It notifies all processes through Redis, including this one. A key
// store should also notify the cache of its own process directly. Only the first of several failures in a row
// is logged.
func (b *Bus) KeyChanged(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.cfg.Timeout)
	defer cancel()
	err := b.publish(ctx, id)
	if was := b.away.Swap(err != nil); was == (err != nil) {
		return
	}
	if err != nil {
		b.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "Redis is unreachable; other processes will see key changes late", slog.String("channel", b.cfg.Channel), slog.Any("error", err))
		return
	}
	b.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "Redis is reachable again; other processes see key changes at once", slog.String("channel", b.cfg.Channel))
}

// publish returns at the latest when ctx ends. The client itself does not guarantee that.
func (b *Bus) publish(ctx context.Context, id string) error {
	select {
	case b.sending <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	sent := make(chan error, 1)
	go func() {
		defer func() { <-b.sending }()
		sent <- b.cfg.Client.Publish(ctx, b.cfg.Channel, id).Err()
	}()
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
