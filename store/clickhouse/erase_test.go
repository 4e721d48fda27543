package clickhouse_test

import (
	"errors"
	"fmt"
	"path"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func TestErase(t *testing.T) {
	t.Parallel()
	dsn := chtest.Database(t, chtest.Address(t, protocols["native"]))
	s := open(t, clickhouse.Config{DSN: dsn})
	at0 := time.Date(2026, 2, 28, 23, 0, 0, 0, time.UTC)
	batch := &store.Batch{}
	for _, site := range []string{"o'brien\\", "other", "third"} {
		for i := range 3 { // over the end of a month
			batch.Events = append(batch.Events,
				store.Event{Website: site, ID: fmt.Sprint(i), Time: at0.Add(time.Duration(i) * time.Hour)})
		}
		batch.Errors = append(batch.Errors, store.Error{Website: site, ID: "r", Time: at0})
		batch.Vitals = append(batch.Vitals,
			store.Vital{Website: site, ID: "v", Time: at0, Samples: []store.Sample{{Metric: "LCP", Value: 1}}})
		batch.Spans = append(batch.Spans, store.Span{Website: site, ID: "s", Time: at0})
		batch.Visits = append(batch.Visits, store.Visit{Link: site, ID: "l", Time: at0})
		batch.Checks = append(batch.Checks, store.Check{Schedule: site, ID: "c", Time: at0})
		batch.Blocked = append(batch.Blocked, store.Blocked{Website: site, ID: "b", Time: at0})
	}
	write(t, s, batch)
	conn := chtest.Connect(t, dsn)
	over := map[string]*clickhouse.Store{} // a limit for queries only
	for name, variable := range protocols {
		address := chtest.In(t, chtest.Address(t, variable), path.Base(dsn))
		over[name] = connect(t, clickhouse.Config{DSN: address, MaxRowsToRead: 1})
	}
	all := func() (n uint64) {
		for _, table := range []string{"events", "errors", "vitals", "spans", "visits", "checks", "blocked"} {
			// Rows that are only marked as deleted count, too.
			n += chtest.Number(t, conn, "SELECT count() FROM "+table+" SETTINGS apply_deleted_mask = 0")
		}
		return n
	}
	chtest.Exec(t, conn, "DELETE FROM events WHERE subject = ? AND event_id = '2'", "o'brien\\") // marked as deleted
	left := all()
	if left != 27 {
		t.Fatalf("%d rows at the start, want 27", left)
	}
	for _, c := range []struct {
		over       string
		subject    store.Subject
		want, gone uint64
	}{
		{"native", store.Subject{Kind: store.KindWebsite, ID: "o'brien\\"}, 6, 7},
		{"http", store.Subject{Kind: store.KindWebsite, ID: "o'brien\\"}, 0, 0},
		{"native", store.Subject{Kind: store.KindLink, ID: "o'brien\\"}, 1, 1},
		{"http", store.Subject{Kind: store.KindSchedule, ID: "o'brien\\"}, 1, 1},
		{"http", store.Subject{Kind: store.KindWebsite, ID: "third"}, 7, 7},
		{"native", store.Subject{Kind: store.KindWebsite, ID: "nobody"}, 0, 0},
	} {
		n, err := over[c.over].Erase(t.Context(), c.subject)
		if err != nil || uint64(n) != c.want {
			t.Errorf("%v over %s: %d, %v; want %d", c.subject, c.over, n, err, c.want)
		}
		left -= c.gone
		if got := all(); got != left {
			t.Errorf("%v: %d rows are left, want %d", c.subject, got, left)
		}
	}
	rows, err := s.Query(t.Context(),
		store.Statement{Label: "left", SQL: "SELECT DISTINCT e.subject FROM events AS e",
			Kinds: []dialect.Kind{dialect.Text}})
	if err != nil || rows.Len != 1 || rows.Columns[0].Texts[0] != "other" {
		t.Errorf("rows of %v are left, %v; want only the other site", rows, err)
	}
	if w := write(t, s, &store.Batch{Events: batch.Events[:1]}); w.Stored != 1 {
		t.Errorf("an erased id was not stored again: %+v", w)
	}
	if _, err := s.Erase(t.Context(), store.Subject{Kind: "page", ID: "same"}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("an unknown kind: %v, want ErrInvalid", err)
	}
}
