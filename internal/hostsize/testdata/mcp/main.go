// Command mcp is a host whose events are in SQLite, with the tools of package mcp.
package main

import (
	"context"
	"net/http"

	"github.com/sightline-analytics/sightline/internal/hostsize/testdata/host"
	"github.com/sightline-analytics/sightline/mcp"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

func main() {
	events, err := sqlite.Open(context.Background(), "events.sqlite")
	host.Serve(events, err, func(api http.Handler) error {
		tools, err := mcp.New(mcp.Config{API: api})
		http.Handle("/mcp", tools)
		return err
	})
}
