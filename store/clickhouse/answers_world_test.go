package clickhouse_test

import (
	"context"
	_ "embed"
	"net/url"
	"os"
	"strconv"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// The world that answers are timed in: 90 days of one large website and a small one.
const (
	benchWorld    = "bench_v1" // changes with world.sql
	benchEvents   = 5_000_000  // of the large website; SIGHTLINE_BENCH_EVENTS says otherwise
	benchVisitors = 400_000
	benchLarge    = "large"
	benchSmall    = "small"
)

var benchFrom = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)

//go:embed testdata/bench/world.sql
var worldSQL string

// benchStore opens a store on the world and a bare connection to its database. The
// world is made when the server of dsn has none of that size yet, and stays there.
func benchStore(b *testing.B, dsn string) (*clickhouse.Store, driver.Conn) {
	b.Helper()
	events := uint64(benchEvents)
	if text := os.Getenv("SIGHTLINE_BENCH_EVENTS"); text != "" {
		var err error
		if events, err = strconv.ParseUint(text, 10, 64); err != nil {
			b.Fatal(err)
		}
	}
	name := benchWorld + "_" + strconv.FormatUint(events, 10)
	run(b, dial(b, dsn), "CREATE DATABASE IF NOT EXISTS "+name)
	u, err := url.Parse(dsn)
	if err != nil {
		b.Fatal(err)
	}
	u.Path = "/" + name
	s := open(b, clickhouse.Options{DSN: u.String()})
	conn := dial(b, u.String())
	if rows := countEvents(b, conn); rows < events {
		b.Logf("making the world %s", name)
		fillWorld(b, conn, events)
	}
	return s, conn
}

// dial is a bare connection with the compression that the store uses, too.
func dial(b *testing.B, dsn string) driver.Conn {
	b.Helper()
	o, err := driver.ParseDSN(dsn)
	if err != nil {
		b.Fatal(err)
	}
	o.Compression = &driver.Compression{Method: driver.CompressionLZ4}
	conn, err := driver.Open(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return conn
}

func run(b *testing.B, conn driver.Conn, statement string, args ...any) {
	b.Helper()
	if err := conn.Exec(b.Context(), statement, args...); err != nil {
		b.Fatal(err)
	}
}

func countEvents(b *testing.B, conn driver.Conn) uint64 {
	b.Helper()
	var rows uint64
	err := conn.QueryRow(b.Context(), "SELECT count() FROM events WHERE subject = {site:String}", driver.Named("site", benchLarge)).Scan(&rows)
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

// fillWorld adds events until the large website has at least as many as asked for, as
// they would come: month by month and merged.
func fillWorld(b *testing.B, conn driver.Conn, events uint64) {
	b.Helper()
	ctx := driver.Context(context.Background(), driver.WithSettings(driver.Settings{"max_execution_time": 600}))
	run(b, conn, "TRUNCATE TABLE events")
	for _, site := range []struct {
		name     string
		sessions uint64
	}{{benchLarge, events * 21 / 100}, {benchSmall, events / 100}} {
		err := conn.Exec(ctx, worldSQL, driver.Named("subject", site.name), driver.Named("from", benchFrom.UnixMilli()),
			driver.Named("sessions", site.sessions), driver.Named("visitors", max(benchVisitors*events/benchEvents, 1)))
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := conn.Exec(ctx, "OPTIMIZE TABLE events FINAL"); err != nil {
		b.Fatal(err)
	}
	if rows := countEvents(b, conn); rows < events {
		b.Fatalf("the world has %d events, want %d", rows, events)
	}
}
