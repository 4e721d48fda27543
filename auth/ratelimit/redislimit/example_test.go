package redislimit_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
)

// The local limiter defines the limits. It decides while Redis is unreachable, as in this example.
func Example() {
	local, err := ratelimit.New(ratelimit.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	options, err := redislimit.Options("redis://127.0.0.1:1/0") // with short timeouts and without retries
	if err != nil {
		fmt.Println(err)
		return
	}
	client := redis.NewClient(options)
	limiter, err := redislimit.New(redislimit.Config{Client: client, Local: local})
	if err != nil {
		fmt.Println(err)
		return
	}
	two := &auth.Limits{PerMinute: 2}
	for range 3 {
		decision, err := limiter.Allow(context.Background(), auth.ClassQuery, "a key", 1, two)
		fmt.Println(decision.OK, decision.Limit, err)
	}
	fmt.Println(errors.Join(limiter.Close(context.Background()), client.Close()))
	// Output:
	// true 2 <nil>
	// true 2 <nil>
	// false 2 <nil>
	// <nil>
}
