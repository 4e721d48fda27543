package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// events returns a batch of pageviews.
func events(ids ...string) *store.Batch {
	b := &store.Batch{}
	for _, id := range ids {
		b.Events = append(b.Events, store.Event{Website: "w", ID: id, Time: monthEnd})
	}
	return b
}

// writeAtOnce starts n goroutines that each write an event, and returns a function that waits until all are
// stored.
func writeAtOnce(t *testing.T, s *clickhouse.Store, n int) (stored func()) {
	t.Helper()
	var writers sync.WaitGroup
	for i := range n {
		writers.Go(func() {
			if _, err := s.Write(t.Context(), events(fmt.Sprint(i))); err != nil {
				t.Errorf("Write: %v", err)
			}
		})
	}
	return writers.Wait
}

// counts returns how often each id is in events.
func counts(t *testing.T, s *clickhouse.Store) map[string]int64 {
	t.Helper()
	rows, err := s.Query(t.Context(), store.Statement{
		Label: "counts", SQL: "SELECT t.event_id, toInt64(count()) AS n FROM events AS t GROUP BY t.event_id",
		Kinds: []dialect.Kind{dialect.Text, dialect.Int},
	})
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int64{}
	for i, id := range rows.Columns[0].Texts {
		n[id] = rows.Columns[1].Ints[i]
	}
	return n
}

// A signal has capacity 1.
type signal chan struct{}

// Write is called for every log line.
func (s signal) Write(line []byte) (int, error) {
	select {
	case s <- struct{}{}:
	default:
	}
	return len(line), nil
}

// behind opens a store behind a proxy. retried receives a value whenever a step is retried.
func behind(t *testing.T, dsn string, cfg clickhouse.Config) (s *clickhouse.Store, way *proxy,
	retried <-chan struct{}) {
	t.Helper()
	again := make(signal, 1)
	way, cfg.DSN = newProxy(t, dsn, nil)
	cfg.Logger = slog.New(slog.NewTextHandler(again, nil))
	return open(t, cfg), way, again
}

// While the servers are unavailable, writes wait, as many as the buffer holds and for WriteTimeout. Rejected
// writes can be sent again and are stored once.
func TestServersAway(t *testing.T) {
	t.Parallel()
	oneProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		there := open(t, clickhouse.Config{DSN: dsn})
		const patience = 8 * time.Second
		s, way, retried := behind(t, dsn, clickhouse.Config{Buffer: 60, WriteTimeout: patience})
		write(t, there, events("before"))
		way.goAway()
		began := time.Now()
		var waiting sync.WaitGroup
		const writers = 7
		faults := make([]error, writers)
		var gaveUp atomic.Int32
		begin := func(i int) {
			waiting.Go(func() {
				_, faults[i] = s.Write(t.Context(), events(ids(fmt.Sprint(i), 0, 10)...))
				gaveUp.Add(1)
			})
		}
		begin(0)
		<-retried // one write is in progress; the others wait
		for i := 1; i < writers; i++ {
			begin(i)
		}
		within(t, "60 rows wait", func() bool { return s.Waiting() == 60 })
		_, err := s.Write(t.Context(), events("too many"))
		if n := gaveUp.Load(); !errors.Is(err, store.ErrUnavailable) || n > 0 {
			t.Errorf("a write beyond the buffer: %v after %d of %d had given up, want ErrUnavailable at once", err, n,
				writers)
		}
		if _, err := s.Write(t.Context(), events()); err != nil {
			t.Errorf("an empty write: %v", err)
		}
		waiting.Wait()
		for i, err := range faults {
			if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("write %d: %v, want ErrUnavailable", i, err)
			}
		}
		if took := time.Since(began); took < patience {
			t.Errorf("the writes gave up after %s, want %s", took, patience)
		}
		way.comeBack()
		for i := range faults {
			write(t, there, events(ids(fmt.Sprint(i), 0, 10)...))
		}
		_ = s.Close(context.Background()) // it may also have stored rows, and checks for duplicates
		got := counts(t, there)
		for i := range faults {
			for _, id := range ids(fmt.Sprint(i), 0, 10) {
				if got[id] != 1 {
					t.Errorf("%s is stored %d times, want once", id, got[id])
				}
			}
		}
		if got["before"] != 1 || got["too many"] != 0 {
			t.Errorf("before: %d, too many: %d; want 1 and 0", got["before"], got["too many"])
		}
	})
}

// Servers that come back within WriteTimeout cause no error.
func TestServersBack(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s, way, retried := behind(t, chtest.Database(t, dsn), clickhouse.Config{})
		way.goAway()
		stored := writeAtOnce(t, s, 8)
		<-retried
		way.comeBack()
		stored()
		if got := counts(t, s); len(got) != 8 {
			t.Errorf("%d events are stored, want 8", len(got))
		}
	})
}

// A write whose context ends returns the context's error and frees its place in the buffer.
func TestCallerCancelsWrite(t *testing.T) {
	t.Parallel()
	s, way, retried := behind(t, chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN")), clickhouse.Config{Buffer: 10})
	way.goAway()
	stored := writeAtOnce(t, s, 1)
	<-retried
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if _, err := s.Write(ctx, events(ids("gone", 0, 10)...)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Write: %v, want DeadlineExceeded", err)
		}
		cancel()
	}
	way.comeBack()
	stored()
	write(t, s, events("after"))
	if got := counts(t, s); got["after"] != 1 || got["gone-0"] != 0 {
		t.Errorf("after: %d, gone: %d; want 1 and 0", got["after"], got["gone-0"])
	}
}

// If one of two addresses is down, from the start or later, reads and writes continue.
func TestOneOfTwoAddresses(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		first, address := newProxy(t, dsn, nil)
		other, _ := newProxy(t, dsn, nil)
		first.goAway()
		s := open(t, clickhouse.Config{DSN: and(t, address, other.host)})
		n := 0
		for _, change := range []func(){
			func() {}, func() {
				first.comeBack()
				other.goAway()
			}, other.comeBack, first.goAway, func() {
				first.comeBack()
				other.goAway()
			},
		} {
			change()
			var readers sync.WaitGroup // opens connections and keeps them idle
			for range 8 {
				readers.Go(func() { answers(t, s) })
			}
			readers.Wait()
			for range 4 {
				n++
				write(t, s, events(fmt.Sprint(n)))
			}
			got := counts(t, s)
			if times := slices.Collect(maps.Values(got)); len(got) != n || slices.Max(times) != 1 {
				t.Fatalf("read %v, want %d events, each once", got, n)
			}
		}
		first.goAway()
		if _, err := s.Query(t.Context(), one()); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("both down: %v, want ErrUnavailable", err)
		}
		other.comeBack()
		answers(t, s)
	})
}

// An address that accepts connections and never answers costs its share of dial_timeout once.
func TestSilentAddress(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		first, address := newProxy(t, with(t, dsn, "dial_timeout", "12s"), nil)
		second, _ := newProxy(t, dsn, nil)
		first.fallSilent(true)
		s := connect(t, clickhouse.Config{DSN: and(t, address, second.host)})
		_, before := first.open()
		answers(t, s)
		if _, after := first.open(); before == 0 || after != before {
			t.Errorf("the silent address was tried %d times by Open, and %d times after the next query", before, after)
		}
	})
}
