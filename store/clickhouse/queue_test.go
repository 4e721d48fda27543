package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// Close stores the waiting writes.
func TestCloseStoresWaitingWrites(t *testing.T) {
	t.Parallel()
	dsn := chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))
	there := open(t, clickhouse.Config{DSN: dsn})
	s, err := clickhouse.Open(t.Context(),
		clickhouse.Config{DSN: dsn, BatchDelay: time.Hour, WriteTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), events("first")); err != nil {
		t.Fatal(err)
	}
	stored := writeAtOnce(t, s, 20)
	within(t, "all wait", func() bool { return s.Waiting() == 20 })
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("Close: %v", err)
	}
	stored()
	if got := counts(t, there); len(got) != 21 {
		t.Errorf("%d events are stored, want 21", len(got))
	}
	if _, err := s.Write(t.Context(), events("late")); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Write after Close: %v, want ErrUnavailable", err)
	}
}

// Two groups are stored concurrently.
func TestGroupsOverlap(t *testing.T) {
	t.Parallel()
	dsn := chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))
	open(t, clickhouse.Config{DSN: dsn})
	meeting := &meetingConn{Conn: chtest.Connect(t, dsn), others: make(chan struct{})}
	s, err := clickhouse.New(meeting, clickhouse.Config{BatchDelay: -1, WriteTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	var writers sync.WaitGroup
	for i := range 2 {
		writers.Go(func() {
			if i > 0 {
				<-meeting.others // this write cannot join the first group
			}
			write(t, s, events(fmt.Sprint(i)))
		})
	}
	writers.Wait()
}

// A meetingConn delays the first insert of receipts until another one arrives.
type meetingConn struct {
	driver.Conn

	inserts atomic.Int32
	others  chan struct{}
}

func (c *meetingConn) PrepareBatch(ctx context.Context, query string, opts ...driver.PrepareBatchOption) (driver.Batch,
	error) {
	if strings.HasPrefix(query, "INSERT INTO receipts") {
		switch c.inserts.Add(1) {
		case 1:
			c.others <- struct{}{}
			select {
			case c.others <- struct{}{}:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case 2:
			<-c.others
		}
	}
	return c.Conn.PrepareBatch(ctx, query, opts...)
}

// A batch that the server rejects does not delay the other batches of its group.
func TestInvalidBatchFailsAlone(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		s := open(t, clickhouse.Config{DSN: dsn, BatchDelay: 500 * time.Millisecond})
		chtest.Exec(t, chtest.Connect(t, dsn), "ALTER TABLE events ADD CONSTRAINT good CHECK event_id NOT LIKE 'bad%'")
		if _, err := s.Write(t.Context(), events("first")); err != nil { // the next batches are joined
			t.Fatal(err)
		}
		var writers sync.WaitGroup
		for i := range 16 {
			writers.Go(func() {
				switch i {
				case 5, 11:
					if _, err := s.Write(t.Context(), events("with", fmt.Sprint("bad", i))); err == nil ||
						errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "469") {
						t.Errorf("a batch that breaks a constraint: %v, want the server's message", err)
					}
				case 7:
					b := events("with")
					b.Events = append(b.Events, store.Event{Website: "w", ID: "no time"})
					if _, err := s.Write(t.Context(), b); !errors.Is(err, store.ErrInvalid) {
						t.Errorf("a batch with a row without time: %v, want ErrInvalid", err)
					}
				default:
					if _, err := s.Write(t.Context(), events(fmt.Sprint(i))); err != nil {
						t.Errorf("a good batch: %v", err)
					}
				}
			})
		}
		writers.Wait()
		got := counts(t, s)
		if len(got) != 14 || got["with"] != 0 {
			t.Errorf("%d ids, 'with' %d times; want the 14 ids of the good batches", len(got), got["with"])
		}
	})
}
