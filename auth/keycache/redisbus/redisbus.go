// Package redisbus tells the processes of a deployment of changed keys through Redis, so
// that a revocation reaches all of them in milliseconds rather than at the end of their
// caches' time.
//
// It carries only ids of keys, and nothing depends on it: when a message is lost, or Redis is
// unreachable, caches are still at most keycache.Config.TTL behind. A message is sent once, and may be
// lost with the sender's connection; one that arrives twice does no harm. When a listening connection
// is restored, caches drop everything, since messages may have been missed.
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

// DefaultChannel is the Redis channel that the processes of one deployment share.
const DefaultChannel = "sightline:keys"

const (
	maxID      = 1024 // bytes of an id; whatever is longer comes from somebody else
	maxSending = 16   // messages on their way at the same time; a Redis that hangs keeps them
)

// Config is what a [Bus] needs.
type Config struct {
	Client  redis.UniversalClient // required; the caller closes it, after the bus
	To      auth.Invalidator      // required; notified of changes of all processes, such as a keycache.Cache
	Channel string                // empty means DefaultChannel; one per deployment
	Timeout time.Duration         // of sending, which the change of a key waits for; 0 means 50 ms
	Logger  *slog.Logger          // nil means silent
}

// A Bus is an [auth.Invalidator] that notifies all processes. It is safe for concurrent use.
type Bus struct {
	cfg  Config
	sub  *redis.PubSub
	stop context.CancelFunc
	done sync.WaitGroup // listening

	sending chan struct{} // a place for every message on its way
	away    atomic.Bool   // the last message could not be sent
}

var _ auth.Invalidator = (*Bus)(nil)

// New begins to listen. It does not wait for Redis, which may be unreachable. Its error joins all
// problems of cfg.
func New(cfg Config) (*Bus, error) {
	var faults []error
	if cfg.Client == nil {
		faults = append(faults, errors.New("auth/keycache/redisbus: client is missing"))
	}
	if cfg.To == nil {
		faults = append(faults, errors.New("auth/keycache/redisbus: whom to tell is missing"))
	}
	if cfg.Timeout < 0 {
		faults = append(faults, errors.New("auth/keycache/redisbus: timeout is negative"))
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
		sub: cfg.Client.Subscribe(ctx), // to nothing yet, which needs no connection
	}
	b.done.Go(func() { b.listen(ctx) })
	return b, nil
}

// listen passes on what others say until Close. The client connects again by itself.
func (b *Bus) listen(ctx context.Context) {
	// An error is no matter: the client knows now what to subscribe to when it can.
	_ = b.sub.Subscribe(ctx, b.cfg.Channel)
	for said := range b.sub.ChannelWithSubscriptions() {
		switch m := said.(type) {
		case *redis.Subscription: // the first, or after a time without a connection
			b.cfg.To.KeyChanged(ctx, "")
		case *redis.Message:
			if len(m.Payload) <= maxID {
				b.cfg.To.KeyChanged(ctx, m.Payload)
			}
		}
	}
}

// Close stops listening. Calling it again does nothing.
func (b *Bus) Close() error {
	b.stop()
	err := b.sub.Close()
	b.done.Wait()
	if errors.Is(err, redis.ErrClosed) {
		return nil
	}
	return err
}

// KeyChanged implements [auth.Invalidator]: it notifies all processes through Redis, this one too; so a
// store of keys should also notify the cache of its own process directly. A failure is logged, once
// until it works again.
func (b *Bus) KeyChanged(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.cfg.Timeout)
	defer cancel()
	err := b.publish(ctx, id)
	if was := b.away.Swap(err != nil); was == (err != nil) {
		return
	}
	if err != nil {
		b.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "other processes will see changes late", slog.String("channel", b.cfg.Channel), slog.Any("error", err))
		return
	}
	b.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "other processes see changes at once again", slog.String("channel", b.cfg.Channel))
}

// publish returns when ctx ends, which the client itself does not promise.
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
