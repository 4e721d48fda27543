package clickhouse_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

func write(t testing.TB, s *clickhouse.Store, b *store.Batch) store.Written {
	t.Helper()
	written, err := s.Write(t.Context(), b)
	if err != nil {
		t.Fatalf("Write: %v", err)
	}
	return written
}

const countTables = "SELECT count() FROM system.tables WHERE database = currentDatabase()"

func TestOnlyMigrateCreatesTables(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		s := connect(t, clickhouse.Config{DSN: dsn, BatchDelay: -1})
		_ = s.Ping(t.Context())
		_, _ = s.Write(t.Context(), someEvent("e1"))
		conn := chtest.Connect(t, dsn)
		if n := chtest.Number(t, conn, countTables); n != 0 {
			t.Errorf("%d tables before Migrate", n)
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := chtest.Number(t, conn, countTables); n != 15 {
			t.Errorf("%d tables after Migrate, want 15", n)
		}
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("Ping: %v", err)
		}
	})
}

func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	oneProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		var busy sync.WaitGroup
		for range 2 {
			s := connect(t, clickhouse.Config{DSN: dsn, Retention: 400 * 24 * time.Hour, BatchDelay: -1})
			for range 3 {
				busy.Go(func() {
					if err := s.Migrate(t.Context()); err != nil {
						t.Errorf("Migrate: %v", err)
					}
				})
			}
		}
		busy.Wait()
		if n := chtest.Number(t, chtest.Connect(t, dsn), countTables); n != 15 {
			t.Errorf("%d tables, want 15", n)
		}
		if w := write(t, open(t, clickhouse.Config{DSN: dsn}), someEvent("e1")); w.Stored != 1 {
			t.Errorf("stored %d rows, want 1", w.Stored)
		}
	})
}

func TestMigrateUpgradesOlderTables(t *testing.T) {
	t.Parallel()
	oneProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		s := open(t, clickhouse.Config{DSN: dsn})
		write(t, s, someEvent("e1"))
		conn := chtest.Connect(t, dsn)
		// Make the tables look as in an older version: two columns less, one table less.
		chtest.Exec(t, conn, "ALTER TABLE events DROP COLUMN title")
		chtest.Exec(t, conn, "ALTER TABLE visits DROP COLUMN referrer")
		chtest.Exec(t, conn, "DROP TABLE checks SYNC")
		chtest.Exec(t, conn, "TRUNCATE TABLE schema_versions")
		if err := s.Ping(t.Context()); !errors.Is(err, clickhouse.ErrNoSchema) {
			t.Errorf("Ping of older tables: %v, want ErrNoSchema", err)
		}
		for range 2 {
			if err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("Ping: %v", err)
		}
		late := someEvent("e2")
		late.Events[0].Title = "late"
		late.Visits = []store.Visit{{Link: "l1", ID: "v1", Time: time.Unix(1, 0), Referrer: "r"}}
		late.Checks = []store.Check{{Schedule: "s1", ID: "c1", Time: time.Unix(1, 0)}}
		write(t, s, late)
		if n := chtest.Number(t, conn,
			"SELECT count() FROM events WHERE (event_id, title) IN (('e1', ''), ('e2', 'late'))"); n != 2 {
			t.Errorf("%d of two events are as expected", n)
		}
		if n := chtest.Number(t, conn, "SELECT count() FROM schema_versions"); n != 1 {
			t.Errorf("%d versions are recorded, want 1", n)
		}
	})
}

func TestNewerTablesAreUnchanged(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		open(t, clickhouse.Config{DSN: dsn})
		conn := chtest.Connect(t, dsn)
		chtest.Exec(t, conn, "INSERT INTO schema_versions (version) VALUES (9999)")
		chtest.Exec(t, conn, "DROP TABLE checks SYNC")
		s := connect(t, clickhouse.Config{DSN: dsn, BatchDelay: -1})
		_, writing := s.Write(t.Context(), someEvent("e1"))
		for way, err := range map[string]error{
			"Ping": s.Ping(t.Context()), "Migrate": s.Migrate(t.Context()), "Write": writing,
			"Restore": s.Restore(t.Context(), "mark", someEvent("e1")),
		} {
			if !errors.Is(err, store.ErrNewerSchema) {
				t.Errorf("%s: %v, want ErrNewerSchema", way, err)
			}
		}
		if n := chtest.Number(t, conn, countTables); n != 14 {
			t.Errorf("%d tables, want the same 14 as before", n)
		}
		if n := chtest.Number(t, conn, "SELECT count() FROM events"); n != 0 {
			t.Errorf("%d events were written, want none", n)
		}
	})
}

func TestRetention(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	oneProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		conn, now := chtest.Connect(t, dsn), time.Now()
		keep := func(d time.Duration) *clickhouse.Store { return open(t, clickhouse.Config{DSN: dsn, Retention: d}) }
		batch := &store.Batch{}
		for id, age := range map[string]time.Duration{"ancient": 20_000 * day, "year": 365 * day, "fresh": time.Hour,
			"future": -200 * 365 * day} {
			for _, site := range []string{"w1", "w2"} {
				batch.Events = append(batch.Events, store.Event{Website: site, ID: id, Time: now.Add(-age)})
			}
		}
		merged := func() uint64 {
			within(t, "mutations end", func() bool {
				return chtest.Number(t, conn,
					"SELECT count() FROM system.mutations WHERE database = currentDatabase() AND NOT is_done") == 0
			})
			chtest.Exec(t, conn, "OPTIMIZE TABLE events FINAL")
			return chtest.Number(t, conn, "SELECT count() FROM events")
		}
		s := keep(0)
		write(t, s, batch)
		for _, c := range []struct {
			name string
			keep time.Duration
			want uint64
		}{
			{"forever", 0, 8},
			{"two years", 730 * day, 6},
			{"longer again, without restoring rows", 5000 * day, 6},
			{"a month", 30 * day, 4},
			{"forever again", 0, 4},
		} {
			keep(c.keep)
			var engine string
			if err := conn.QueryRow(t.Context(),
				"SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = 'events'").Scan(&engine); err != nil {
				t.Fatal(err)
			}
			if said := strings.Contains(engine, fmt.Sprintf("toIntervalDay(%d)", c.keep/day)); said != (c.keep > 0) {
				t.Errorf("%s: the table has the engine %s", c.name, engine)
			}
			if n := merged(); n != c.want {
				t.Errorf("%s: %d rows are left, want %d", c.name, n, c.want)
			}
		}
	})
}

// TestClusterSchemaIsParsed only lets a server parse the DDL of a cluster. A single server without a keeper
// cannot create Replicated tables or run DDL on a cluster. Tests in internal/e2e query such tables, without
// replication.
func TestClusterSchemaIsParsed(t *testing.T) {
	t.Parallel()
	conn := chtest.Connect(t, chtest.Address(t, "CLICKHOUSE_DSN"))
	parse := func(ddl string) (formatted string, err error) {
		err = conn.QueryRow(t.Context(), "SELECT formatQuerySingleLine({ddl:String})",
			driver.Named("ddl", ddl)).Scan(&formatted)
		return formatted, err
	}
	schema := clickhouse.Config{Cluster: "a `strange` name", Retention: 90 * 24 * time.Hour}.Schema()
	engines := map[string]int{}
	for _, ddl := range schema {
		formatted, err := parse(ddl)
		if err != nil {
			t.Errorf("%v in\n%s", err, ddl)
		}
		if strings.HasPrefix(ddl, "INSERT") {
			continue
		}
		if !strings.Contains(formatted, " ON CLUSTER `a \\`strange\\` name`") {
			t.Errorf("not created on the cluster: %s", formatted)
		}
		for _, engine := range []string{"ReplicatedMergeTree", "ReplicatedAggregatingMergeTree",
			"ReplicatedReplacingMergeTree", "Distributed"} {
			if strings.Contains(formatted, "ENGINE = "+engine+"(") {
				engines[engine]++
			}
		}
		if _, err := parse(strings.Replace(ddl, "ENGINE", "ENGIN", 1)); err == nil {
			t.Errorf("the server parsed DDL with a mistake:\n%s", ddl)
		}
	}
	if n := len(schema) / 2; n < 8 || engines["ReplicatedMergeTree"] != n-3 ||
		engines["ReplicatedAggregatingMergeTree"] != 1 || engines["ReplicatedReplacingMergeTree"] != 2 ||
		engines["Distributed"] != n {
		t.Errorf("engines of %d statements: %v", len(schema), engines)
	}
}

// Tables that an administrator created by hand work like tables of Migrate. The statements may be executed
// again, and do not mark older tables as new.
func TestTablesMadeByHand(t *testing.T) {
	t.Parallel()
	oneProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		conn, s := chtest.Connect(t, dsn), connect(t, clickhouse.Config{DSN: dsn, BatchDelay: -1})
		byHand := func() {
			for _, statement := range (clickhouse.Config{}).Schema() {
				chtest.Exec(t, conn, statement)
			}
		}
		byHand()
		byHand()
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("Ping: %v", err)
		}
		if w := write(t, s, someEvent("e1")); w.Stored != 1 {
			t.Errorf("stored %d rows, want 1", w.Stored)
		}
		if n := chtest.Number(t, conn, "SELECT count() FROM schema_versions"); n != 1 {
			t.Errorf("%d versions are recorded, want 1", n)
		}
		chtest.Exec(t, conn, "TRUNCATE TABLE schema_versions")
		chtest.Exec(t, conn, "INSERT INTO schema_versions (version) VALUES (1)")
		byHand()
		if err := s.Ping(t.Context()); !errors.Is(err, clickhouse.ErrNoSchema) {
			t.Errorf("Ping of older tables: %v, want ErrNoSchema", err)
		}
	})
}
