package clickhouse_test

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

var shop = store.Subject{Kind: store.KindWebsite, ID: "w"}

// firstDay returns the version of the UTC day of the events of events().
func firstDay(t *testing.T, s *clickhouse.Store) uint64 {
	t.Helper()
	return versionOf(t, s, shop, monthEnd)
}

// versionOf returns the version of the UTC day of an instant.
func versionOf(t *testing.T, s *clickhouse.Store, of store.Subject, at time.Time) uint64 {
	t.Helper()
	days, err := s.Days(t.Context(), of, at, at.Add(1))
	if err != nil {
		t.Fatalf("Days: %v", err)
	}
	return store.VersionOf(days)
}

// Several stores write, and each sees the changes of the others. Merges change nothing.
func TestVersionOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		one, other := open(t, clickhouse.Config{DSN: dsn}), another(t, clickhouse.Config{DSN: dsn})
		var last uint64
		for i, s := range []*clickhouse.Store{one, other, other, one} {
			write(t, s, events(string(rune('a'+i))))
			v := firstDay(t, one)
			if v <= last || firstDay(t, other) != v {
				t.Errorf("write %d: versions %d and %d, want the same version, larger than %d", i, v,
					firstDay(t, other), last)
			}
			last = v
		}
		conn := chtest.Connect(t, dsn)
		chtest.Exec(t, conn, "OPTIMIZE TABLE versions FINAL")
		if n := chtest.Number(t, conn, "SELECT count() FROM versions"); n != 1 || firstDay(t, one) != last {
			t.Errorf("%d rows and version %d of one day after merging, want 1 and %d", n, firstDay(t, one), last)
		}
		// Make the rows look as if a program without versions had written them.
		chtest.Exec(t, conn, "TRUNCATE TABLE versions")
		if n, err := one.Erase(t.Context(), shop); err != nil || n != 4 || firstDay(t, other) == 0 {
			t.Errorf("%d rows erased, %v, and version %d; want 4 and a version", n, err, firstDay(t, other))
		}
	})
}

// While rows may arrive, and while the server may drop some, the version changes.
func TestVersionChangesWithTheClock(t *testing.T) {
	t.Parallel()
	dsn := chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))
	s := open(t, clickhouse.Config{DSN: dsn})
	write(t, s, events("a"))
	still := firstDay(t, s)
	dropping := connect(t, clickhouse.Config{DSN: dsn,
		Retention: (time.Since(monthEnd)/(24*time.Hour) - 1) * 24 * time.Hour})
	aged := firstDay(t, dropping)
	conn := chtest.Connect(t, dsn)
	begun := func(site, at string) (version func() uint64) {
		chtest.Exec(t, conn, "INSERT INTO versions (subject, day, begun, at) VALUES ('website "+site+"', 1, 1, "+at+")")
		return func() uint64 {
			return versionOf(t, s, store.Subject{Kind: store.KindWebsite, ID: site}, time.Unix(86_400, 0))
		}
	}
	now, before := begun("now", "now()"), begun("before", "now() - 7200")
	underway, over := now(), before()
	within(t, "the versions move", func() bool { return now() > underway && firstDay(t, dropping) > aged })
	if firstDay(t, s) != still || before() != over {
		t.Errorf("versions %d and %d, want %d and %d as before, since no row can arrive", firstDay(t, s), before(),
			still, over)
	}
}
