package clickhouse_test

import (
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// one returns a statement with the result 1.
func one() store.Statement {
	return store.Statement{Label: "one", SQL: "SELECT toInt64(1)", Kinds: []dialect.Kind{dialect.Int}}
}

// slow returns a statement that waits for years, block by block, without using the processor.
func slow() store.Statement {
	return store.Statement{Label: "slow",
		SQL:   "SELECT toInt64(sum(sleepEachRow(0.02))) FROM numbers(1000000000000) AS a SETTINGS max_block_size = 1",
		Kinds: []dialect.Kind{dialect.Int}}
}

// connect opens a store and closes it when the test ends.
func connect(t testing.TB, o clickhouse.Config) *clickhouse.Store {
	t.Helper()
	s, err := clickhouse.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func answers(t testing.TB, s *clickhouse.Store) {
	t.Helper()
	rows, err := s.Query(t.Context(), one())
	if err != nil || rows.Len != 1 || rows.Columns[0].Ints[0] != 1 {
		t.Errorf("Query: %v, %v", rows, err)
	}
}

func TestInvalidDSN(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, dsn string
		tls       *tls.Config
		want      string
	}{
		{"no address", "", nil, "DSN is required"},
		{"no host", "clickhouse:///db", nil, "not of the form"},
		{"a password with a space", "clickhouse://u:hush hush@127.0.0.1:9000/db", nil, "percent-encoded"},
		{"a password with a slash", "clickhouse://u:hush/hush@127.0.0.1:9000/db", nil, "percent-encoded"},
		{"an invalid time", "clickhouse://u:hush@127.0.0.1:9000/db?dial_timeout=soon", nil, "dial timeout"},
		{"a negative pool", "clickhouse://u:hush@127.0.0.1:9000/db?max_open_conns=-1", nil,
			"max_open_conns in DSN must not be negative"},
		{"a compression of the native protocol", "http://u:hush@127.0.0.1:8123/db?compress=lz4", nil,
			"over HTTP use gzip or none"},
		{"TLS over plain HTTP", "http://u:hush@127.0.0.1:8123/db", &tls.Config{}, "use https://"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := clickhouse.Open(t.Context(), clickhouse.Config{DSN: c.dsn, TLS: c.tls})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not contain %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("%v contains the password", err)
			}
		})
	}
}

func TestOpenUsesDSNCompression(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		methods := []string{"", "none", "lz4", "zstd"}
		if strings.HasPrefix(dsn, "http") {
			methods = []string{"", "none", "gzip", "br"}
		}
		for _, method := range methods {
			s := connect(t, clickhouse.Config{DSN: with(t, dsn, "compress", method)})
			rows, err := s.Query(t.Context(),
				store.Statement{Label: "long", SQL: "SELECT repeat('ab', 100000) FROM numbers(3)",
					Kinds: []dialect.Kind{dialect.Text}})
			if err != nil || rows.Len != 3 || rows.Columns[0].Texts[2] != strings.Repeat("ab", 100000) {
				t.Errorf("compress=%s: %v", method, err)
			}
		}
	})
}

func TestNewLeavesTheHostsConnectionOpen(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		conn := chtest.Connect(t, dsn)
		s, err := clickhouse.New(conn, clickhouse.Config{})
		if err != nil {
			t.Fatal(err)
		}
		answers(t, s)
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := conn.Ping(t.Context()); err != nil {
			t.Errorf("the host's connection after Close: %v", err)
		}
		for name, ask := range map[string]func() error{
			"Query": func() error {
				_, err := s.Query(t.Context(), one())
				return err
			},
			"Ping": func() error { return s.Ping(t.Context()) },
		} {
			if err := ask(); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("%s of a closed store: %v, want ErrUnavailable", name, err)
			}
		}
	})
}

func TestPoolIsBounded(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		front, dsn := newProxy(t, dsn, nil)
		s := connect(t, clickhouse.Config{DSN: with(t, dsn, "max_open_conns", "3")})
		var busy sync.WaitGroup
		for range 12 {
			busy.Go(func() {
				if _, err := s.Query(t.Context(),
					store.Statement{Label: "nap", SQL: "SELECT toInt64(sleep(0.1))",
						Kinds: []dialect.Kind{dialect.Int}}); err != nil {
					t.Error(err)
				}
				// Connections that are being closed may still be counted.
				if open, _ := front.open(); open > 6 {
					t.Errorf("%d open connections, but only 3 may be in use", open)
				}
			})
		}
		busy.Wait()
	})
}
