//go:build cgo

package e2e

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	chdriver "github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// A cluster has two servers with one shard each. The first server knows both as the cluster "shards".
type cluster struct{ first, second *chtest.Server }

const shards = "shards"

func startCluster(t *testing.T) cluster {
	t.Helper()
	config := filepath.Join(t.TempDir(), "cluster.xml")
	write := func(servers string) {
		text := "<clickhouse><remote_servers><" + shards + ">" + servers + "</" + shards +
			"></remote_servers></clickhouse>"
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shard := func(s *chtest.Server) string {
		u, err := url.Parse(s.Native)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("<shard><replica><host>%s</host><port>%s</port></replica></shard>", u.Hostname(), u.Port())
	}
	c := cluster{second: chtest.Start(t)}
	write(shard(c.second)) // until the address of the first server is known
	c.first = chtest.Start(t, "--config", config)
	write(shard(c.first) + shard(c.second))
	c.first.Restart()
	return c
}

// harness returns a harness for stores on both servers.
func (c cluster) harness() storetest.Harness {
	return storetest.Harness{
		Remote: true,
		Create: c.database,
		Open: func(t *testing.T, dsn string, now func() time.Time) store.Store {
			return openClickHouse(t, clickhouse.Config{DSN: dsn, Cluster: shards, Now: now})
		},
	}
}

// database creates the tables of a cluster in a new database, and returns its address on the first server.
func (c cluster) database(t *testing.T) string {
	t.Helper()
	return c.databaseOf(t, func(ddl string) string { return ddl })
}

// databaseOf is like database, with another schema.
func (c cluster) databaseOf(t *testing.T, change func(ddl string) string) string {
	t.Helper()
	name := fmt.Sprintf("diff_%x", rand.Uint64())
	for _, s := range []*chtest.Server{c.second, c.first} {
		chtest.Exec(t, chtest.Connect(t, s.Native), "CREATE DATABASE "+name)
		conn := chtest.Connect(t, chtest.In(t, s.Native, name))
		for _, ddl := range unreplicated(t, clickhouse.Config{Cluster: shards}.Schema()) {
			if s == c.first || strings.HasPrefix(ddl, "CREATE") && !strings.Contains(ddl, "Distributed") {
				chtest.Exec(t, conn, change(ddl))
			}
		}
	}
	return chtest.In(t, c.first.Native, name)
}

// unreplicated returns the schema of a cluster for servers without a keeper. It has plain tables in place of Replicated
// tables, and each table is created on one server.
func unreplicated(t *testing.T, schema []string) []string {
	t.Helper()
	replicated := regexp.MustCompile(`Replicated(\w*MergeTree)\([^)]*\)`)
	onCluster := regexp.MustCompile(" ON CLUSTER `[^`]+`")
	var plain []string
	for _, ddl := range schema {
		if !onCluster.MatchString(ddl) && strings.HasPrefix(ddl, "CREATE") {
			t.Errorf("not on all servers: %s", ddl)
		}
		plain = append(plain, replicated.ReplaceAllString(onCluster.ReplaceAllString(ddl, ""), "$1"))
	}
	return plain
}

// TestCluster runs all tests that need two shards.
func TestCluster(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	t.Run("diff", c.testDiff)
	t.Run("lost answers", c.loseAnswers)
	if os.Getenv("SIGHTLINE_LONG") != "" { // takes minutes: make long-shards
		t.Run("store", c.testStore)
		t.Run("copy", c.testCopy)
	}
}

// testDiff sends the same random queries to DuckDB and to two shards of ClickHouse. The answers must be equal byte for
// byte, except for sessions with rows on both shards, and for choices that each shard makes from its rows.
func (c cluster) testDiff(t *testing.T) {
	if os.Getenv("SIGHTLINE_LONG") != "" {
		storetest.Diff(t, inDuckDB(), c.harness(), storetest.RandomRunOf(t, 1, 20260310))
	}
	storetest.DiffKillsMutants(t, inDuckDB(), c.harness(), []storetest.Mutation{
		{Name: "each server chooses the visitors of a page alone", SQL: storetest.Replaced(" GLOBAL IN ", " IN "),
			When: storetest.OfType("profiles", "profile_list")},
	})
	key := regexp.MustCompile(`cityHash64\(.*\)\)$`)
	scattered := c.harness()
	scattered.Create = func(t *testing.T) string {
		return c.databaseOf(t, func(ddl string) string { return key.ReplaceAllString(ddl, "rand())") })
	}
	storetest.DiffKillsMutants(t, inDuckDB(), scattered, []storetest.Mutation{
		{Name: "rows of a session on several servers"},
	})
}

type closer interface {
	Close(ctx context.Context) error
}

// testStore runs the proof of a single store on two shards.
func (c cluster) testStore(t *testing.T) {
	// Erasure alters all servers at once, which needs a keeper.
	type writer struct {
		store.Store
		store.Writer
		store.DayLister
		closer
	}
	h := c.harness()
	open := h.Open
	h.Open = func(t *testing.T, dsn string, now func() time.Time) store.Store {
		s := open(t, dsn, now).(*clickhouse.Store)
		return writer{s, s, s, s}
	}
	h.SampleEvery = 24 // testDiff covers the types
	storetest.Prove(t, h)
}

// loseAnswers writes a dataset over a connection that loses every other answer to an insert. Every row must be stored
// once.
func (c cluster) loseAnswers(t *testing.T) {
	dsn := c.database(t)
	lossy, err := clickhouse.New(&lossyConn{Conn: chtest.Connect(t, dsn)},
		clickhouse.Config{Cluster: shards, BatchDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	w := dataset.New(7)
	written, err := lossy.Write(t.Context(), &w.Batch)
	if err != nil {
		t.Fatal(err)
	}
	if err := lossy.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := openDuckDB(t)
	if stored, err := want.Write(t.Context(), &w.Batch); err != nil || stored != written {
		t.Errorf("DuckDB stores %+v, %v; the cluster %+v", stored, err, written)
	}
	both, one := chtest.Connect(t, dsn), chtest.Connect(t, chtest.In(t, c.second.Native, path.Base(dsn)))
	for _, table := range []string{"events", "errors", "vitals", "spans", "visits", "checks", "blocked"} {
		rows := chtest.Number(t, both, "SELECT count() FROM "+table)
		second := chtest.Number(t, one, "SELECT count() FROM "+table+"_local")
		found, err := want.Query(t.Context(),
			store.Statement{Label: "count", SQL: "SELECT count(*) FROM " + table, Kinds: []dialect.Kind{dialect.Int}})
		if err != nil {
			t.Fatal(err)
		}
		if n := found.Columns[0].Ints[0]; rows != uint64(n) {
			t.Errorf("%s: %d rows, DuckDB has %d", table, rows, n)
		}
		if second < rows/10 || second > rows*9/10 {
			t.Errorf("%s: the second of two servers has %d of %d rows", table, second, rows)
		}
	}
}

// A lossyConn sends inserts and loses the answers to the first, third, fifth and so on.
type lossyConn struct {
	driver.Conn
	sent atomic.Int64
}

func (c *lossyConn) PrepareBatch(ctx context.Context, query string,
	options ...chdriver.PrepareBatchOption) (chdriver.Batch, error) {
	b, err := c.Conn.PrepareBatch(ctx, query, options...) //nolint:clickhouselint // the caller closes it
	return lossyBatch{b, c}, err
}

type lossyBatch struct {
	chdriver.Batch
	on *lossyConn
}

func (b lossyBatch) Send() error {
	if err := b.Batch.Send(); err != nil || b.on.sent.Add(1)%2 == 0 {
		return err
	}
	return io.ErrUnexpectedEOF
}
