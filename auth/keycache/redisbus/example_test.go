package redisbus_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/keycache"
	"github.com/sightline-analytics/sightline/auth/keycache/redisbus"
)

// Every process has a cache and a bus. Its key store notifies both of its own changes (meta.Store.Notify).
// The bus notifies the caches of the other processes.
func Example() {
	start := func(keys auth.KeyStore, client *redis.Client) (*keycache.Cache, *redisbus.Bus, error) {
		cache, err := keycache.New(keycache.Config{Store: keys})
		if err != nil {
			return nil, nil, err
		}
		bus, err := redisbus.New(redisbus.Config{Client: client, To: cache})
		return cache, bus, err
	}
	stop := func(client *redis.Client, bus *redisbus.Bus) error {
		return errors.Join(bus.Close(), client.Close())
	}
	_, _ = start, stop
}

// heard prints the ids of changed keys.
type heard struct{}

func (heard) KeyChanged(_ context.Context, id string) { fmt.Printf("changed: %q\n", id) }

// If Redis is unreachable, keys can still be changed. Caches of other processes see the change after
// keycache.Config.TTL.
func ExampleBus_KeyChanged() {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1}) // nobody listens there
	bus, err := redisbus.New(redisbus.Config{Client: client, To: heard{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	bus.KeyChanged(context.Background(), "key_1")
	fmt.Println("notified", errors.Join(bus.Close(), client.Close()))
	// Output: notified <nil>
}
