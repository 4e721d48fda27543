package observe_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/observe"
)

// A host counts refused requests by their code and prints slow ones.
func Example() {
	refused := map[string]int{}
	watch := func(_ context.Context, r observe.Request) { // Config.Observe of httpapi or track
		if r.Code != "" {
			refused[r.Code]++
		}
		if r.Duration > time.Second {
			fmt.Println("slow:", r.Route, r.StatusClass(), "of which the store took", r.Store)
		}
	}
	watch(context.Background(),
		observe.Request{Route: "POST /v1/query", Status: http.StatusOK, Duration: 3 * time.Second,
			Store: 2 * time.Second})
	watch(context.Background(),
		observe.Request{Route: "POST /v1/query", Status: http.StatusTooManyRequests, Code: "RATE_LIMITED"})
	fmt.Println(refused)
	// Output:
	// slow: POST /v1/query 2xx of which the store took 2s
	// map[RATE_LIMITED:1]
}
