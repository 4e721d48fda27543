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

// Every process has a cache and a bus. Its store of keys tells both of changes that the process
// makes (meta.Store.Notify, auth.Memory.Notify); the bus tells the caches of the others. A Redis that
// is away, as here, delays nobody: caches look at their keys again by themselves.
func Example() {
	pepper, err := auth.NewPepper([]byte("at least sixteen bytes of the host's own"))
	if err != nil {
		fmt.Println(err)
		return
	}
	keys, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper})
	if err != nil {
		fmt.Println(err)
		return
	}
	cache, err := keycache.New(keycache.Config{Store: keys})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
	bus, err := redisbus.New(redisbus.Config{Client: client, To: cache})
	if err != nil {
		fmt.Println(err)
		return
	}
	bus.KeyChanged(context.Background(), "key_1")
	fmt.Println("told", errors.Join(bus.Close(), client.Close()))
	// Output: told <nil>
}
