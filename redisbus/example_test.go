package redisbus_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/redisbus"
	"github.com/sightline-analytics/sightline/store"
)

// Every process has a bus. The service notifies it of changes, and it notifies the services of the other processes. The
// processes share events and records, such as a clickhouse.Store and a meta.Store on PostgreSQL.
func Example() {
	start := func(events store.Store, records sightline.Records, client *redis.Client) (*sightline.Service, error) {
		bus, err := redisbus.New(redisbus.Config{Client: client}) // close it after the service
		if err != nil {
			return nil, err
		}
		return sightline.New(sightline.Config{Events: events, Records: records, Bus: bus})
	}
	_ = start
}

// If Redis is unreachable, keys and flags can still be changed. Other processes see a changed key within a second, and
// a changed flag after flags.Config.Every.
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
