// Command sqlite is a host whose events are in SQLite.
package main

import (
	"context"

	"github.com/sightline-analytics/sightline/internal/hostsize/testdata/host"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

func main() {
	host.Serve(sqlite.Open(context.Background(), "events.sqlite"))
}
