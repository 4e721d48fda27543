package redisbus_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/flags/redisbus"
)

// Every process has an evaluator of flags and a bus. Its store of flags tells both of changes that
// the process makes; the bus tells the evaluators of the others.
func Example() {
	start := func(evaluator *flags.Evaluator, client *redis.Client) (*redisbus.Bus, error) {
		return redisbus.New(redisbus.Config{Client: client, To: evaluator})
	}
	stop := func(client *redis.Client, bus *redisbus.Bus) error {
		return errors.Join(bus.Close(), client.Close())
	}
	_, _ = start, stop
}

// heard tells which clients' flags changed.
type heard struct{}

func (heard) FlagsChanged(_ context.Context, client flags.Client) { fmt.Println("changed:", client) }

// A bus whose Redis is away delays nobody, and loses nothing: other processes find the change within
// flags.EvaluatorConfig.Every.
func ExampleBus_FlagsChanged() {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1}) // nobody listens there
	bus, err := redisbus.New(redisbus.Config{Client: client, To: heard{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	bus.FlagsChanged(context.Background(), flags.OfWebsite("web_1"))
	fmt.Println("told", errors.Join(bus.Close(), client.Close()))
	// Output: told <nil>
}
