package redisbus_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/keycache"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/redisbus"
)

// keys are the keys of a host that notifies others of its changes, such as a meta.Store or an auth.Memory.
type keys interface {
	auth.KeyStore
	Notify(inv auth.Invalidator)
}

// Every process has a bus. Its key store notifies the cache of keys and the bus. The bus notifies the caches and
// the flags of the other processes.
func Example() {
	start := func(keys keys, store flags.Store, client *redis.Client) (*keycache.Cache, *flags.Service, error) {
		bus, err := redisbus.New(redisbus.Config{Client: client}) // close it after the service
		if err != nil {
			return nil, nil, err
		}
		cache, err := keycache.New(keycache.Config{Store: keys})
		if err != nil {
			return nil, nil, err
		}
		keys.Notify(cache)
		keys.Notify(bus)
		bus.NotifyKeys(cache)
		service, err := flags.New(flags.Config{Store: store, Bus: bus})
		return cache, service, err
	}
	_ = start
}

// If Redis is unreachable, keys and flags can still be changed. Other processes see the change after
// keycache.Config.TTL or flags.Config.Every.
func ExampleBus_KeyChanged() {
	ctx := context.Background()
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1}) // nobody listens there
	bus, err := redisbus.New(redisbus.Config{Client: client})
	if err != nil {
		fmt.Println(err)
		return
	}
	bus.KeyChanged(ctx, "key_1")
	bus.FlagsChanged(ctx, flags.OfWebsite("web_1"))
	fmt.Println("notified", errors.Join(bus.Close(ctx), client.Close()))
	// Output: notified <nil>
}
