package store_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/sightline-analytics/sightline/store"
)

// A host that knows its websites at start can list them in memory.
func ExampleMemoryDirectory() {
	ctx := context.Background()
	var sites store.MemoryDirectory
	fmt.Println(sites.AddWebsite(store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"}))
	fmt.Println(sites.AddSubject(store.Subject{Kind: store.KindLink, ID: "spring"}, "acme"))

	fmt.Println(sites.Owner(ctx, store.Subject{Kind: store.KindWebsite, ID: "shop"}))
	fmt.Println(sites.Owner(ctx, store.Subject{Kind: store.KindLink, ID: "spring"}))
	_, err := sites.Website(ctx, "other")
	fmt.Println(errors.Is(err, store.ErrNotFound))
	// Output:
	// <nil>
	// <nil>
	// acme <nil>
	// acme <nil>
	// true
}
