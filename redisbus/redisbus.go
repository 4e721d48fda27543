// Package redisbus notifies all processes of a deployment of changed keys and feature flags through Redis:
//
//	bus, err := redisbus.New(redisbus.Config{Client: client})
//	defer bus.Close(ctx) // after the service
//	service, err := sightline.New(sightline.Config{Events: events, Records: records, Bus: bus})
//
// With it a revocation of a key and a change of a flag reach all processes within milliseconds. Without it they
// take effect within a second, and at the next check of the store (flags.Config.Every).
//
// The bus carries only ids of keys, and kinds and ids of clients of flags. Security does not depend on it. If a
// message is lost or Redis is unreachable, processes see the change as late as without the bus. A message is sent
// once, and may be lost with the connection of its sender. A duplicate message is harmless. After a lost connection
// is restored, the bus says that everything may have changed, since messages may have been missed.
package redisbus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
)

// DefaultPrefix is the default prefix of the Redis channels, which all processes of a deployment share.
const DefaultPrefix = "sightline"

// KeyChannel and FlagChannel follow the prefix in the names of the channels.
const (
	KeyChannel  = ":keys"
	FlagChannel = ":flags"
)

const (
	maxMessage = 1024 // bytes; a longer message is not from this program
	maxSending = 16   // concurrent messages; they pile up if Redis does not respond
)

// ErrConfig: [New] got an invalid [Config].
var ErrConfig = errors.New("redisbus: invalid Config")

// Config configures [New].
type Config struct {
	Client redis.UniversalClient // required; the caller closes it after the bus
	Prefix string                // one per deployment; empty means DefaultPrefix
	// maximum time of sending, during which the change of a key or flag waits; 0 means 50 ms
	Timeout time.Duration
	Logger  *slog.Logger // nil means no log
}

// A Bus is an [auth.Invalidator] and a [flags.Bus] that notifies all processes. It is safe for concurrent use.
type Bus struct {
	cfg  Config
	sub  *redis.PubSub
	stop context.CancelFunc
	done chan struct{} // closed when listen returns

	sending chan struct{} // limits concurrent messages
	away    atomic.Bool   // the last message could not be sent

	mu         sync.Mutex
	subscribed map[string]bool              // by channel
	listeners  map[string][]func(id string) // by channel; an empty id means that everything may have changed
}

var (
	_ auth.Invalidator = (*Bus)(nil)
	_ flags.Bus        = (*Bus)(nil)
)

// New starts listening. It does not wait for Redis, which may be unreachable. Its error joins all problems of cfg,
// and wraps [ErrConfig].
func New(cfg Config) (*Bus, error) {
	var faults []error
	if cfg.Client == nil {
		faults = append(faults, fmt.Errorf("%w: Client is required", ErrConfig))
	}
	if cfg.Timeout < 0 {
		faults = append(faults, fmt.Errorf("%w: Timeout must not be negative: %v", ErrConfig, cfg.Timeout))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if cfg.Prefix == "" {
		cfg.Prefix = DefaultPrefix
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 50 * time.Millisecond
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	b := &Bus{
		cfg: cfg, stop: stop, done: make(chan struct{}), sending: make(chan struct{}, maxSending),
		sub:        cfg.Client.Subscribe(ctx), // without a channel, so it does not connect yet
		subscribed: map[string]bool{}, listeners: map[string][]func(string){},
	}
	//background:stop=Close bound=one fails="could not subscribe"
	go b.listen(ctx)
	return b, nil
}

// NotifyKeys makes b notify inv of changes of keys by all processes, for example a keycache.Cache. It notifies inv
// that any key may have changed when b subscribes, also after a lost connection.
func (b *Bus) NotifyKeys(inv auth.Invalidator) {
	b.add(b.cfg.Prefix+KeyChannel, func(id string) { inv.KeyChanged(context.Background(), id) })
}

// NotifyFlags implements [flags.Bus]. It notifies inv that the flags of any client may have changed when b
// subscribes, also after a lost connection.
func (b *Bus) NotifyFlags(inv flags.Invalidator) {
	b.add(b.cfg.Prefix+FlagChannel, func(text string) {
		client, ok := flags.ParseClient(text)
		if !ok { // the empty text, or not from this program
			client = flags.Client{}
		}
		inv.FlagsChanged(context.Background(), client)
	})
}

// add makes b call f for the messages of a channel.
func (b *Bus) add(channel string, f func(string)) {
	b.mu.Lock()
	b.listeners[channel] = append(b.listeners[channel], f)
	missed := b.subscribed[channel]
	b.mu.Unlock()
	if missed {
		f("")
	}
}

// listen passes on messages until Close. The client reconnects automatically.
func (b *Bus) listen(ctx context.Context) {
	defer close(b.done)
	err := b.sub.Subscribe(ctx, b.cfg.Prefix+KeyChannel, b.cfg.Prefix+FlagChannel)
	if err != nil && ctx.Err() == nil {
		b.cfg.Logger.LogAttrs(ctx, slog.LevelWarn,
			"could not subscribe to changes of keys and flags; the client will reconnect",
			slog.Any("error", err))
	}
	for said := range b.sub.ChannelWithSubscriptions() {
		switch m := said.(type) {
		case *redis.Subscription: // the first subscription, or a new one after a lost connection
			b.pass(m.Channel, "")
		case *redis.Message:
			if len(m.Payload) <= maxMessage {
				b.pass(m.Channel, m.Payload)
			}
		}
	}
}

// pass calls the listeners of a channel.
func (b *Bus) pass(channel, text string) {
	b.mu.Lock()
	b.subscribed[channel] = true
	listeners := slices.Clone(b.listeners[channel])
	b.mu.Unlock()
	for _, f := range listeners {
		f(text)
	}
}

// Close stops listening, and waits for a running notification until ctx ends. Further calls only wait.
func (b *Bus) Close(ctx context.Context) error {
	b.stop()
	err := b.sub.Close()
	if errors.Is(err, redis.ErrClosed) {
		err = nil
	}
	select {
	case <-b.done:
		return err
	case <-ctx.Done():
		return errors.Join(err, ctx.Err())
	}
}

// KeyChanged implements [auth.Invalidator]. It notifies all processes through Redis, including this one. A key
// store should also notify the cache in its process directly.
func (b *Bus) KeyChanged(ctx context.Context, id string) { b.send(ctx, b.cfg.Prefix+KeyChannel, id) }

// FlagsChanged implements [flags.Invalidator] as KeyChanged implements [auth.Invalidator].
func (b *Bus) FlagsChanged(ctx context.Context, client flags.Client) {
	b.send(ctx, b.cfg.Prefix+FlagChannel, client.String())
}

// send sends text to a channel, also if ctx has ended. Only the first of several failures in a row is logged.
func (b *Bus) send(ctx context.Context, channel, text string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.cfg.Timeout)
	defer cancel()
	err := b.publish(ctx, channel, text)
	if was := b.away.Swap(err != nil); was == (err != nil) {
		return
	}
	if err != nil {
		b.cfg.Logger.LogAttrs(ctx, slog.LevelWarn,
			"Redis is unreachable; other processes will see changes of keys and flags late",
			slog.String("channel", channel), slog.Any("error", err))
		return
	}
	b.cfg.Logger.LogAttrs(ctx, slog.LevelInfo,
		"Redis is reachable again; other processes see changes of keys and flags at once",
		slog.String("channel", channel))
}

// publish returns at the latest when ctx ends. The client itself does not guarantee that.
func (b *Bus) publish(ctx context.Context, channel, text string) error {
	select {
	case b.sending <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	sent := make(chan error, 1)
	//background:stop=ctx bound=maxSending fails="Redis is unreachable"
	go func() {
		defer func() { <-b.sending }()
		sent <- b.cfg.Client.Publish(ctx, channel, text).Err()
	}()
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
