package importer_test

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// Import the rows of a table of the host.
func ExampleRun() {
	ctx := context.Background()
	shop := store.Website{ID: "web_shop", Domain: "shop.example"}
	events, err := sqlite.Open(ctx, ":memory:")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = events.Close(ctx) }()
	pepper, err := auth.NewPepper([]byte("the secret of the server"))
	if err != nil {
		fmt.Println(err)
		return
	}
	type hit struct {
		at            time.Time
		path, visitor string
	}
	day := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	hits := []hit{{day, "/", "v1"}, {day.Add(time.Minute), "/pricing", "v1"}}
	report, err := importer.Run(ctx, importer.Config{Target: events, Website: shop, Pepper: pepper}, []importer.Source{{
		Name: "hits",
		Records: func(yield func(importer.Record, error) bool) {
			for _, hit := range hits {
				if !yield(importer.Record{Time: hit.at, URL: hit.path, Visitor: hit.visitor}, nil) {
					return
				}
			}
		},
	}})
	fmt.Println(report.Taken, report.Stored, err)
	// Output: 2 2 <nil>
}
