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

// Every process has a cache and a bus. Its store of keys tells both of changes that the
// process makes (meta.Store.Notify); the bus tells the caches of the others.
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

// heard prints which keys changed.
type heard struct{}

func (heard) KeyChanged(_ context.Context, id string) { fmt.Printf("changed: %q\n", id) }

// A Redis that is away keeps no change from being made: caches of other processes look at their keys
// again by themselves, after keycache.Config.TTL.
func ExampleBus_KeyChanged() {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1}) // nobody listens there
	bus, err := redisbus.New(redisbus.Config{Client: client, To: heard{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	bus.KeyChanged(context.Background(), "key_1")
	fmt.Println("told", errors.Join(bus.Close(), client.Close()))
	// Output: told <nil>
}
