package redislimit_test

import (
	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
)

// The limits are those of the process's own limiter, which decides while Redis is away.
func Example() {
	shared := func(dsn string) (*redislimit.Limiter, error) {
		local, err := ratelimit.New(ratelimit.Config{})
		if err != nil {
			return nil, err
		}
		options, err := redislimit.Options(dsn) // bounded by short timeouts, and nothing is sent twice
		if err != nil {
			return nil, err
		}
		return redislimit.New(redislimit.Config{Client: redis.NewClient(options), Local: local})
	}
	_ = shared
}
