package erasure_test

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// A host erases a user who asks for it.
func Example() {
	ctx := context.Background()
	events, err := sqlite.Open(ctx, ":memory:")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer events.Close(ctx)
	_, err = events.Write(ctx, &store.Batch{Events: []store.Event{{Website: "shop", ID: "1", Kind: store.Pageview,
		Time: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), Path: "/", Identity: store.Identity{ProfileID: "user_1"}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	eraser, err := erasure.New(erasure.Config{Events: events}) // in a program also Profiles, Salts and Pepper
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := eraser.Erase(ctx, erasure.Person{Website: "shop", Kind: erasure.Profile, ID: "user_1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Removed["events"])
	// Output: 1
}
