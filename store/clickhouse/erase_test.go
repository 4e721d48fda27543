package clickhouse_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func TestErase(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		dsn = chtest.Database(t, dsn)
		s := open(t, clickhouse.Config{DSN: dsn})
		at0 := time.Date(2026, 2, 28, 23, 0, 0, 0, time.UTC)
		batch := &store.Batch{}
		for _, site := range []string{"same", "other", "o'brien\\"} {
			for i := range 3 { // over a month's end
				batch.Events = append(batch.Events, store.Event{Website: site, ID: fmt.Sprint(i), Time: at0.Add(time.Duration(i) * time.Hour)})
			}
			batch.Errors = append(batch.Errors, store.Error{Website: site, ID: "r", Time: at0})
			batch.Vitals = append(batch.Vitals, store.Vital{Website: site, ID: "v", Time: at0, Samples: []store.Sample{{Metric: "LCP", Value: 1}}})
			batch.Spans = append(batch.Spans, store.Span{Website: site, ID: "s", Time: at0})
			batch.Visits = append(batch.Visits, store.Visit{Link: site, ID: "l", Time: at0})
			batch.Checks = append(batch.Checks, store.Check{Schedule: site, ID: "c", Time: at0})
			batch.Blocked = append(batch.Blocked, store.Blocked{Website: site, ID: "b", Time: at0})
		}
		write(t, s, batch)
		conn := chtest.Connect(t, dsn)
		frugal := connect(t, clickhouse.Config{DSN: dsn, MaxRowsToRead: 1}) // which is for queries
		all := func() (n uint64) {
			for _, table := range []string{"events", "errors", "vitals", "spans", "visits", "checks", "blocked"} {
				// Rows that are only hidden count, too.
				n += chtest.Number(t, conn, "SELECT count() FROM "+table+" SETTINGS apply_deleted_mask = 0")
			}
			return n
		}
		chtest.Exec(t, conn, "DELETE FROM events WHERE subject = 'same' AND event_id = '2'") // hidden
		left := all()
		if left != 27 {
			t.Fatalf("%d rows to begin with, want 27", left)
		}
		for _, c := range []struct {
			subject    store.Subject
			told, gone uint64
		}{
			{store.Subject{Kind: store.KindWebsite, ID: "same"}, 6, 7},
			{store.Subject{Kind: store.KindWebsite, ID: "same"}, 0, 0},
			{store.Subject{Kind: store.KindLink, ID: "same"}, 1, 1},
			{store.Subject{Kind: store.KindSchedule, ID: "same"}, 1, 1},
			{store.Subject{Kind: store.KindWebsite, ID: "o'brien\\"}, 7, 7},
			{store.Subject{Kind: store.KindWebsite, ID: "nobody"}, 0, 0},
		} {
			n, err := frugal.Erase(t.Context(), c.subject)
			if err != nil || uint64(n) != c.told {
				t.Errorf("%v: %d, %v; want %d", c.subject, n, err, c.told)
			}
			left -= c.gone
			if got := all(); got != left {
				t.Errorf("%v: %d rows are left, want %d", c.subject, got, left)
			}
		}
		rows, err := s.Query(t.Context(), store.Statement{Label: "left", SQL: "SELECT DISTINCT e.subject FROM events AS e", Kinds: []dialect.Kind{dialect.Text}})
		if err != nil || rows.Len != 1 || rows.Columns[0].Texts[0] != "other" {
			t.Errorf("left are %v, %v; want the other site's", rows, err)
		}
		if w := write(t, s, &store.Batch{Events: batch.Events[:1]}); w.Stored != 1 {
			t.Errorf("an id that was erased is not taken again: %+v", w)
		}
		if _, err := s.Erase(t.Context(), store.Subject{Kind: "page", ID: "same"}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("a kind that is none: %v", err)
		}
	})
}
