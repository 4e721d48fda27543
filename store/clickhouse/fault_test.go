package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// A sender sends events through one store until it is stopped, and records which ones were acknowledged.
type sender struct {
	store  *clickhouse.Store
	prefix string

	tried []string
	acked map[string]bool
}

// send sends batches of a few events, with pauses, and counts acknowledged batches.
func (s *sender) send(ctx context.Context, batches *atomic.Int64) {
	s.acked = map[string]bool{}
	for n := 0; ctx.Err() == nil; n += 7 {
		batch := ids(s.prefix, n, n+7)
		s.tried = append(s.tried, batch...)
		b := events(batch...)
		for i := range b.Events { // with times in two months
			b.Events[i].Time = monthEnd.Add(time.Duration(i) * 50 * time.Millisecond)
		}
		if _, err := s.store.Write(context.Background(), b); err != nil {
			continue
		}
		batches.Add(1)
		for _, id := range batch {
			s.acked[id] = true
		}
	}
}

// senders sends over both protocols, through two stores each, while do runs. do can wait until more batches are
// acknowledged.
func senders(t *testing.T, prefix string, stores map[string]*clickhouse.Store, do func(more func(n int64))) []*sender {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all []*sender
	var running sync.WaitGroup
	var batches atomic.Int64
	for name, s := range stores {
		for i := range 2 {
			one := &sender{store: s, prefix: fmt.Sprintf("%s-%s-%d", prefix, name, i)}
			all = append(all, one)
			running.Go(func() { one.send(ctx, &batches) })
		}
	}
	do(func(n int64) {
		enough := batches.Load() + n
		within(t, "more batches are acknowledged", func() bool { return batches.Load() >= enough })
	})
	cancel()
	running.Wait()
	return all
}

// once checks that all acknowledged events are stored once, and no event more than once. Then it sends
// everything again through the store of the other protocol, and checks the same.
func once(t *testing.T, through *clickhouse.Store, all []*sender) (acked int) {
	t.Helper()
	got := counts(t, through)
	for _, s := range all {
		acked += len(s.acked)
		for _, id := range s.tried {
			if n := got[id]; n > 1 || n == 0 && s.acked[id] {
				t.Errorf("%s is stored %d times; acknowledged: %t", id, n, s.acked[id])
			}
		}
		if _, err := through.Write(t.Context(), events(s.tried...)); err != nil {
			t.Fatalf("sending again: %v", err)
		}
	}
	got = counts(t, through)
	for _, s := range all {
		for _, id := range s.tried {
			if n := got[id]; n != 1 {
				t.Errorf("after sending again, %s is stored %d times", id, n)
			}
		}
	}
	return acked
}

// bothProtocols opens a store over each protocol on a new database of the test's server.
func bothProtocols(t *testing.T, s *chtest.Server) map[string]*clickhouse.Store {
	t.Helper()
	dsn := chtest.Database(t, s.Native)
	return map[string]*clickhouse.Store{
		"native": open(t, clickhouse.Config{DSN: dsn}),
		"http":   another(t, clickhouse.Config{DSN: chtest.In(t, s.HTTP, path.Base(dsn))}),
	}
}

// TestServer has tests that need a server with special users, or one that can be killed or disturbed. They
// share one server, because a start takes seconds.
func TestServer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "users.xml")
	if err := os.WriteFile(file, []byte(users), 0o600); err != nil {
		t.Fatal(err)
	}
	server := chtest.Start(t, "--users", file)
	for _, proof := range []struct {
		name string
		run  func(*testing.T, *chtest.Server)
	}{
		{"rights", rights}, {"outcome unknown", outcomeUnknown}, {"killed", killed}, {"faults", faults},
	} {
		t.Run(proof.name, func(t *testing.T) { proof.run(t, server) })
	}
}

// killed kills the server while it stores events. After a restart, acknowledged events are stored once. Events
// that are sent again, as by senders without an answer, are stored once, too. SIGHTLINE_LONG sets the number of
// kills. SIGHTLINE_BUSY sets the number of busy processes, which make kills between two steps more likely.
func killed(t *testing.T, server *chtest.Server) {
	for range storetest.Number(t, "SIGHTLINE_BUSY", 0) {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = busy.Process.Kill()
			_ = busy.Wait()
		})
	}
	stores := bothProtocols(t, server)
	acked := 0
	for round := range storetest.Number(t, "SIGHTLINE_LONG", 1) {
		all := senders(t, fmt.Sprint("round", round), stores, func(more func(int64)) {
			more(8)
			time.Sleep(rand.N(400 * time.Millisecond)) // while others are in progress
			server.Kill()
			server.Restart()
			more(8)
		})
		acked += once(t, stores[[]string{"native", "http"}[rand.IntN(2)]], all)
		if t.Failed() {
			return
		}
		if round%20 == 19 {
			t.Logf("%d kills", round+1)
		}
	}
	t.Logf("%d events were acknowledged around kills, and all are stored once", acked)
}

// restarted stops the server cleanly and starts it again for the following tests: writes wait, and none fails.
func restarted(t *testing.T, server *chtest.Server, stores map[string]*clickhouse.Store) {
	t.Helper()
	all := senders(t, "restart", stores, func(more func(int64)) {
		more(8)
		server.Restart("--faults")
		more(8)
	})
	once(t, stores["native"], all)
	for _, s := range all {
		if len(s.acked) != len(s.tried) {
			t.Errorf("%s: %d of %d events were acknowledged, want all", s.prefix, len(s.acked), len(s.tried))
		}
	}
}

// seven is a query with seven rows.
var seven = store.Statement{
	Label: "seven", SQL: "SELECT toInt64(number) AS n FROM numbers(7) AS a", Kinds: []dialect.Kind{dialect.Int},
}

// faults stops the server cleanly. Afterwards the server is slow, rejects queries and cuts answers.
func faults(t *testing.T, server *chtest.Server) {
	stores := bothProtocols(t, server)
	restarted(t, server, stores)
	for _, c := range []struct {
		name   string
		faults chtest.Faults
		all    bool // must be acknowledged
	}{
		{"delayed", chtest.Faults{Delay: 100 * time.Millisecond}, true},
		{"failing every third query", chtest.Faults{FailEvery: 3}, true},
		{"answers cut at once", chtest.Faults{DropAfter: 1}, false},
		{"answers cut after 300 bytes", chtest.Faults{DropAfter: 300}, false},
		{"delayed and failing every second query", chtest.Faults{Delay: 20 * time.Millisecond, FailEvery: 2}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			server.Faults(c.faults)
			all := senders(t, c.name, stores, func(func(int64)) {
				time.Sleep(700 * time.Millisecond) // time with the fault
				answered := 0
				for range 5 {
					for name, s := range stores {
						got, err := s.Query(t.Context(), seven)
						switch {
						case err == nil && (got.Len != 7 || got.Columns[0].Ints[6] != 6):
							t.Errorf("%s: an answer of %d rows, want 7", name, got.Len)
						case err == nil:
							answered++
						case !errors.Is(err, store.ErrUnavailable):
							t.Errorf("%s: Query: %v, want the answer or ErrUnavailable", name, err)
						}
					}
				}
				if c.all && answered < 6 {
					t.Errorf("%d of 10 queries were answered, want most", answered)
				}
				if !c.all { // its writes wait until the fault ends
					server.Faults(chtest.Faults{})
				}
			})
			server.Faults(chtest.Faults{})
			once(t, stores["http"], all)
			for _, s := range all {
				if c.all && len(s.acked) != len(s.tried) {
					t.Errorf("%s: %d of %d events were acknowledged, want all", s.prefix, len(s.acked), len(s.tried))
				}
			}
		})
	}
}
