package clickhouse_test

import (
	"fmt"
	"testing"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// A day is not sealed while its rows change. Sealing also sweeps unused rows.
func TestSealBesideOtherProcesses(t *testing.T) {
	t.Parallel()
	dsn := chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))
	s, conn := open(t, clickhouse.Config{DSN: dsn}), chtest.Connect(t, dsn)
	write(t, s, events("a"))
	engine, err := query.New(query.Config{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	from, to := monthEnd.AddDate(0, 0, -2), monthEnd.AddDate(0, 0, 3)
	sealed := func() int {
		t.Helper()
		if err := engine.Seal(t.Context(), shop, from, to); err != nil {
			t.Fatal(err)
		}
		report, err := engine.VerifySeals(t.Context(), shop, from, to)
		if err != nil || len(report.Differences) > 0 {
			t.Fatalf("%+v, %v", report, err)
		}
		return report.Verified
	}
	chtest.Exec(t, conn, fmt.Sprintf("INSERT INTO versions (subject, day, begun) VALUES ('website %s', %d, 1)", shop.ID,
		monthEnd.Unix()/86_400))
	if n := sealed(); n >= 12 {
		t.Errorf("%d seals of six days are valid while another process changes one", n)
	}
	// On a busy machine the store itself may have failed to note the end of its change: it tries once.
	chtest.Exec(t, conn, "INSERT INTO versions (subject, day, ended) SELECT subject, day, sum(begun) - sum(ended) FROM versions GROUP BY subject, day HAVING sum(begun) > sum(ended)")
	if n := sealed(); n != 12 {
		t.Errorf("%d seals are valid, want 12", n)
	}

	// Leftovers of other processes: unpublished rows, and seals replaced a long time ago and just now.
	day := monthEnd.Unix() / 86_400
	for seal, published := range []string{"", "now64() - 7300", "now64() - 3500"} {
		chtest.Exec(t, conn, fmt.Sprintf("INSERT INTO sealed_hits (subject, seal, made, time) VALUES ('%s', %d, now() - 7200, %d)", shop.ID, seal, monthEnd.UnixMilli()))
		if published != "" {
			chtest.Exec(t, conn, fmt.Sprintf("INSERT INTO seals (subject, day, seal, at) VALUES ('%s', %d, %d, %s)",
				shop.ID, day, seal, published))
		}
	}
	chtest.Exec(t, conn, fmt.Sprintf("INSERT INTO seals (subject, day, seal, at) VALUES ('%s', %d, 3, now64() - 7200)",
		shop.ID, day))
	s = connect(t, clickhouse.Config{DSN: dsn})
	if engine, err = query.New(query.Config{Store: s}); err != nil {
		t.Fatal(err)
	}
	if n := sealed(); n != 12 {
		t.Errorf("%d seals are valid, want 12", n)
	}
	for table, want := range map[string]uint64{"sealed_hits": 1, "seals": 2} {
		if n := chtest.Number(t, conn, "SELECT count() FROM "+table+" WHERE seal < 9"); n != want {
			t.Errorf("%d old rows of %s are left, want %d", n, table, want)
		}
	}
}
