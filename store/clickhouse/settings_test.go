package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func TestQueryCarriesRequestID(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := connect(t, clickhouse.Config{DSN: dsn, MaxExecutionTime: 7 * time.Second, MaxMemory: 123 << 20,
			MaxRowsToRead: 1e6,
			Settings:      map[string]any{"max_threads": 1, "log_queries": 1}})
		request := fmt.Sprintf("req-%x", rand.Uint64())
		ctx, cancel := context.WithTimeout(store.WithRequestID(t.Context(), request), time.Minute)
		defer cancel() // the deadline is not sent to the server
		if _, err := s.Query(ctx, one()); err != nil {
			t.Fatal(err)
		}
		var comment string
		var settings map[string]string
		conn := system(t, dsn)
		within(t, "the query is in the server's log", func() bool {
			err := conn.QueryRow(t.Context(),
				"SELECT log_comment, Settings FROM system.query_log WHERE startsWith(query_id, {id:String})"+
					" AND type = 'QueryFinish' AND query LIKE '%toInt64(1)%' LIMIT 1",
				driver.Named("id", request+"-")).Scan(&comment, &settings)
			return err == nil
		})
		if want := "sightline one " + request; comment != want {
			t.Errorf("log_comment %q, want %q", comment, want)
		}
		for name, want := range map[string]string{
			"max_execution_time": "7", "max_memory_usage": "128974848", "max_rows_to_read": "1000000", "readonly": "2",
			"max_threads": "1", "join_use_nulls": "1",
		} {
			if settings[name] != want {
				t.Errorf("%s = %q, want %q", name, settings[name], want)
			}
		}
	})
}

func TestLimitsOfAQuery(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		for _, c := range []struct {
			name    string
			options clickhouse.Config
			sql     string
			want    error
		}{
			{"too long", clickhouse.Config{MaxExecutionTime: time.Second}, slow().SQL, context.DeadlineExceeded},
			{"too long, with a limit below a second rounded up", clickhouse.Config{MaxExecutionTime: time.Microsecond},
				slow().SQL, context.DeadlineExceeded},
			{"too many rows", clickhouse.Config{MaxRowsToRead: 1000},
				"SELECT toInt64(sum(number)) FROM numbers(10000000)", store.ErrTooMuch},
			// Enough for a small answer: a thread of the server reserves 1 MiB at once.
			{"too much memory", clickhouse.Config{MaxMemory: 32 << 20},
				"SELECT toInt64(count()) FROM (SELECT number FROM numbers(10000000) GROUP BY number)",
				store.ErrTooMuch},
		} {
			t.Run(c.name, func(t *testing.T) {
				c.options.DSN = dsn
				s := connect(t, c.options)
				_, err := s.Query(t.Context(),
					store.Statement{Label: "hungry", SQL: c.sql, Kinds: []dialect.Kind{dialect.Int}})
				if !errors.Is(err, c.want) || errors.Is(err, store.ErrUnavailable) {
					t.Errorf("%v, want only %v", err, c.want)
				}
				answers(t, s)
			})
		}
	})
}

func TestOnlyOneSelectIsRun(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		s := open(t, clickhouse.Config{DSN: dsn})
		for _, sql := range []string{
			"INSERT INTO schema_versions (version) SELECT 9",
			"WITH 9 AS v INSERT INTO schema_versions (version) SELECT v",
			"DROP TABLE events", "ALTER TABLE events DELETE WHERE 1", "TRUNCATE TABLE events",
			"CREATE TABLE t (a Int8) ENGINE = Memory",
			"SELECT toInt64(1); DROP TABLE events", "SELECT toInt64(1); SELECT toInt64(2)", "SET max_threads = 1",
			"SHOW TABLES", "KILL QUERY WHERE 1",
			"-- x\nDROP TABLE events", "", ";",
		} {
			if rows, err := s.Query(t.Context(),
				store.Statement{Label: "bad", SQL: sql, Kinds: []dialect.Kind{dialect.Int}}); err == nil {
				t.Errorf("%q was run: %v", sql, rows)
			}
		}
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("Ping afterwards: %v", err)
		}
		answers(t, s)
		for _, sql := range []string{"\n select toInt64(1)", "(SELECT toInt64(1))",
			"WITH x AS (SELECT toInt64(1) AS n) SELECT x.n FROM x"} {
			if _, err := s.Query(t.Context(),
				store.Statement{Label: "good", SQL: sql, Kinds: []dialect.Kind{dialect.Int}}); err != nil {
				t.Errorf("%q: %v", sql, err)
			}
		}
	})
}

func TestErrorsNameTheQuery(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := connect(t, clickhouse.Config{DSN: dsn})
		for sql, kinds := range map[string][]dialect.Kind{
			"SELECT no_such_function(1)":    {dialect.Int},
			"SELECT toInt64(1), toInt64(2)": {dialect.Int},
			"SELECT 'text'":                 {dialect.Int},
		} {
			_, err := s.Query(t.Context(), store.Statement{Label: "broken", SQL: sql, Kinds: kinds})
			if err == nil || !strings.HasPrefix(err.Error(), "broken: clickhouse: ") ||
				errors.Is(err, store.ErrUnavailable) {
				t.Errorf("%s: %v, want the label and no ErrUnavailable", sql, err)
			}
		}
	})
}
