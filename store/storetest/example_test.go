package storetest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// A Warehouse is a store that another program fills: it only answers queries.
type Warehouse struct{ store.Store }

// OpenWarehouse stands for a connection to the schema at an address.
func OpenWarehouse(context.Context, string) (Warehouse, error) { return Warehouse{}, nil }

// LoadWarehouse stands for the program that fills the warehouse. Package schema has the columns of every table,
// with their values in a batch.
func LoadWarehouse(context.Context, Warehouse, *store.Batch) error { return nil }

// The test of a warehouse that another program fills covers only reading.
func ExampleProve_readOnly() {
	TestStore := func(t *testing.T) {
		h := storetest.Harness{
			Create: func(t *testing.T) string { return t.Name() },
			Open: func(t *testing.T, address string, _ func() time.Time) store.Store {
				w, err := OpenWarehouse(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				return w
			},
			Fill: func(t *testing.T, s store.Store, b *store.Batch) {
				w, _ := s.(Warehouse)
				if err := LoadWarehouse(t.Context(), w, b); err != nil {
					t.Fatal(err)
				}
			},
		}
		storetest.Prove(t, h)
		storetest.Reference(t, h, storetest.RandomRunOf(t, 300, 1))
	}
	_ = TestStore
}

// Mistakes for storetest.KillsMutants, which plants them in the SQL of a store.
func ExampleMutation() {
	planted := append(storetest.Mutations(),
		storetest.Mutation{Name: "visitors counted by row", Op: dialect.CountDistinct,
			Template: "count(nullif($1, ''))"},
		storetest.Mutation{Name: "shares after the limit",
			SQL: storetest.Rewritten(`FROM (\w+) AS j`, `FROM (SELECT * FROM $1 LIMIT 3) AS j`)},
	)
	last := planted[len(planted)-1]
	fmt.Println(last.SQL("SELECT j.path FROM k AS j"))
	// Output: SELECT j.path FROM (SELECT * FROM k LIMIT 3) AS j
}
