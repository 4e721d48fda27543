package transfer_test

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/store"
)

// Copy all rows up to yesterday, for example from duckdb.Open to clickhouse.Open. After an error, another call
// continues the copy.
func ExampleCopy() {
	carry := func(ctx context.Context, from transfer.Source, to transfer.Target, today time.Time) error {
		report, err := transfer.Copy(ctx, from, to, transfer.Options{
			Before: today, // which still changes
			Progress: func(p transfer.Progress) {
				fmt.Printf("%s %s %s: %d of %d rows\n", p.Stage, p.Subject.Kind, p.Subject.ID, p.Done, p.Total)
			},
		})
		if err != nil {
			return err
		}
		for _, d := range report.Differences {
			fmt.Println(d)
		}
		return nil
	}
	_ = carry
}

// A Difference names a day with different rows in the two stores.
func ExampleDifference() {
	fmt.Println(transfer.Difference{
		Table: "visits", Subject: store.Subject{Kind: store.KindLink, ID: "spring"},
		Day: time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC), Source: 2, Target: 1,
	})
	// Output: visits of link spring on 2026-03-15: 2 rows here, 1 there
}
