package clickhouse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

func someEvent(id string) *store.Batch {
	return &store.Batch{Events: []store.Event{{Website: "w1", ID: id, Name: "screen_view", Path: "/",
		Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}}
}

// everyWay calls every method that contacts the server and returns the errors. It stops if Open fails.
func everyWay(t testing.TB, o clickhouse.Config) map[string]error {
	t.Helper()
	o.WriteTimeout, o.BatchDelay = time.Minute, -1 // do not wait when the server rejects a write
	s, err := clickhouse.Open(t.Context(), o)
	if err != nil {
		return map[string]error{"Open": err}
	}
	defer func() { _ = s.Close(context.Background()) }()
	asked := map[string]error{"Open": nil, "Ping": s.Ping(t.Context())}
	_, asked["Query"] = s.Query(t.Context(),
		store.Statement{Label: "events", SQL: "SELECT toInt64(count()) FROM events AS e", Kinds: one().Kinds})
	_, asked["Write"] = s.Write(t.Context(), someEvent("e1"))
	asked["Migrate"] = s.Migrate(t.Context())
	return asked
}

// refused compares the errors of methods with want. Methods missing in want are not compared.
func refused(t *testing.T, asked, want map[string]error) {
	t.Helper()
	if opening := asked["Open"]; opening != nil && want["Open"] == nil {
		want = map[string]error{"Open": want["Query"]} // reported earlier
	}
	for way, kind := range want {
		if err := asked[way]; !errors.Is(err, kind) {
			t.Errorf("%s: %v, want %v", way, err, kind)
		}
	}
}

func TestTypedErrors(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		t.Run("missing tables", func(t *testing.T) {
			refused(t, everyWay(t, clickhouse.Config{DSN: chtest.Database(t, dsn)}), map[string]error{
				"Ping": clickhouse.ErrNoSchema, "Query": clickhouse.ErrNoSchema, "Write": clickhouse.ErrNoSchema,
				"Migrate": nil,
			})
		})
		t.Run("missing database", func(t *testing.T) {
			refused(t, everyWay(t, clickhouse.Config{DSN: chtest.In(t, dsn, "nowhere_at_all")}), map[string]error{
				"Ping": clickhouse.ErrNoSchema, "Query": clickhouse.ErrNoSchema, "Write": clickhouse.ErrNoSchema,
				"Migrate": clickhouse.ErrNoSchema,
			})
		})
		t.Run("wrong password", func(t *testing.T) {
			var log bytes.Buffer
			asked := everyWay(t, clickhouse.Config{DSN: as(t, dsn, "nobody", "hush-hush"),
				Logger: slog.New(slog.NewTextHandler(&log, nil))})
			refused(t, asked, map[string]error{"Open": clickhouse.ErrAccess})
			if said := fmt.Sprint(asked, log.String()); strings.Contains(said, "hush") {
				t.Errorf("%s contains the password", said)
			}
		})
		t.Run("server away", func(t *testing.T) {
			var log bytes.Buffer
			front, away := newProxy(t, as(t, dsn, "default", ""), nil)
			s := connect(t, clickhouse.Config{DSN: away, WriteTimeout: 300 * time.Millisecond, BatchDelay: -1,
				Logger: slog.New(slog.NewTextHandler(&log, nil))})
			front.goAway()
			asked := map[string]error{"Ping": s.Ping(t.Context()), "Migrate": s.Migrate(t.Context())}
			_, asked["Query"] = s.Query(t.Context(), one())
			_, asked["Write"] = s.Write(t.Context(), someEvent("e1"))
			_, asked["Open"] = clickhouse.Open(t.Context(), clickhouse.Config{DSN: as(t, away, "default", "hush-hush")})
			for way, err := range asked {
				if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %v, want only ErrUnavailable", way, err)
				}
			}
			_ = s.Close(context.Background()) // nothing writes to the log any more
			if said := fmt.Sprint(asked, log.String()); strings.Contains(said, "hush") ||
				strings.Contains(said, "param_") {
				t.Errorf("%s contains the password or arguments", said)
			}
		})
	})
}

func TestUnknownSetting(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := connect(t, clickhouse.Config{DSN: dsn, Settings: map[string]any{"no_such_thing": 1}})
		_, err := s.Query(t.Context(), one())
		if err == nil || errors.Is(err, clickhouse.ErrTooOld) || !strings.Contains(err.Error(), "no_such_thing") {
			t.Errorf("%v, want the name of the setting, and not ErrTooOld", err)
		}
	})
}

// A server that accepts connections and never answers is not healthy, and Ping returns.
func TestHealthOfASilentServer(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		front, dsn := newProxy(t, chtest.Database(t, dsn), nil)
		s := open(t, clickhouse.Config{DSN: dsn})
		front.fallSilent(true)
		checker := health.New(health.Config{Probes: map[string]health.Probe{health.Analytics: s.Ping}})
		if report := checker.Check(t.Context()); report.ClickHouse {
			t.Error("Ping of a silent server returned no error")
		}
		front.fallSilent(false)
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("Ping after the server is back: %v", err)
		}
	})
}

// system opens a connection to the server of dsn as its administrator.
func system(t testing.TB, dsn string) driver.Conn {
	t.Helper()
	return chtest.Connect(t, as(t, dsn, "default", ""))
}
