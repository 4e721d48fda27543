package meta_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// Stores an owner with a website and a key in a SQLite file. With DSN instead of Path it stores them in
// PostgreSQL.
func Example() {
	folder, err := os.MkdirTemp("", "sightline")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	pepper, err := auth.NewPepper([]byte("32 random bytes, kept elsewhere."))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	records, err := meta.Open(ctx, meta.Config{
		Path: filepath.Join(folder, "meta.sqlite"), Pepper: pepper,
		Now: func() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer records.Close(context.Background())

	_, err1 := records.CreateOwner(ctx, meta.Owner{ID: "acme", Name: "Acme"})
	site, err2 := records.CreateWebsite(ctx, store.Website{ID: "shop", Owner: "acme", Domain: "https://Shop.example/"})
	key, secret, err3 := records.CreateKey(ctx, auth.Key{
		ID: "panel", Owner: "acme", Scopes: []auth.Scope{auth.ReadData},
		Resources: []auth.Resource{{Kind: auth.KindWebsite, ID: site.ID}},
	})
	found, err4 := records.KeyByDigest(ctx, secret.Digest(pepper)) // as for a request with the secret
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(site.Domain, "since", site.CreatedAt.Format(time.DateOnly))
	fmt.Println("the secret finds the key:", found.ID == key.ID)

	_, err = records.CreateWebsite(ctx, store.Website{Owner: "nobody", Domain: "shop.example"})
	fmt.Println(errors.Is(err, meta.ErrNoOwner))
	// Output:
	// shop.example since 2026-03-04
	// the secret finds the key: true
	// true
}
