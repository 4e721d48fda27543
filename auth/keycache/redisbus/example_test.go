package redisbus_test

import (
	"errors"

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
