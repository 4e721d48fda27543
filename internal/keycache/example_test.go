package keycache_test

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/keycache"
)

// Authenticators use the cache instead of the store. The store notifies the cache of changes; the
// method for that in store/meta is Notify.
func Example() {
	pepper, err := auth.NewPepper([]byte("sixteen bytes or more"))
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
	keys.Notify(cache)

	key, secret, err := keys.CreateKey(context.Background(), auth.Key{Owner: "acme", All: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	digest := secret.Digest(pepper)
	for range 2 { // the second look-up is answered by the cache
		if _, err := cache.KeyByDigest(context.Background(), digest); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := keys.RevokeKey(context.Background(), key.ID, nil); err != nil {
		fmt.Println(err)
		return
	}
	found, err := cache.KeyByDigest(context.Background(), digest)
	fmt.Println("revoked:", err == nil && !found.Revoked.IsZero())
	// Output: revoked: true
}
