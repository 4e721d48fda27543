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

// Servers are connected to, tables made, a batch of events written and asked about. It needs
// a server, and so is not run.
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
	defer events.Close()
	if err := events.Migrate(ctx); err != nil { // as often as the program starts
		fmt.Println(err)
		return
	}

	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	fmt.Println(events.Write(ctx, &store.Batch{Events: []store.Event{
		{Website: "shop", ID: "1", Name: "screen_view", Path: "/", Time: at, Identity: store.Identity{AnonymousID: "ann", SessionID: "s1"}},
	}}))

	engine, err := query.New(query.Config{Store: events})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := engine.Run(ctx, query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "shop"}}, query.Request{
		Parameters: []query.Parameter{{Name: "pages"}}, StartDate: "2026-03-01", EndDate: "2026-03-01",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Data[0].Data.Value(0, "pageviews"))
}

// All that is wrong with a configuration is told at once, before a server is asked.
func ExampleOpen() {
	_, err := clickhouse.Open(context.Background(), clickhouse.Config{Retention: time.Hour, Buffer: -1})
	fmt.Println(err)
	// Output:
	// clickhouse: Buffer must not be negative
	// clickhouse: Retention of 1h0m0s is not in whole days
	// clickhouse: DSN is missing
}

// An administrator who makes the tables by hand takes their DDL from here.
func ExampleConfig_Schema() {
	ddl := clickhouse.Config{}.Schema()
	fmt.Println(len(ddl)-1, "tables, of which the last is")
	fmt.Println(ddl[len(ddl)-2])
	// Output:
	// 14 tables, of which the last is
	// CREATE TABLE IF NOT EXISTS schema_versions (
	//   version UInt32,
	//   applied DateTime DEFAULT now()
	// ) ENGINE = MergeTree
	// ORDER BY (version)
	// SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1
}
