//go:build cgo

package duckdb_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// Open a file, write a batch of events twice, and query it.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	events, err := duckdb.Open(ctx, duckdb.Config{Path: filepath.Join(dir, "events.duckdb")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer events.Close(context.Background())

	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	visitor := store.Identity{AnonymousID: "ann", SessionID: "s1"}
	batch := &store.Batch{Events: []store.Event{
		{Website: "shop", ID: "1", Name: "screen_view", Path: "/", Time: at, Identity: visitor},
		{Website: "shop", ID: "2", Name: "screen_view", Path: "/cart", Time: at.Add(time.Minute), Identity: visitor},
	}}
	for range 2 { // a sender without an answer sends again
		fmt.Println(events.Write(ctx, batch))
	}

	engine, err := query.New(query.Config{Store: events})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := engine.Run(ctx, query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "shop"}},
		query.Request{
			Parameters: []query.Parameter{{Name: "pages"}}, StartDate: "2026-03-01", EndDate: "2026-03-01",
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	pages := answer.Data[0].Data
	for i := range pages.Len() {
		fmt.Println(pages.Value(i, "path"), pages.Value(i, "pageviews"))
	}
	// Output:
	// {2 0} <nil>
	// {0 2} <nil>
	// / 1
	// /cart 1
}
