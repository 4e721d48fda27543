package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// Open a store, create its tables, write an event and query it. The example needs a server, so it is not run.
func Example() {
	ctx := context.Background()
	events, err := clickhouse.Open(ctx, clickhouse.Config{
		DSN:       "clickhouse://analytics:password@db1:9000,db2:9000/analytics",
		Retention: 800 * 24 * time.Hour,
	})
	if errors.Is(err, store.ErrUnavailable) {
		fmt.Println("no server answers; try again later")
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer events.Close(context.Background())
	if err := events.Migrate(ctx); err != nil { // call it at every start
		fmt.Println(err)
		return
	}

	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	fmt.Println(events.Write(ctx, &store.Batch{Events: []store.Event{
		{Website: "shop", ID: "1", Name: "screen_view", Path: "/", Time: at,
			Identity: store.Identity{AnonymousID: "ann", SessionID: "s1"}},
	}}))

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
	fmt.Println(answer.Data[0].Data.Value(0, "pageviews"))
}

// Open reports all problems of a configuration at once, before it contacts a server.
func ExampleOpen() {
	_, err := clickhouse.Open(context.Background(), clickhouse.Config{Retention: time.Hour, Buffer: -1})
	fmt.Println(err)
	// Output:
	// clickhouse: Buffer must not be negative
	// clickhouse: Retention must be a whole number of days, not 1h0m0s
	// clickhouse: DSN is required
}

// An administrator who creates the tables by hand finds their DDL here.
func ExampleConfig_Schema() {
	ddl := clickhouse.Config{}.Schema()
	fmt.Println(len(ddl)-1, "tables; the last one is")
	fmt.Println(ddl[len(ddl)-2])
	// Output:
	// 15 tables; the last one is
	// CREATE TABLE IF NOT EXISTS schema_versions (
	//   version UInt32,
	//   applied DateTime DEFAULT now()
	// ) ENGINE = MergeTree
	// ORDER BY (version)
	// SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1
}
