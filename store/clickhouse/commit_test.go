package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// empty returns a store on an empty database of the server in CLICKHOUSE_DSN. It has no writer goroutine: the
// test does its work.
func empty(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{DSN: chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN")), BatchDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &Store{cfg: s.cfg, lang: s.lang, conn: s.conn, closing: s.closing}
}

// writes returns a queued batch with two events of a site.
func writes(t *testing.T, site string, at time.Time) []*write {
	t.Helper()
	b := &store.Batch{Events: []store.Event{{Website: site, ID: "e", Time: at}, {Website: site, ID: "f", Time: at}}}
	rows, err := arrange(b)
	if err != nil {
		t.Fatal(err)
	}
	return []*write{{batch: b, rows: rows, done: make(chan error, 1)}}
}

// A late insert of a process that died or gave up arrives after another attempt at its rows finished. One copy
// of each row stays.
func TestLateInsert(t *testing.T) {
	t.Parallel()
	there := empty(t)
	number := func(receipt uint64) func(attempt) attempt {
		return func(attempt) attempt { return attempt{receipt: receipt} }
	}
	for name, c := range map[string]struct {
		late    attempt
		other   func(late attempt) attempt
		delayed time.Duration // how much later the rows of the other attempt are dated
	}{
		"the late number is smaller": {late: attempt{receipt: 5}, other: number(6)},
		"the late number is larger":  {late: attempt{receipt: 6}, other: number(5)},
		"the other has another time": {late: attempt{receipt: 5}, other: number(6), delayed: time.Hour},
		"the other is of the same write": {late: attempt{receipt: 5},
			other: func(late attempt) attempt { return attempt{receipt: 6, earlier: []uint64{late.receipt}} }},
		"both restore rows under a mark": {late: restoring("m"),
			other: func(attempt) attempt { return restoring("m") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Store{cfg: there.cfg, lang: there.lang, conn: there.conn, closing: there.closing} // another process
			rows := func() uint64 {
				return chtest.Number(t, s.conn, "SELECT count() FROM events WHERE subject = ?",
					name)
			}
			ctx := t.Context()
			at := time.Date(2026, 3, 31, 23, 30, 0, 0, time.UTC)
			late := writes(t, name, at)
			if err := s.addReceipts(ctx, c.late, c.late.distinct(late)); err != nil {
				t.Fatal(err)
			}
			other := writes(t, name, at.Add(c.delayed))
			if err := s.runAttempt(ctx, c.other(c.late), other); err != nil {
				t.Fatal(err)
			}
			if err := s.insertRows(ctx, c.late, late); err != nil { // the late insert arrives
				t.Fatal(err)
			}
			if got := rows(); got != 4 {
				t.Fatalf("%d rows before the next check, want 4 for a meaningful test", got)
			}
			before := s.versionOf(t, name, at)
			gone, cancel := context.WithCancel(ctx)
			cancel()
			s.recheckConflicts(gone, false) // a failed check does not count
			s.recheckConflicts(ctx, false)
			if got := rows(); got != 2 {
				t.Errorf("%d rows of two ids after the next check, want 2", got)
			}
			if after := s.versionOf(t, name, at); after <= before {
				t.Errorf("version %d after copies were deleted, want more than %d", after, before)
			}
		})
	}
}

// A receipt without a row, from a process that died before its insert, does not prevent other rows. Its
// conflict is pending only for a while.
func TestReceiptWithoutRow(t *testing.T) {
	t.Parallel()
	s := empty(t)
	first := s.newAttempt()
	if err := s.addReceipts(t.Context(), first, first.distinct(writes(t, "w", time.Unix(0, 0)))); err != nil {
		t.Fatal(err)
	}
	group := &group{writes: writes(t, "w", time.Unix(0, 0))}
	if err := s.commit(t.Context(), group, s.newAttempt); err != nil {
		t.Fatal(err)
	}
	if got, want := group.writes[0].written(), (store.Written{Stored: 2}); got != want || s.rowsOf(t, "events") != 2 {
		t.Errorf("%+v, %d rows; want all rows stored", got, s.rowsOf(t, "events"))
	}
	for tick := range lastTick {
		if len(s.conflicts.list) != 1 || s.conflicts.rows != 2 {
			t.Fatalf("after %d ticks %d attempts have conflicts pending, want 1", tick, len(s.conflicts.list))
		}
		s.recheckConflicts(t.Context(), false)
	}
	if len(s.conflicts.list) != 0 || s.conflicts.rows != 0 {
		t.Errorf("%d attempts have conflicts pending after the last tick, want none", len(s.conflicts.list))
	}
	if got := s.rowsOf(t, "events"); got != 2 {
		t.Errorf("%d rows at the end, want 2", got)
	}
}

func TestPendingConflictsAreBounded(t *testing.T) {
	t.Parallel()
	var p pendingConflicts
	for receipt := range uint64(5) {
		p.add(conflict{attempt: attempt{receipt: receipt}, rows: make([]row, conflictLimit/2)})
	}
	if p.rows > conflictLimit || len(p.list) != 2 || p.list[1].attempt.receipt != 4 {
		t.Errorf("%d rows of %d attempts are pending, want the latest attempts with at most %d rows", p.rows,
			len(p.list), conflictLimit)
	}
}

// Each insert has rows of one month, so that it becomes one part.
func TestBlocks(t *testing.T) {
	t.Parallel()
	b := &store.Batch{}
	for i := range 16 {
		at := time.Date(2000, time.Month(1+i/2), 1, 0, 0, 0, -i%2, time.UTC) // the last and first instants of months
		b.Events = append(b.Events, store.Event{Website: "w", ID: fmt.Sprint(i), Time: at})
		b.Spans = append(b.Spans, store.Span{Website: "w", ID: fmt.Sprint(i), Time: at})
	}
	rows, err := arrange(b)
	if err != nil {
		t.Fatal(err)
	}
	s := empty(t)
	group := &group{writes: []*write{{batch: b, rows: rows}}}
	if n := len(blocks(group.writes)); n != 9 {
		t.Errorf("%d blocks, want one for each of 9 months", n)
	}
	if err := s.commit(t.Context(), group, s.newAttempt); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"events", "spans"} {
		if got := s.rowsOf(t, table); got != 16 {
			t.Errorf("%d rows in %s, want 16", got, table)
		}
	}
}

// Look-ups use the primary keys.
func TestLookUpsUseTheIndex(t *testing.T) {
	t.Parallel()
	s := empty(t)
	ctx := t.Context()
	for _, fill := range []string{
		"INSERT INTO receipts (id, time, receipt) SELECT sipHash64(number), number, 1 FROM numbers(200000)",
		"INSERT INTO events (subject, event_id, time) SELECT 'w', toString(number), toInt64(number) FROM numbers(200000)",
	} {
		if err := s.conn.Exec(ctx, fill); err != nil {
			t.Fatal(err)
		}
	}
	read := func(what string, question func(context.Context)) {
		t.Helper()
		var rows uint64
		question(driver.Context(ctx, driver.WithProgress(func(p *driver.Progress) { rows += p.Rows })))
		if rows == 0 || rows > 20_000 {
			t.Errorf("%s read %d of 200 000 rows, want only a few granules", what, rows)
		}
	}
	one := row{identity: identity{schema.Events, schema.PageEvents, false, "w", "77"}, millis: 77}
	one.hash = one.identity.hash()
	read("looking for receipts", func(ctx context.Context) {
		if _, err := s.otherReceipts(ctx, attempt{receipt: 2}, []*row{&one}, false); err != nil {
			t.Fatal(err)
		}
	})
	read("looking for rows", func(ctx context.Context) {
		at := location{one.identity, 77}
		got, err := s.find(ctx, attempt{}, []location{at})
		if err != nil || len(got[attempt{}.key(at)]) != 1 {
			t.Fatalf("found %v, %v; want the row", got, err)
		}
	})
}

func (s *Store) rowsOf(t *testing.T, table string) uint64 {
	t.Helper()
	return chtest.Number(t, s.conn, "SELECT count() FROM "+table)
}

func (s *Store) versionOf(t *testing.T, site string, at time.Time) uint64 {
	t.Helper()
	days, err := s.Days(t.Context(), store.Subject{Kind: store.KindWebsite, ID: site}, at, at.Add(day))
	if err != nil {
		t.Fatal(err)
	}
	return store.VersionOf(days)
}

// An abandoned write frees its place and its rows, unless it is being stored.
func TestAbandonedWrites(t *testing.T) {
	t.Parallel()
	var q queue
	q.begin()
	add := func() *write {
		w := &write{batch: &store.Batch{}, rows: make([]row, 10)}
		if err := q.add(w, 10); err != nil {
			t.Fatal(err)
		}
		return w
	}
	for range 3 { // each uses the place of the previous write
		gone := add()
		q.abandon(gone)
		if gone.batch != nil || gone.rows != nil {
			t.Error("an abandoned write still has its rows")
		}
	}
	kept := add()
	if group := q.take(); len(group) != 1 || group[0] != kept || len(q.waiting) != 0 {
		t.Fatalf("%d writes were taken and %d are left, want only the write with a waiting caller", len(group),
			len(q.waiting))
	}
	q.abandon(kept)
	if kept.batch == nil || len(kept.rows) != 10 || q.rows != 0 {
		t.Errorf("a write that is being stored has %d rows, %d wait; want 10 and none", len(kept.rows), q.rows)
	}
}

// A write that shares an event id with a group in progress does not join another group.
func TestGroupsShareNoID(t *testing.T) {
	t.Parallel()
	var q queue
	q.begin()
	add := func(ids ...string) {
		t.Helper()
		b := &store.Batch{}
		for _, id := range ids {
			b.Events = append(b.Events, store.Event{Website: "w", ID: id, Time: time.Unix(0, 0)})
		}
		rows, err := arrange(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.add(&write{batch: b, rows: rows}, 100); err != nil {
			t.Fatal(err)
		}
	}
	add("a", "b")
	add("b", "c")
	first := q.take()
	add("d", "c", "a")
	add("e")
	second := q.take()
	if len(first) != 2 || len(second) != 1 || second[0].rows[0].ID != "e" || len(q.waiting) != 1 || q.rows != 3 {
		t.Fatalf("groups of %d and %d writes, %d wait; want the one with c and a to wait for the first group",
			len(first), len(second), len(q.waiting))
	}
	if <-q.wake; len(q.take()) != 0 {
		t.Error("the write was taken before the first group was released")
	}
	q.release(second)
	if got := q.take(); len(got) != 0 {
		t.Error("the write was taken after another group was released")
	}
	q.release(first)
	<-q.wake
	if got := q.take(); len(got) != 1 {
		t.Error("the write was not taken after the first group was released")
	} else if q.release(got); len(q.storing) != 0 {
		t.Errorf("%d hashes are still marked as being stored", len(q.storing))
	}
}

// A server that does not read does not block a writer forever.
func TestSendTimesOut(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	past := func() time.Time { return time.Now().Add(100*time.Millisecond - sendTimeout) }
	if n, err := (&boundedConn{c.(*net.TCPConn), past}).Write(make([]byte, 64<<20)); !errors.Is(err,
		os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes were sent, %v; want a time-out", n, err)
	}
}
