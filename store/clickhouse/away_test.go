package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// events is a batch of pageviews.
func events(ids ...string) *store.Batch {
	b := &store.Batch{}
	for _, id := range ids {
		b.Events = append(b.Events, store.Event{Website: "w", ID: id, Time: monthEnd})
	}
	return b
}

// writeAtOnce has n goroutines begin to write an event each, and returns what waits until
// all are stored.
func writeAtOnce(t *testing.T, s *clickhouse.Store, n int) (stored func()) {
	t.Helper()
	var writers, begun sync.WaitGroup
	begun.Add(n)
	for i := range n {
		writers.Go(func() {
			begun.Done()
			if _, err := s.Write(t.Context(), events(fmt.Sprint(i))); err != nil {
				t.Errorf("Write: %v", err)
			}
		})
	}
	begun.Wait()
	return writers.Wait
}

// counts is how often each id is in events.
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

// While the servers are away writes wait, as many as the buffer holds and as long as
// patience lasts. What was refused can be sent again, and is there once.
func TestServersAway(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		there := open(t, clickhouse.Options{DSN: dsn})
		way, address := newGate(t, dsn)
		const patience = 8 * time.Second
		s := open(t, clickhouse.Options{DSN: address, Buffer: 60, WriteTimeout: patience})
		if _, err := s.Write(t.Context(), events("before")); err != nil {
			t.Fatal(err)
		}
		way.shut()
		began := time.Now()
		fault := make(chan error, 1)
		go func() { // this one is under way; the others wait
			_, err := s.Write(t.Context(), events(ids("under way", 0, 10)...))
			fault <- err
		}()
		time.Sleep(patience / 8)
		var waiting sync.WaitGroup
		const writers = 6
		faults := make([]error, writers)
		var gaveUp atomic.Int32
		for i := range writers {
			waiting.Go(func() {
				_, faults[i] = s.Write(t.Context(), events(ids(fmt.Sprint(i), 0, 10)...))
				gaveUp.Add(1)
			})
		}
		time.Sleep(patience / 8)
		_, err := s.Write(t.Context(), events("too many"))
		if n := gaveUp.Load(); !errors.Is(err, store.ErrUnavailable) || n > 0 {
			t.Errorf("a write beyond the buffer: %v when %d of %d had given up, want ErrUnavailable at once", err, n, writers)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := s.Write(ctx, events()); err != nil {
			t.Errorf("a write of nothing: %v", err)
		}
		waiting.Wait()
		for i, err := range slices.Concat(faults, []error{<-fault}) {
			if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("write %d: %v, want ErrUnavailable", i, err)
			}
		}
		if took := time.Since(began); took < patience {
			t.Errorf("the writes gave up after %s, want %s", took, patience)
		}
		way.open()
		for i := range faults {
			if _, err := s.Write(t.Context(), events(ids(fmt.Sprint(i), 0, 10)...)); err != nil {
				t.Errorf("after the servers came back: %v", err)
			}
		}
		got := counts(t, there)
		for i := range faults {
			for _, id := range ids(fmt.Sprint(i), 0, 10) {
				if got[id] != 1 {
					t.Errorf("%s is there %d times, want once", id, got[id])
				}
			}
		}
		if got["before"] != 1 || got["too many"] != 0 {
			t.Errorf("before: %d, too many: %d; want 1 and 0", got["before"], got["too many"])
		}
	})
}

// Servers that come back within patience are no error at all.
func TestServersBack(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		there := open(t, clickhouse.Options{DSN: dsn})
		way, address := newGate(t, dsn)
		s := open(t, clickhouse.Options{DSN: address})
		way.shut()
		stored := writeAtOnce(t, s, 8)
		time.Sleep(700 * time.Millisecond)
		way.open()
		stored()
		if got := counts(t, there); len(got) != 8 {
			t.Errorf("%d events are there, want 8", len(got))
		}
	})
}

// The caller's own end is the error of a write that waits, and the write's place is free.
func TestCallerGone(t *testing.T) {
	t.Parallel()
	dsn := chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))
	way, address := newGate(t, dsn)
	s := open(t, clickhouse.Options{DSN: address, Buffer: 10, WriteTimeout: 5 * time.Second})
	way.shut()
	go func() { _, _ = s.Write(t.Context(), events("under way")) }()
	time.Sleep(300 * time.Millisecond)
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if _, err := s.Write(ctx, events(ids("gone", 0, 10)...)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Write: %v, want DeadlineExceeded", err)
		}
		cancel()
	}
	way.open()
	if _, err := s.Write(t.Context(), events("after")); err != nil {
		t.Fatal(err)
	}
	if got := counts(t, s); got["after"] != 1 || got["gone-0"] != 0 {
		t.Errorf("after: %d, gone: %d; want 1 and 0", got["after"], got["gone-0"])
	}
}

// Where one of two addresses is down, or goes down meanwhile, reads and writes go on.
func TestOneOfTwoAddresses(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		there := open(t, clickhouse.Options{DSN: dsn})
		one, address := newGate(t, dsn)
		other, _ := newGate(t, dsn)
		s := open(t, clickhouse.Options{DSN: strings.Replace(address, one.host, one.host+","+other.host, 1)})
		n := 0
		for _, change := range []func(){func() {}, one.shut, func() { one.open(); other.shut() }, other.open, one.shut} {
			change()
			for range 4 {
				n++
				if _, err := s.Write(t.Context(), events(fmt.Sprint(n))); err != nil {
					t.Fatalf("write %d: %v", n, err)
				}
				if got := counts(t, s); len(got) != n {
					t.Fatalf("%d events are read, want %d", len(got), n)
				}
			}
		}
		for id, times := range counts(t, there) {
			if times != 1 {
				t.Errorf("%s is there %d times", id, times)
			}
		}
	})
}
