// Command clickhouse is a host whose events are in ClickHouse.
package main

import (
	"context"

	"github.com/sightline-analytics/sightline/internal/hostsize/testdata/host"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

func main() {
	host.Serve(clickhouse.Open(context.Background(), clickhouse.Config{DSN: "clickhouse://127.0.0.1:9000/sightline"}))
}
