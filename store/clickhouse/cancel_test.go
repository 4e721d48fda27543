package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// running returns the number of running queries of a request on the server.
func running(t testing.TB, conn driver.Conn, request string) uint64 {
	t.Helper()
	return chtest.Number(t, conn, "SELECT count() FROM system.processes WHERE startsWith(query_id, {id:String})",
		driver.Named("id", request+"-"))
}

// soon is a generous limit for fast operations on a busy machine. A query that is not stopped runs for hours.
const soon = time.Minute

// within waits up to soon until ok returns true.
func within(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > soon {
			t.Errorf("%s: did not happen within %s", what, soon)
			return
		}
	}
}

// stops runs n slow queries on s, and fails unless the server of dsn stops all of them when their context ends.
func stops(t *testing.T, s *clickhouse.Store, dsn string, n int) {
	t.Helper()
	conn, request := system(t, dsn), fmt.Sprintf("req-%x", rand.Uint64())
	ctx, cancel := context.WithCancel(store.WithRequestID(t.Context(), request))
	defer cancel()
	var busy sync.WaitGroup
	ended := make(chan time.Time, n)
	for range n {
		busy.Go(func() {
			if _, err := s.Query(ctx, slow()); !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want the context's error", err)
			}
			ended <- time.Now()
		})
	}
	within(t, "all queries run", func() bool { return running(t, conn, request) == uint64(n) })
	began := time.Now()
	cancel()
	busy.Wait()
	if took := (<-ended).Sub(began); took > soon {
		t.Errorf("Query returned after %s", took)
	}
	within(t, "no query runs", func() bool { return running(t, conn, request) == 0 })
}

// The tests of storetest cover what a caller sees at its deadline.
func TestCancelledQueryIsStopped(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		name := t.Name()
		pprof.SetGoroutineLabels(pprof.WithLabels(t.Context(), pprof.Labels("test", name)))
		front, fronted := newProxy(t, dsn, nil)
		s := connect(t, clickhouse.Config{DSN: fronted})
		answers(t, s)
		for _, n := range []int{1, 8} {
			t.Run(fmt.Sprintf("%d at once", n), func(t *testing.T) { stops(t, s, dsn, n) })
		}
		t.Run("before it begins", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := s.Query(ctx, one()); !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want the context's error", err)
			}
		})
		t.Run("while rows arrive", func(t *testing.T) {
			conn, request := system(t, dsn), fmt.Sprintf("req-%x", rand.Uint64())
			ctx, cancel := context.WithCancel(store.WithRequestID(t.Context(), request))
			began := false
			go func() {
				defer cancel()
				within(t, "the query runs", func() bool { return running(t, conn, request) == 1 })
				time.Sleep(400 * time.Millisecond) // rows arrive
				began = asking(t, name)
			}()
			_, err := s.Query(ctx, store.Statement{
				Label: "rows", SQL: "SELECT toInt64(number + sleepEachRow(0.001)) FROM numbers(100000000) SETTINGS max_block_size = 50", Kinds: []dialect.Kind{dialect.Int},
			})
			if !errors.Is(err, context.Canceled) || !began {
				t.Errorf("%v, begun: %t; want the context's error after it began", err, began)
			}
			within(t, "no query runs", func() bool { return running(t, conn, request) == 0 })
		})
		// Cancelled queries leave nothing behind, and the store continues to work.
		answers(t, s)
		within(t, "connections are closed", func() bool {
			open, _ := front.open()
			return open <= 2
		})
		within(t, "goroutines end", func() bool { return !asking(t, name) })
	})
}

// asking reports whether a goroutine with the label name is running a query. Other tests run queries at the
// same time.
func asking(t *testing.T, name string) bool {
	t.Helper()
	var stacks strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&stacks, 1); err != nil {
		t.Fatal(err)
	}
	for stack := range strings.SplitSeq(stacks.String(), "\n\n") {
		if strings.Contains(stack, strconv.Quote(name)) && strings.Contains(stack, "clickhouse.(*Store).attempt.func") {
			return true
		}
	}
	return false
}

func TestCancelledWhileWaitingForAConnection(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := connect(t, clickhouse.Config{DSN: with(t, dsn, "max_open_conns", "1")})
		ctx, cancel := context.WithCancel(t.Context())
		var busy sync.WaitGroup
		for range 3 {
			busy.Go(func() {
				if _, err := s.Query(ctx, slow()); !errors.Is(err, context.Canceled) {
					t.Errorf("%v, want the context's error", err)
				}
			})
		}
		time.Sleep(200 * time.Millisecond)
		cancel()
		busy.Wait()
		within(t, "the place is free", func() bool {
			_, err := s.Query(t.Context(), one())
			return err == nil
		})
	})
}
