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

// eventInserts matches the beginning of an insert into events, over both protocols.
var eventInserts = regexp.MustCompile(`INSERT(\+|%20| )INTO(\+|%20| )events`)

// An unknownOutcome is an insert over the end of a month that the server received, but did not answer before it
// died.
type unknownOutcome struct {
	name  string
	lost  []string // months whose parts are lost after the restart
	forgo bool     // the log of deduplication is also lost

	store   *clickhouse.Store
	proxies []*proxy
	acked   chan error // the result of each write
	parts   []string   // the folders of lost parts
	log     string     // the folder of the log of deduplication
}

// outcomeUnknown kills the server after it received inserts over the end of a month, and before it answers.
// After the restart a part of the rows is lost, but not from the log of deduplication. The server writes this
// log before a part, and does not sync the two. Events that are acknowledged then are stored once.
func outcomeUnknown(t *testing.T, server *chtest.Server) {
	cases := []*unknownOutcome{
		{name: "all is stored, and the log is lost", forgo: true},
		{name: "a month is lost, but not from the log", lost: []string{"202604"}},
		{name: "all is lost, but not from the log", lost: []string{"202603", "202604"}},
		{name: "a month is lost, and the log, too", lost: []string{"202603"}, forgo: true},
	}
	for _, c := range cases {
		c.write(t, server)
	}
	server.Kill()
	for _, c := range cases {
		c.lose(t)
	}
	server.Restart()
	for _, c := range cases {
		t.Run(c.name, c.mustBeOnce)
	}
}

// write sends events in three ways. None gets an answer.
func (c *unknownOutcome) write(t *testing.T, server *chtest.Server) {
	database := chtest.Database(t, server.Native)
	c.store = open(t, clickhouse.Config{DSN: database})
	conn := chtest.Connect(t, database)
	// An administrator may have set a log of deduplication.
	chtest.Exec(t, conn, "ALTER TABLE events MODIFY SETTING non_replicated_deduplication_window = 10000")
	http := chtest.In(t, server.HTTP, path.Base(database))
	c.acked = make(chan error, 3)
	for name, dsn := range map[string]string{"native": database, "http": http, "restored": database} {
		way, address := newProxy(t, dsn, nil)
		s := another(t, clickhouse.Config{DSN: address, WriteTimeout: 2 * time.Minute})
		way.mute(eventInserts)
		c.proxies = append(c.proxies, way)
		b := events(ids(name, 0, 10)...)
		for i := range b.Events {
			b.Events[i].Time = monthEnd.Add(time.Duration(i) * 20 * time.Millisecond)
		}
		go func() {
			if name == "restored" {
				c.acked <- s.Restore(t.Context(), "mark", b)
				return
			}
			written, err := s.Write(t.Context(), b)
			if err == nil && written != (store.Written{Stored: 10}) {
				err = fmt.Errorf("%+v, want all stored", written)
			}
			c.acked <- err
		}()
	}
	for len(counts(t, c.store)) < 30 {
		select {
		case err := <-c.acked:
			t.Fatalf("a write ended before its answer came: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	c.parts = paths(t, conn, "SELECT p.path FROM system.parts AS p WHERE p.active AND p.database = currentDatabase()"+
		" AND p.table = 'events' AND p.partition IN {months:Array(String)}", driver.Named("months", c.lost))
	if len(c.parts) < len(c.lost) {
		t.Fatalf("%d parts of %d months", len(c.parts), len(c.lost))
	}
	data := paths(t, conn, "SELECT arrayJoin(t.data_paths) FROM system.tables AS t WHERE t.database = currentDatabase() AND t.name = 'events'")
	c.log = filepath.Join(data[0], "deduplication_logs")
}

// lose removes the lost files while the server is stopped, and lets answers through again.
func (c *unknownOutcome) lose(t *testing.T) {
	logs, err := filepath.Glob(filepath.Join(c.log, "*"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("the log of deduplication is missing: %v", err)
	}
	lost := c.parts
	if c.forgo {
		lost = append(lost, logs...)
	}
	for _, one := range lost {
		if err := os.RemoveAll(one); err != nil {
			t.Fatal(err)
		}
	}
	for _, way := range c.proxies {
		way.mute(nil)
	}
}

func (c *unknownOutcome) mustBeOnce(t *testing.T) {
	for range c.proxies {
		if err := <-c.acked; err != nil {
			t.Errorf("Write: %v", err)
		}
	}
	got := counts(t, c.store)
	for _, id := range slices.Concat(ids("native", 0, 10), ids("http", 0, 10), ids("restored", 0, 10)) {
		if got[id] != 1 {
			t.Errorf("%s was acknowledged and is stored %d times, want once", id, got[id])
		}
	}
}

// paths queries a list of paths on the server's machine, which is this machine.
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
