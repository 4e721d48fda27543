package clickhouse_test

import (
	"context"
	_ "embed"
	"strconv"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// The dataset of the benchmark: 90 days of one large website and one small website.
const (
	benchDataset  = "bench_v2" // changes with dataset.sql
	benchEvents   = 5_000_000  // of the large website; SIGHTLINE_BENCH_EVENTS overrides it
	benchVisitors = 400_000
	benchLarge    = "large"
	benchSmall    = "small"
)

var benchFrom = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)

//go:embed testdata/bench/dataset.sql
var datasetSQL string

// benchStore opens a store on the dataset and a bare connection to its database. It creates the dataset if the
// server of dsn has none of that size, and leaves it there.
func benchStore(b *testing.B, dsn string) (*clickhouse.Store, driver.Conn) {
	b.Helper()
	events := uint64(storetest.Number(b, "SIGHTLINE_BENCH_EVENTS", benchEvents))
	name := benchDataset + "_" + strconv.FormatUint(events, 10)
	chtest.Exec(b, chtest.Connect(b, dsn), "CREATE DATABASE IF NOT EXISTS "+name)
	dsn = chtest.In(b, dsn, name)
	s := open(b, clickhouse.Config{DSN: dsn})
	conn := chtest.Connect(b, with(b, dsn, "compress", "lz4")) // like the store
	if rows := countEvents(b, conn); rows < events {
		b.Logf("creating the dataset %s", name)
		fillDataset(b, conn, events)
	}
	sealAll(b, s)
	return s, conn
}

// sealAll seals the unsealed days of the large website.
func sealAll(b *testing.B, s *clickhouse.Store) {
	b.Helper()
	of := store.Subject{Kind: store.KindWebsite, ID: benchLarge}
	engine, err := query.New(query.Config{Store: s})
	if err != nil {
		b.Fatal(err)
	}
	days, err := s.Days(b.Context(), of, benchFrom.AddDate(0, -1, 0), benchFrom.AddDate(0, 4, 0))
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range days {
		if d.Sealed == 0 {
			if err := engine.Seal(b.Context(), of, d.Start, d.Start.AddDate(0, 0, 1)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func countEvents(b *testing.B, conn driver.Conn) uint64 {
	b.Helper()
	return chtest.Number(b, conn, "SELECT count() FROM events WHERE subject = {site:String}",
		driver.Named("site", benchLarge))
}

// fillDataset adds events until the large website has enough, as they would arrive in production: month by
// month and merged.
func fillDataset(b *testing.B, conn driver.Conn, events uint64) {
	b.Helper()
	ctx := driver.Context(context.Background(), driver.WithSettings(driver.Settings{"max_execution_time": 600}))
	chtest.Exec(b, conn, "TRUNCATE TABLE events")
	for _, site := range []struct {
		name     string
		sessions uint64
	}{{benchLarge, events * 21 / 100}, {benchSmall, events / 100}} {
		err := conn.Exec(ctx, datasetSQL, driver.Named("subject", site.name),
			driver.Named("from", benchFrom.UnixMilli()),
			driver.Named("sessions", site.sessions), driver.Named("visitors", max(benchVisitors*events/benchEvents, 1)))
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, statement := range []string{
		"OPTIMIZE TABLE events FINAL",
		"INSERT INTO versions (subject, day, begun, ended) SELECT DISTINCT concat('website ', subject), intDiv(time, 86400000), 1, 1 FROM events",
	} {
		if err := conn.Exec(ctx, statement); err != nil {
			b.Fatal(err)
		}
	}
	if rows := countEvents(b, conn); rows < events {
		b.Fatalf("the dataset has %d events, want %d", rows, events)
	}
}
