package clickhouse

import (
	"context"
	"fmt"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
)

// empty is a store on an empty database of the server that CLICKHOUSE_DSN names. It has
// no writer: the test does what one does.
func empty(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{DSN: chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN")), Linger: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &Store{cfg: s.cfg, lang: s.lang, conn: s.conn, closing: s.closing}
}

// A process that dies leaves an insert on its way, which reaches the tables after the
// sender's retry was stored by another process. One of the two rows stays.
func TestInsertAfterDeath(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		retried time.Duration // how much later the retry dates its row
		number  func(dead uint64) uint64
	}{
		"the dead one's number is less":    {0, func(dead uint64) uint64 { return dead + 1<<40 }},
		"the dead one's number is greater": {0, func(dead uint64) uint64 { return dead - 1<<40 }},
		"the retry has another time":       {time.Hour, func(dead uint64) uint64 { return dead + 1<<40 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := empty(t)
			ctx := t.Context()
			at := time.Date(2026, 3, 31, 23, 30, 0, 0, time.UTC)
			group := func(at time.Time) []*write {
				b := &store.Batch{Events: []store.Event{{Website: "w", ID: "e", Time: at}, {Website: "w", ID: "f", Time: at}}}
				rows, err := arrange(b)
				if err != nil {
					t.Fatal(err)
				}
				return []*write{{batch: b, rows: rows, done: make(chan error, 1)}}
			}
			dead, deadGroup := s.newCommit(), group(at)
			if err := s.claim(ctx, dead, distinct(deadGroup)); err != nil {
				t.Fatal(err)
			}
			retry, retryGroup := s.newCommit(), group(at.Add(c.retried))
			retry.receipt = c.number(dead.receipt)
			if err := s.steps(ctx, retry, retryGroup); err != nil {
				t.Fatal(err)
			}
			if err := s.insertGroup(ctx, dead, deadGroup); err != nil { // now it arrives
				t.Fatal(err)
			}
			if got := s.rowsOf(t, "events"); got != 4 {
				t.Fatalf("%d rows before another look, want 4, or the test shows nothing", got)
			}
			gone, cancel := context.WithCancel(ctx)
			cancel()
			s.lookAgain(gone, false) // which fails, and is not the look that the rows are due
			s.lookAgain(ctx, false)
			if got := s.rowsOf(t, "events"); got != 2 {
				t.Errorf("%d rows of two ids after another look, want 2", got)
			}
		})
	}
}

// A receipt without a row, of a process that died before its insert, keeps no other's
// row out, and the row is in doubt for a while only.
func TestReceiptWithoutRow(t *testing.T) {
	t.Parallel()
	s := empty(t)
	b := &store.Batch{Events: []store.Event{{Website: "w", ID: "e", Time: time.Unix(0, 0)}}}
	rows, err := arrange(b)
	if err != nil {
		t.Fatal(err)
	}
	group := []*write{{batch: b, rows: rows, done: make(chan error, 1)}}
	if err := s.claim(t.Context(), s.newCommit(), distinct(group)); err != nil {
		t.Fatal(err)
	}
	if err := s.commit(t.Context(), group); err != nil {
		t.Fatal(err)
	}
	if rows[0].repeated || s.rowsOf(t, "events") != 1 {
		t.Errorf("repeated %t, %d rows; want the row stored", rows[0].repeated, s.rowsOf(t, "events"))
	}
	for tick := range lastTick {
		if len(s.doubts.list) != 1 || s.doubts.rows != 1 {
			t.Fatalf("after %d ticks %d commits are in doubt, want 1", tick, len(s.doubts.list))
		}
		s.lookAgain(t.Context(), false)
	}
	if len(s.doubts.list) != 0 || s.doubts.rows != 0 {
		t.Errorf("%d commits are in doubt after the last tick, want none", len(s.doubts.list))
	}
	if got := s.rowsOf(t, "events"); got != 1 {
		t.Errorf("%d rows in the end, want 1", got)
	}
}

// Doubts do not grow without bound.
func TestDoubtsAreBounded(t *testing.T) {
	t.Parallel()
	var d doubts
	for receipt := range uint64(5) {
		d.add(receipt, make([]row, doubtLimit/2))
	}
	if d.rows > doubtLimit || len(d.list) != 2 || d.list[1].receipt != 4 {
		t.Errorf("%d rows of %d commits in doubt, want the latest, %d rows at most", d.rows, len(d.list), doubtLimit)
	}
}

// A block that was stored, and whose answer was lost, counts once, in every month it
// has rows of; so do its receipts.
func TestBlockTwice(t *testing.T) {
	t.Parallel()
	s := empty(t)
	b := &store.Batch{}
	for month := range 14 {
		b.Events = append(b.Events, store.Event{Website: "w", ID: fmt.Sprint(month), Time: time.Date(2025, time.Month(month), 1, 0, 0, 0, 0, time.UTC)})
	}
	rows, err := arrange(b)
	if err != nil {
		t.Fatal(err)
	}
	group := []*write{{batch: b, rows: rows, done: make(chan error, 1)}}
	c := s.newCommit()
	for range 3 {
		if err := s.claim(t.Context(), c, distinct(group)); err != nil {
			t.Fatal(err)
		}
		if err := s.insertGroup(t.Context(), c, group); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"events", "receipts"} {
		if got := s.rowsOf(t, table); got != 14 {
			t.Errorf("%s: %d rows after the same block three times, want 14", table, got)
		}
	}
	if err := s.insertGroup(t.Context(), s.newCommit(), group); err != nil {
		t.Fatal(err)
	}
	if got := s.rowsOf(t, "events"); got != 28 {
		t.Errorf("%d rows after the block came under another token, want 28, or the test shows nothing", got)
	}
}

// Look-ups read by the primary keys.
func TestLookUpsUseTheIndex(t *testing.T) {
	t.Parallel()
	s := empty(t)
	ctx := t.Context()
	for _, fill := range []string{
		"INSERT INTO receipts (id, time, receipt) SELECT sipHash64(number), number, 1 FROM numbers(1000000)",
		"INSERT INTO events (subject, event_id, time) SELECT 'w', toString(number), toInt64(number) FROM numbers(1000000)",
	} {
		if err := s.conn.Exec(ctx, fill); err != nil {
			t.Fatal(err)
		}
	}
	read := func(what string, question func(context.Context)) {
		t.Helper()
		var rows uint64
		question(driver.Context(ctx, driver.WithProgress(func(p *driver.Progress) { rows += p.Rows })))
		if rows == 0 || rows > 50_000 {
			t.Errorf("%s read %d of 1 000 000 rows, want a few granules", what, rows)
		}
	}
	one := row{identity: identity{inEvents, pageKind, "w", "77"}, millis: 77}
	one.hash = one.identity.hash()
	read("looking for receipts", func(ctx context.Context) {
		if _, err := s.claims(ctx, 2, []*row{&one}, false); err != nil {
			t.Fatal(err)
		}
	})
	read("looking for rows", func(ctx context.Context) {
		got, err := s.find(ctx, []claim{{place{one.identity, 77}, &one, 1}})
		if err != nil || len(got[one.identity]) != 1 {
			t.Fatalf("found %v, %v; want the row", got, err)
		}
	})
}

func (s *Store) rowsOf(t *testing.T, table string) uint64 {
	t.Helper()
	return chtest.Number(t, s.conn, "SELECT count() FROM "+table)
}
