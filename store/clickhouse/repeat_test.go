package clickhouse_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// monthEnd falls in the last tenth of a second of a month.
var monthEnd = time.Date(2026, 3, 31, 23, 59, 59, 900_000_000, time.UTC)

// everyKind returns a batch with one row of each kind for each id.
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
		b.Blocked = append(b.Blocked, store.Blocked{Website: "w", ID: id, Time: at, Requests: 1})
	}
	return b
}

// rowsPerID is the number of rows that everyKind stores per id in each table.
var rowsPerID = map[string]int64{"events": 3, "errors": 1, "vitals": 2, "spans": 1, "visits": 1, "checks": 1,
	"blocked": 1}

// wantOnce checks that every table has n ids with the right number of rows each.
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

// A repeat arrives through another store, in another batch, with other fields.
func TestRetryElsewhere(t *testing.T) {
	t.Parallel()
	oneProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		one, other := open(t, clickhouse.Config{DSN: dsn}), another(t, clickhouse.Config{DSN: dsn})
		type sent struct {
			at      time.Time
			session string
		}
		cases := map[string]struct{ first, again sent }{
			"unchanged":           {sent{monthEnd, "s"}, sent{monthEnd, "s"}},
			"without a timestamp": {sent{monthEnd, "s"}, sent{monthEnd.Add(-37 * time.Second), "s"}},
			"after midnight, in the next month": {sent{monthEnd, "s"},
				sent{monthEnd.Add(200 * time.Millisecond), "s"}},
			"before midnight, in the year before": {sent{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), "s"},
				sent{time.Date(2025, 12, 31, 23, 59, 59, 0, time.UTC), "s"}},
			"in another session": {sent{monthEnd, "s"}, sent{monthEnd.Add(time.Minute), "another"}},
		}
		const kinds = 9
		for _, step := range []struct {
			through  *clickhouse.Store
			again    bool
			from, to int // range within the twenty ids of each case
			want     store.Written
		}{
			{one, false, 0, 12, store.Written{Stored: 12 * kinds}},
			{other, true, 0, 5, store.Written{Repeated: 5 * kinds}},
			{other, true, 5, 20, store.Written{Stored: 8 * kinds, Repeated: 7 * kinds}},
			{one, true, 0, 20, store.Written{Repeated: 20 * kinds}},
		} {
			var writers sync.WaitGroup
			for name, c := range cases {
				how := c.first
				if step.again {
					how = c.again
				}
				b := everyKind(how.at, how.session, ids(name+` '"\%_`+"\t", step.from, step.to)...)
				writers.Go(func() {
					if got, err := step.through.Write(t.Context(), &b); err != nil || got != step.want {
						t.Errorf("%s: %+v, %v; want %+v", name, got, err, step.want)
					}
				})
			}
			writers.Wait()
		}
		wantOnce(t, one, 20*len(cases))
	})
}

// Two stores receive the same ids at the same time, repeatedly, with other times and in other batches.
// SIGHTLINE_LONG sets the number of rounds.
func TestRacingStores(t *testing.T) {
	t.Parallel()
	oneProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		stores := []*clickhouse.Store{open(t, clickhouse.Config{DSN: dsn}), another(t, clickhouse.Config{DSN: dsn})}
		const each, batches = 240, 6
		total := 0
		for range storetest.Number(t, "SIGHTLINE_LONG", 1) {
			var writers sync.WaitGroup
			for _, s := range stores {
				mixed := ids("race", total, total+each)
				rand.Shuffle(each, func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
				for part := range slices.Chunk(mixed, each/batches) {
					// Times before and after the end of a month.
					b := everyKind(monthEnd.Add(rand.N(200*time.Millisecond)), fmt.Sprint(rand.IntN(3)), part...)
					writers.Go(func() {
						if _, err := s.Write(t.Context(), &b); err != nil {
							t.Error(err)
						}
					})
				}
			}
			writers.Wait()
			total += each
		}
		wantOnce(t, stores[0], total)
	})
}

// If writerEnv is set, this program does not run tests but writes to the address in it until it is killed.
// idsEnv has the prefix of its ids.
const writerEnv, idsEnv, idsOfWriter = "SIGHTLINE_TEST_WRITER", "SIGHTLINE_TEST_IDS", 40

func TestMain(m *testing.M) {
	if dsn := os.Getenv(writerEnv); dsn != "" {
		fmt.Println(writeUntilKilled(context.Background(), dsn, os.Getenv(idsEnv)))
		return
	}
	os.Exit(m.Run())
}

func writeUntilKilled(ctx context.Context, dsn, prefix string) error {
	s, err := clickhouse.Open(ctx, clickhouse.Config{DSN: dsn, BatchDelay: -1, WriteTimeout: 5 * time.Minute})
	if err != nil {
		return err
	}
	for n := 1; ; n = idsOfWriter { // the first write has one id, to show that the process is running
		b := everyKind(monthEnd, "s", ids(prefix, 0, n)...)
		if _, err := s.Write(ctx, &b); err != nil {
			return err
		}
		fmt.Println("written")
	}
}

// A process is killed while it writes. Its events are sent through another store at once, with other times.
// SIGHTLINE_LONG sets the number of kills.
func TestWriterKilled(t *testing.T) {
	t.Parallel()
	oneProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		other := open(t, clickhouse.Config{DSN: dsn})
		kills := storetest.Number(t, "SIGHTLINE_LONG", 2)
		for round := range kills {
			prefix := fmt.Sprint("killed", round)
			one := exec.Command(os.Args[0])
			one.Env = append(os.Environ(), writerEnv+"="+dsn, idsEnv+"="+prefix)
			out, err := one.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := one.Start(); err != nil {
				t.Fatal(err)
			}
			if said := bufio.NewScanner(out); !said.Scan() || said.Text() != "written" {
				t.Errorf("the writer printed %q", said.Text())
			}
			time.Sleep(rand.N(150 * time.Millisecond))
			_ = one.Process.Kill()
			_ = one.Wait()
			b := everyKind(monthEnd.Add(time.Second), "s", ids(prefix, 0, idsOfWriter)...)
			write(t, other, &b)
		}
		if err := other.Close(context.Background()); err != nil { // Close checks pending conflicts once more
			t.Error(err)
		}
		wantOnce(t, another(t, clickhouse.Config{DSN: dsn}), kills*idsOfWriter)
	})
}

// Attempts under one mark count once, from any process and however they overlap. Another mark is another set of
// rows.
func TestRestoreOnceUnderOneMark(t *testing.T) {
	t.Parallel()
	o := clickhouse.Config{DSN: chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))}
	var b store.Batch
	for i := range 4100 { // more than one look-up takes
		b.Checks = append(b.Checks,
			store.Check{Schedule: "m", ID: fmt.Sprint(i), Time: time.UnixMilli(1.7e12 + int64(i))})
	}
	processes := []*clickhouse.Store{open(t, o), another(t, o), another(t, o)}
	var attempts sync.WaitGroup
	for _, s := range processes {
		attempts.Go(func() {
			if err := s.Restore(t.Context(), "once", &b); err != nil {
				t.Error(err)
			}
		})
	}
	attempts.Wait()
	conn := chtest.Connect(t, o.DSN)
	rows := func() uint64 { return chtest.Number(t, conn, "SELECT count() FROM checks") }
	if got := rows(); got != 4100 {
		t.Errorf("%d rows after three attempts under one mark, want 4100", got)
	}
	if err := processes[1].Restore(t.Context(), "twice", &b); err != nil {
		t.Fatal(err)
	}
	if got := rows(); got != 8200 {
		t.Errorf("%d rows after another mark, want 8200", got)
	}
}
