package clickhouse_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// at connects to the database of dsn, beside the store.
func at(t testing.TB, dsn string) driver.Conn {
	t.Helper()
	o, err := driver.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := driver.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func number(t testing.TB, conn driver.Conn, sql string) uint64 {
	t.Helper()
	var n uint64
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

func execute(t testing.TB, conn driver.Conn, sql string) {
	t.Helper()
	if err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func write(t testing.TB, s *clickhouse.Store, b *store.Batch) store.Written {
	t.Helper()
	written, err := s.Write(t.Context(), b)
	if err != nil {
		t.Fatalf("Write: %v", err)
	}
	return written
}

const countTables = "SELECT count() FROM system.tables WHERE database = currentDatabase()"

func TestNothingButMigrateMakesTables(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = database(t, dsn)
		s := connect(t, clickhouse.Options{DSN: dsn, Linger: -1})
		_ = s.Ping(t.Context())
		_, _ = s.Write(t.Context(), someEvent("e1"))
		conn := at(t, dsn)
		if n := number(t, conn, countTables); n != 0 {
			t.Errorf("%d tables before Migrate", n)
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := number(t, conn, countTables); n != 8 {
			t.Errorf("%d tables after Migrate, want 8", n)
		}
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("Ping: %v", err)
		}
	})
}

// migrating is the address that a process of its own is to migrate.
const migrating = "SIGHTLINE_TEST_MIGRATE"

func TestMigrateAtOnce(t *testing.T) {
	if dsn := os.Getenv(migrating); dsn != "" {
		migrateOften(t, dsn)
		return
	}
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = database(t, dsn)
		var busy sync.WaitGroup
		for range 2 {
			busy.Go(func() {
				other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMigrateAtOnce$", "-test.timeout=2m")
				other.Env = append(os.Environ(), migrating+"="+dsn)
				if out, err := other.CombinedOutput(); err != nil {
					t.Errorf("another process: %v\n%s", err, out)
				}
			})
		}
		busy.Wait()
		conn := at(t, dsn)
		if n := number(t, conn, countTables); n != 8 {
			t.Errorf("%d tables, want 8", n)
		}
		s := connect(t, clickhouse.Options{DSN: dsn, Linger: -1})
		if w := write(t, s, someEvent("e1")); w.Stored != 1 {
			t.Errorf("stored %d rows, want 1", w.Stored)
		}
	})
}

// migrateOften migrates from eight goroutines.
func migrateOften(t *testing.T, dsn string) {
	s := connect(t, clickhouse.Options{DSN: dsn, Retention: 400 * 24 * time.Hour})
	var busy sync.WaitGroup
	for range 8 {
		busy.Go(func() {
			if err := s.Migrate(t.Context()); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	busy.Wait()
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
}

func TestMigrateBringsOlderTablesForward(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = database(t, dsn)
		s := open(t, clickhouse.Options{DSN: dsn})
		write(t, s, someEvent("e1"))
		conn := at(t, dsn)
		// As an older version left them: a column less, a table less, and no version.
		execute(t, conn, "ALTER TABLE events DROP COLUMN title")
		execute(t, conn, "ALTER TABLE visits DROP COLUMN referrer")
		execute(t, conn, "DROP TABLE checks SYNC")
		execute(t, conn, "TRUNCATE TABLE schema_versions")
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
		if n := number(t, conn, "SELECT count() FROM events WHERE (event_id, title) IN (('e1', ''), ('e2', 'late'))"); n != 2 {
			t.Errorf("%d of two events as they should be", n)
		}
		if n := number(t, conn, "SELECT count() FROM schema_versions"); n != 1 {
			t.Errorf("the version is noted %d times", n)
		}
	})
}

func TestNewerTablesAreLeftAlone(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = database(t, dsn)
		open(t, clickhouse.Options{DSN: dsn})
		conn := at(t, dsn)
		execute(t, conn, "INSERT INTO schema_versions (version) VALUES (99)")
		execute(t, conn, "DROP TABLE checks SYNC")
		s := connect(t, clickhouse.Options{DSN: dsn, Linger: -1})
		_, writing := s.Write(t.Context(), someEvent("e1"))
		for way, err := range map[string]error{"Ping": s.Ping(t.Context()), "Migrate": s.Migrate(t.Context()), "Write": writing} {
			if !errors.Is(err, store.ErrNewerSchema) {
				t.Errorf("%s: %v, want ErrNewerSchema", way, err)
			}
		}
		if n := number(t, conn, countTables); n != 7 {
			t.Errorf("%d tables, want the 7 there were", n)
		}
		if n := number(t, conn, "SELECT count() FROM events"); n != 0 {
			t.Errorf("%d events were written", n)
		}
	})
}

func TestRetention(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = database(t, dsn)
		conn, now := at(t, dsn), time.Now()
		keep := func(d time.Duration) *clickhouse.Store { return open(t, clickhouse.Options{DSN: dsn, Retention: d}) }
		batch := &store.Batch{}
		for id, age := range map[string]time.Duration{"ancient": 20_000 * day, "year": 365 * day, "fresh": time.Hour, "future": -200 * 365 * day} {
			for _, site := range []string{"w1", "w2"} {
				batch.Events = append(batch.Events, store.Event{Website: site, ID: id, Time: now.Add(-age)})
			}
		}
		merged := func() uint64 {
			within(t, 30*time.Second, "mutations end", func() bool {
				return number(t, conn, "SELECT count() FROM system.mutations WHERE database = currentDatabase() AND NOT is_done") == 0
			})
			execute(t, conn, "OPTIMIZE TABLE events FINAL")
			return number(t, conn, "SELECT count() FROM events")
		}
		s := keep(0)
		write(t, s, batch)
		for _, c := range []struct {
			name string
			keep time.Duration
			want uint64
		}{
			{"for ever", 0, 8},
			{"two years", 730 * day, 6},
			{"longer again, which brings nothing back", 5000 * day, 6},
			{"a month", 30 * day, 4},
			{"for ever again", 0, 4},
		} {
			keep(c.keep)
			var engine string
			if err := conn.QueryRow(t.Context(), "SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = 'events'").Scan(&engine); err != nil {
				t.Fatal(err)
			}
			if said := strings.Contains(engine, fmt.Sprintf("toIntervalDay(%d)", c.keep/day)); said != (c.keep > 0) {
				t.Errorf("%s: the table has %s", c.name, engine)
			}
			if n := merged(); n != c.want {
				t.Errorf("%s: %d rows are left, want %d", c.name, n, c.want)
			}
		}
	})
}

func TestErase(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = database(t, dsn)
		s := open(t, clickhouse.Options{DSN: dsn})
		at0 := time.Date(2026, 2, 28, 23, 0, 0, 0, time.UTC)
		batch := &store.Batch{}
		for _, site := range []string{"same", "other", "o'brien\\"} {
			for i := range 3 { // over a month's end
				batch.Events = append(batch.Events, store.Event{Website: site, ID: fmt.Sprint(i), Time: at0.Add(time.Duration(i) * time.Hour)})
			}
			batch.Errors = append(batch.Errors, store.Error{Website: site, ID: "r", Time: at0})
			batch.Vitals = append(batch.Vitals, store.Vital{Website: site, ID: "v", Time: at0, Samples: []store.Sample{{Metric: "LCP", Value: 1}}})
			batch.Spans = append(batch.Spans, store.Span{Website: site, ID: "s", Time: at0})
			batch.Visits = append(batch.Visits, store.Visit{Link: site, ID: "l", Time: at0})
			batch.Checks = append(batch.Checks, store.Check{Schedule: site, ID: "c", Time: at0})
		}
		write(t, s, batch)
		conn := at(t, dsn)
		all := func() (n uint64) {
			for _, table := range []string{"events", "errors", "vitals", "spans", "visits", "checks"} {
				// Rows that are only hidden count, too.
				n += number(t, conn, "SELECT count() FROM "+table+" SETTINGS apply_deleted_mask = 0")
			}
			return n
		}
		execute(t, conn, "DELETE FROM events WHERE subject = 'same' AND event_id = '2'") // hidden
		left := all()
		if left != 24 {
			t.Fatalf("%d rows to begin with, want 24", left)
		}
		for _, c := range []struct {
			subject    store.Subject
			told, gone uint64
		}{
			{store.Subject{Kind: store.KindWebsite, ID: "same"}, 5, 6},
			{store.Subject{Kind: store.KindWebsite, ID: "same"}, 0, 0},
			{store.Subject{Kind: store.KindLink, ID: "same"}, 1, 1},
			{store.Subject{Kind: store.KindSchedule, ID: "same"}, 1, 1},
			{store.Subject{Kind: store.KindWebsite, ID: "o'brien\\"}, 6, 6},
			{store.Subject{Kind: store.KindWebsite, ID: "nobody"}, 0, 0},
		} {
			n, err := s.Erase(t.Context(), c.subject)
			if err != nil || uint64(n) != c.told {
				t.Errorf("%v: %d, %v; want %d", c.subject, n, err, c.told)
			}
			left -= c.gone
			if got := all(); got != left {
				t.Errorf("%v: %d rows are left, want %d", c.subject, got, left)
			}
		}
		rows, err := s.Query(t.Context(), store.Statement{Label: "left", SQL: "SELECT DISTINCT e.subject FROM events AS e", Kinds: []dialect.Kind{dialect.Text}})
		if err != nil || rows.Len != 1 || rows.Columns[0].Texts[0] != "other" {
			t.Errorf("left are %v, %v; want the other site's", rows, err)
		}
		if w := write(t, s, &store.Batch{Events: batch.Events[:1]}); w.Stored != 1 {
			t.Errorf("an id that was erased is not taken again: %+v", w)
		}
		if _, err := s.Erase(t.Context(), store.Subject{Kind: "page", ID: "same"}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("a kind that is none: %v", err)
		}
	})
}
