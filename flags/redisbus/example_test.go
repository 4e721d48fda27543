package redisbus_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/flags/redisbus"
)

// Every process has an evaluator and a bus. Its editor notifies both of its own changes. The bus notifies
// the evaluators of the other processes.
func Example() {
	start := func(evaluator *flags.Evaluator, client *redis.Client) (*redisbus.Bus, error) {
		return redisbus.New(redisbus.Config{Client: client, To: evaluator})
	}
	stop := func(client *redis.Client, bus *redisbus.Bus) error {
		return errors.Join(bus.Close(), client.Close())
	}
	_, _ = start, stop
}

// heard prints the clients whose flags changed.
type heard struct{}

func (heard) FlagsChanged(_ context.Context, client flags.Client) { fmt.Println("changed:", client) }

// If Redis is unreachable, changes are not delayed and not lost: other processes find them within
// flags.EvaluatorConfig.Every.
func ExampleBus_FlagsChanged() {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1}) // nobody listens there
	bus, err := redisbus.New(redisbus.Config{Client: client, To: heard{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	bus.FlagsChanged(context.Background(), flags.OfWebsite("web_1"))
	fmt.Println("notified", errors.Join(bus.Close(), client.Close()))
	// Output: notified <nil>
}
