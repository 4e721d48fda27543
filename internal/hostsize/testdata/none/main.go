// Command none is a host with its own store, which is empty.
package main

import (
	"context"

	"github.com/sightline-analytics/sightline/internal/hostsize/testdata/host"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

type empty struct{}

func (empty) Dialect() *dialect.Dialect { return dialect.SQLite() }

func (empty) Ping(context.Context) error { return nil }

func (empty) Query(_ context.Context, stmt store.Statement) (*store.Rows, error) {
	found := &store.Rows{}
	for _, kind := range stmt.Kinds {
		found.Columns = append(found.Columns, store.Column{Kind: kind})
	}
	return found, nil
}

func (empty) Write(_ context.Context, b *store.Batch) (store.Written, error) {
	return store.Written{Stored: b.Len()}, nil
}

func main() { host.Serve(empty{}, nil) }
