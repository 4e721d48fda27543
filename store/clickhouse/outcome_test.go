package clickhouse_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// eventInserts matches what begins an insert into events, over both protocols.
var eventInserts = regexp.MustCompile(`INSERT(\+|%20| )INTO(\+|%20| )events`)

// The server dies after it took an insert over a month's end and before it answers, and
// comes back with a part of it, with a log of deduplication that says otherwise: it is
// written before a part is, and neither waits for the other. What is acknowledged then is
// there, once.
func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	server := chtest.Start(t)
	for _, c := range []struct {
		name  string
		lost  []string // months whose parts are not there when the server is back
		forgo bool     // the log is lost as well
	}{
		{name: "all is there, and the log is lost", forgo: true},
		{name: "a month is lost, and the log has it", lost: []string{"202604"}},
		{name: "all is lost, and the log has it", lost: []string{"202603", "202604"}},
		{name: "a month is lost, and the log, too", lost: []string{"202603"}, forgo: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			database := chtest.Database(t, server.Native)
			there := open(t, clickhouse.Config{DSN: database})
			conn := chtest.Connect(t, database)
			// Tables of earlier versions have such a log.
			chtest.Exec(t, conn, "ALTER TABLE events MODIFY SETTING non_replicated_deduplication_window = 10000")
			http := chtest.In(t, server.HTTP, path.Base(database))
			acked := make(chan error, 3)
			var proxies []*proxy
			for name, dsn := range map[string]string{"native": database, "http": http, "restored": database} {
				way, address := newProxy(t, dsn, nil)
				s := open(t, clickhouse.Config{DSN: address, WriteTimeout: 2 * time.Minute})
				way.mute(eventInserts)
				proxies = append(proxies, way)
				b := events(ids(name, 0, 10)...)
				for i := range b.Events {
					b.Events[i].Time = monthEnd.Add(time.Duration(i) * 20 * time.Millisecond)
				}
				go func() {
					if name == "restored" {
						acked <- s.Restore(t.Context(), "mark", b)
						return
					}
					written, err := s.Write(t.Context(), b)
					if err == nil && written != (store.Written{Stored: 10}) {
						err = fmt.Errorf("%+v, want all stored", written)
					}
					acked <- err
				}()
			}
			for len(counts(t, there)) < 30 {
				select {
				case err := <-acked:
					t.Fatalf("a write ended before its answer came: %v", err)
				case <-time.After(20 * time.Millisecond):
				}
			}
			parts := paths(t, conn, "SELECT p.path FROM system.parts AS p WHERE p.active AND p.database = currentDatabase()"+
				" AND p.table = 'events' AND p.partition IN {months:Array(String)}", driver.Named("months", c.lost))
			data := paths(t, conn, "SELECT arrayJoin(t.data_paths) FROM system.tables AS t WHERE t.database = currentDatabase() AND t.name = 'events'")
			server.Kill()
			if len(parts) < len(c.lost) {
				t.Fatalf("%d parts of %d months", len(parts), len(c.lost))
			}
			logs, err := filepath.Glob(filepath.Join(data[0], "deduplication_logs", "*"))
			if err != nil || len(logs) == 0 {
				t.Fatalf("no log of deduplication: %v", err)
			}
			if c.forgo {
				parts = append(parts, logs...)
			}
			for _, lost := range parts {
				if err := os.RemoveAll(lost); err != nil {
					t.Fatal(err)
				}
			}
			for _, way := range proxies {
				way.mute(nil)
			}
			server.Restart()
			for range proxies {
				if err := <-acked; err != nil {
					t.Errorf("Write: %v", err)
				}
			}
			got := counts(t, there)
			for _, id := range slices.Concat(ids("native", 0, 10), ids("http", 0, 10), ids("restored", 0, 10)) {
				if got[id] != 1 {
					t.Errorf("%s was acknowledged and is there %d times, want once", id, got[id])
				}
			}
		})
	}
}

// paths asks for a list of paths on the server's machine, which is this one.
func paths(t *testing.T, conn driver.Conn, question string, args ...any) (all []string) {
	t.Helper()
	rows, err := conn.Query(t.Context(), question, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
