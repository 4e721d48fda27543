// Command duckdb is a host whose events are in DuckDB.
package main

import (
	"context"

	"github.com/sightline-analytics/sightline/internal/hostsize/testdata/host"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

func main() {
	host.Serve(duckdb.Open(context.Background(), duckdb.Config{Path: "events.duckdb"}))
}
