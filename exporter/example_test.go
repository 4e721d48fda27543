package exporter_test

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// A host writes the events of a website as CSV, to a file or a response.
func Example() {
	ctx := context.Background()
	events, err := sqlite.Open(ctx, ":memory:")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer events.Close(ctx)
	_, err = events.Write(ctx, &store.Batch{Events: []store.Event{{Website: "shop", ID: "1", Kind: store.Pageview,
		Time: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), Path: "/"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	export, err := exporter.New(ctx, exporter.Config{Source: events, Table: "events",
		Subject: store.Subject{Kind: store.KindWebsite, ID: "shop"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	done, err := export.Write(ctx, exporter.CSV(), exporter.Target{To: io.Discard})
	fmt.Println(done.Rows, err)
	// Output: 1 <nil>
}
