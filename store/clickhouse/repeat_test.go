package clickhouse_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// monthEnd is the last tenth of a second of a month.
var monthEnd = time.Date(2026, 3, 31, 23, 59, 59, 900_000_000, time.UTC)

// everyKind is a batch of one row of each kind for each id.
func everyKind(at time.Time, session string, ids ...string) store.Batch {
	var b store.Batch
	who := store.Identity{SessionID: session}
	for _, id := range ids {
		b.Events = append(b.Events,
			store.Event{Website: "w", ID: id, Kind: store.Pageview, Time: at, Identity: who},
			store.Event{Website: "w", ID: id, Kind: store.Custom, Time: at, Identity: who},
			store.Event{Website: "w", ID: id, Kind: store.Click, Time: at, Identity: who})
		b.Errors = append(b.Errors, store.Error{Website: "w", ID: id, Time: at, Identity: who})
		b.Vitals = append(b.Vitals, store.Vital{Website: "w", ID: id, Time: at, Identity: who,
			Samples: []store.Sample{{Metric: "LCP", Value: 1}, {Metric: "INP", Value: 2}}})
		b.Spans = append(b.Spans, store.Span{Website: "w", ID: id, Time: at, Identity: who})
		b.Visits = append(b.Visits, store.Visit{Link: "l", ID: id, Time: at})
		b.Checks = append(b.Checks, store.Check{Schedule: "s", ID: id, Time: at, Status: store.Up})
	}
	return b
}

// rowsPerID is how many rows of an id everyKind leaves in each table.
var rowsPerID = map[string]int64{"events": 3, "errors": 1, "vitals": 2, "spans": 1, "visits": 1, "checks": 1}

// wantOnce checks that each of n ids is in every table as often as it must be.
func wantOnce(t *testing.T, s *clickhouse.Store, n int) {
	t.Helper()
	for table, per := range rowsPerID {
		rows, err := s.Query(t.Context(), store.Statement{
			Label: "once",
			SQL:   "SELECT toInt64(uniqExact(t.event_id)) AS ids, toInt64(count()) AS rows FROM " + table + " AS t",
			Kinds: []dialect.Kind{dialect.Int, dialect.Int},
		})
		if err != nil {
			t.Fatal(err)
		}
		if ids, all := rows.Columns[0].Ints[0], rows.Columns[1].Ints[0]; ids != int64(n) || all != int64(n)*per {
			t.Errorf("%s: %d ids in %d rows, want %d in %d", table, ids, all, n, int64(n)*per)
		}
	}
}

func ids(prefix string, from, to int) []string {
	all := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprintf("%s-%d", prefix, i))
	}
	return all
}

// A retry comes through another process, in another batch, with other fields.
func TestRetryElsewhere(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		s := open(t, clickhouse.Options{DSN: dsn})
		one, other := newProcess(t, dsn), newProcess(t, dsn)
		total := 0
		for name, c := range map[string]struct {
			first, again time.Time
			session      string // of the retry
		}{
			"as it was":                            {monthEnd, monthEnd, "s"},
			"without a timestamp":                  {monthEnd, monthEnd.Add(-37 * time.Second), "s"},
			"after midnight, across a month's end": {monthEnd, monthEnd.Add(200 * time.Millisecond), "s"},
			"back over a year's end":               {time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 12, 31, 23, 59, 59, 0, time.UTC), "s"},
			"in another session":                   {monthEnd, monthEnd.Add(time.Minute), "another"},
		} {
			const kinds = 8
			all := ids(name+` '"\%_`+"\t", 0, 20)
			if got, want := one.write(everyKind(c.first, "s", all[:12]...)), (store.Written{Stored: 12 * kinds}); got != want {
				t.Errorf("%s: first %+v, want %+v", name, got, want)
			}
			// Batched otherwise, some of it new.
			retry := []store.Batch{everyKind(c.again, c.session, all[:5]...), everyKind(c.again, c.session, all[5:20]...)}
			if got, want := other.write(retry...), (store.Written{Stored: 8 * kinds, Repeated: 12 * kinds}); got != want {
				t.Errorf("%s: again %+v, want %+v", name, got, want)
			}
			if got, want := one.write(everyKind(c.again, c.session, all...)), (store.Written{Repeated: 20 * kinds}); got != want {
				t.Errorf("%s: a third time %+v, want %+v", name, got, want)
			}
			total += 20
		}
		wantOnce(t, s, total)
	})
}

// Two processes are sent the same ids at the very same time, again and again, with other
// times and in other batches.
func TestRacingProcesses(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		s := open(t, clickhouse.Options{DSN: dsn})
		one, other := newProcess(t, dsn), newProcess(t, dsn)
		const each, batches = 240, 6
		total := 0
		for range 5 {
			orders := map[*process][]store.Batch{}
			for _, p := range []*process{one, other} {
				mixed := ids("race", total, total+each)
				rand.Shuffle(each, func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
				for part := range slices.Chunk(mixed, each/batches) {
					// Before and after the end of a month.
					at := monthEnd.Add(rand.N(200 * time.Millisecond))
					orders[p] = append(orders[p], everyKind(at, fmt.Sprint(rand.IntN(3)), part...))
				}
			}
			if !together(t, orders) {
				return
			}
			total += each
		}
		t.Logf("%d rows were raced for", total*8)
		wantOnce(t, s, total)
	})
}

// A process is killed while it writes, and what it wrote is sent to another at once,
// with other times.
func TestWriterKilled(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		s := open(t, clickhouse.Options{DSN: dsn})
		other := newProcess(t, dsn)
		const each, kills = 40, 8
		for round := range kills {
			all := ids("killed", round*each, (round+1)*each)
			one := newProcess(t, dsn)
			one.write(everyKind(monthEnd, "s", all[0])) // it is up
			if err := one.orders.Encode(order{[]store.Batch{everyKind(monthEnd, "s", all...)}}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(rand.N(150 * time.Millisecond))
			one.kill()
			other.write(everyKind(monthEnd.Add(time.Second), "s", all...))
		}
		other.close()
		wantOnce(t, s, kills*each)
	})
}

// More repeats than one query can ask for, of ids as long as they may be.
func TestManyLongRepeats(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := open(t, clickhouse.Options{DSN: chtest.Database(t, dsn)})
		const n = 9_000
		var b store.Batch
		for i := range n {
			id := fmt.Sprintf("%d%s", i, `'\`+"\n\t😀%&+ =/"+string(make([]byte, 200)))
			b.Events = append(b.Events, store.Event{Website: fmt.Sprintf("w%d", i%50), ID: id[:min(len(id), 255)], Time: monthEnd.Add(time.Duration(i) * time.Millisecond)})
		}
		for i, want := range []store.Written{{Stored: n}, {Repeated: n}} {
			if got, err := s.Write(t.Context(), &b); err != nil || got != want {
				t.Fatalf("write %d: %+v, %v; want %+v", i, got, err, want)
			}
		}
	})
}
