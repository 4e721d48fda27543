//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// longAfter is the clock of stores whose rows are all old. It stands still, so Maintain does not rest.
func longAfter() time.Time { return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) }

// openClustering opens a store with the given number of rows per cluster.
func openClustering(t testing.TB, path string, rows int64) *Store {
	t.Helper()
	all, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	return openSetup(t, Config{Path: path, Now: longAfter}, setup{all, (*instance).engine, rows})
}

// clusteredHarness gives storetest clustered stores in files.
var clusteredHarness = storetest.Harness{
	Open: func(t *testing.T, _ string, _ func() time.Time) store.Store {
		return clustered{openClustering(t, filepath.Join(t.TempDir(), "s.duckdb"), 400)}
	},
}

// A clustered store calls Maintain after each Write, Seal and Reseal.
type clustered struct{ *Store }

func (c clustered) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	w, err := c.Store.Write(ctx, b)
	return w, errors.Join(err, c.Maintain(ctx))
}

func (c clustered) Seal(ctx context.Context, d store.Derivation) error {
	return errors.Join(c.Store.Seal(ctx, d), c.Maintain(ctx))
}

func (c clustered) Reseal(ctx context.Context, d store.Derivation, changed store.Statement) error {
	return errors.Join(c.Store.Reseal(ctx, d, changed), c.Maintain(ctx))
}

// TestClustersBesideWrites moves imported rows of one store while others are written, read and erased, and some are
// sent again. Its rows must equal those of a store that moves none, and each reader must see each row once.
func TestClustersBesideWrites(t *testing.T) {
	t.Parallel()
	const rows, commits, claims = 100, 20, 10
	paths := [2]string{filepath.Join(t.TempDir(), "s.duckdb"), filepath.Join(t.TempDir(), "s.duckdb")}
	if err := openClustering(t, paths[0], rows).Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	put(t, paths[1], read(t, paths[0])) // so that both use the same key for hashes
	moving, still := openClustering(t, paths[0], rows), openClustering(t, paths[1], rows)
	data, imported := dataset.New(3), dataset.New(3)
	for _, table := range schema.Tables() {
		for item := range table.Len(&imported.Batch) {
			table.SetImports(schema.Row{Batch: &imported.Batch, Item: item}, "imp_a")
		}
	}
	var (
		others sync.WaitGroup
		over   atomic.Bool
		least  atomic.Int64 // minimum number of events
	)
	others.Go(func() { moveUntil(t, moving, &over) })
	others.Go(func() { readUntil(t, moving, &over, &least) })
	both := func(do func(s *Store)) {
		do(moving)
		do(still)
	}
	for i := range commits {
		both(func(s *Store) { mustWrite(t, s, share(&imported.Batch, i, commits)) })
		for part := range claims {
			both(func(s *Store) { mustWrite(t, s, share(&data.Batch, i+part*commits, 2*claims*commits)) })
		}
		if i == commits/2 {
			least.Store(0)
			both(func(s *Store) {
				if _, err := s.Erase(t.Context(),
					store.Subject{Kind: store.KindWebsite, ID: data.Websites[2]}); err != nil {
					t.Error(err)
				}
			})
		}
		least.Store(count(t, still, "events"))
	}
	over.Store(true)
	others.Wait()
	if err := moving.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	both(func(s *Store) { // compare the rows in the files
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
	moving, still = openClustering(t, paths[0], rows), openClustering(t, paths[1], rows)
	for _, of := range clusterings() {
		if diff := cmp.Diff(rowsOf(t, still, of.table), rowsOf(t, moving, of.table)); diff != "" {
			t.Errorf("%s (-still +moving):\n%.3000s", of.table, diff)
		}
		if n := count(t, moving, of.table+" WHERE clustered = 0"); n >= rows {
			t.Errorf("%d rows of %s are in no cluster, want fewer than %d", n, of.table, rows)
		}
	}
	if got, want := moving.ledger.Latest(), still.ledger.Latest(); got != want {
		t.Errorf("latest version %d, want %d", got, want)
	}
}

// moveUntil calls Maintain until over is true, and usually interrupts it.
func moveUntil(t *testing.T, s *Store, over *atomic.Bool) {
	t.Helper()
	for !over.Load() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(10+rand.IntN(50))*time.Millisecond)
		if err := s.Maintain(ctx); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		cancel()
		time.Sleep(5 * time.Millisecond)
	}
}

// readUntil expects each event once, and at least as many events as least says.
func readUntil(t *testing.T, s *Store, over *atomic.Bool, least *atomic.Int64) {
	t.Helper()
	for !over.Load() {
		want := least.Load()
		found := ask(t, s, "SELECT count(*), count(DISTINCT (subject, kind, keyed, event_id)) FROM events",
			[]dialect.Kind{dialect.Int, dialect.Int})
		want = min(want, least.Load()) // it is reduced before rows are erased
		if n, ids := found.Columns[0].Ints[0], found.Columns[1].Ints[0]; n < want || n != ids {
			t.Errorf("a reader sees %d events with %d ids, want at least %d", n, ids, want)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// share returns every n-th row of b, beginning with row i.
func share(b *store.Batch, i, n int) *store.Batch {
	return &store.Batch{
		Events: everyNth(b.Events, i, n), Errors: everyNth(b.Errors, i, n), Vitals: everyNth(b.Vitals, i, n),
		Spans:  everyNth(b.Spans, i, n),
		Visits: everyNth(b.Visits, i, n), Checks: everyNth(b.Checks, i, n), Blocked: everyNth(b.Blocked, i, n),
	}
}

func everyNth[T any](all []T, i, n int) (some []T) {
	for ; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

// rowsOf returns all rows of a table, sorted by their text.
func rowsOf(t *testing.T, s *Store, table string) []string {
	t.Helper()
	return ask(t, s, "SELECT to_json(r)::VARCHAR AS row FROM (SELECT * EXCLUDE (clustered) FROM "+table+
		") AS r ORDER BY row", []dialect.Kind{dialect.Text}).Columns[0].Texts
}

// TestClustersHaveOldRows tests the order of rows in a cluster. Rows that are too young, or too few for another
// cluster, must not move.
func TestClustersHaveOldRows(t *testing.T) {
	t.Parallel()
	const rows, settled, young = 300, 250, 100
	s := openClustering(t, filepath.Join(t.TempDir(), "s.duckdb"), rows)
	for _, website := range []string{"w", "v"} {
		b := batch(website, young+settled)
		for i := range b.Events {
			b.Events[i].Website = website
			b.Events[i].Time = longAfter().Add(-settleTime + time.Duration(young-1-i)*time.Hour)
		}
		mustWrite(t, s, b)
	}
	if err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	inOrderOf := func(by string) []string {
		return ask(t, s, "SELECT subject || ' ' || time // 86400000 || ' ' || session_hash || ' ' || time FROM events WHERE clustered = 1 ORDER BY "+by,
			[]dialect.Kind{dialect.Text}).Columns[0].Texts
	}
	got, want := inOrderOf("rowid"), inOrderOf("subject, time // 3600000, session_hash, time")
	if diff := cmp.Diff(want, got); diff != "" || len(got) != rows {
		t.Errorf("%d rows in clusters, want %d (-want +got):\n%.3000s", len(got), rows, diff)
	}
}

// TestClustersLoseNoRows makes clusters that would have fewer rows than they replace, which must fail.
func TestClustersLoseNoRows(t *testing.T) {
	t.Parallel()
	s := openClustering(t, filepath.Join(t.TempDir(), "s.duckdb"), 10)
	mustWrite(t, s, batch("a", 12))
	want := rowsOf(t, s, "events")
	for _, by := range []string{"time LIMIT 9", "time LIMIT nothing"} {
		if made, err := s.cluster(t.Context(), clustering{"events", "time", by}); err == nil || made {
			t.Errorf("cluster ordered by %s = %t, %v; want an error", by, made, err)
		}
	}
	if diff := cmp.Diff(want, rowsOf(t, s, "events")); diff != "" || count(t, s, "events WHERE clustered = 1") > 0 {
		t.Errorf("rows moved although the cluster failed: %s", diff)
	}
}
