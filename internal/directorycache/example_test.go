package directorycache_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/sightline-analytics/sightline/internal/directorycache"
	"github.com/sightline-analytics/sightline/store"
)

// A change is visible within a second, or at once after Forget.
func Example() {
	records := &store.MemoryDirectory{}
	sites, err := directorycache.New(directorycache.Config{Directory: records})
	if err != nil {
		fmt.Println(err)
		return
	}
	blog := store.Subject{Kind: store.KindWebsite, ID: "blog"}
	_, err = sites.Owner(context.Background(), blog)
	fmt.Println(errors.Is(err, store.ErrNotFound))

	if err := records.AddWebsite(store.Website{ID: "blog", Owner: "acme"}); err != nil {
		fmt.Println(err)
	}
	sites.Forget()
	fmt.Println(sites.Owner(context.Background(), blog))
	// Output:
	// true
	// acme <nil>
}
