package clickhouse_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/store/transfer"
)

func TestRestore(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		storetest.RunRestore(t, func(t *testing.T) storetest.Movable {
			return open(t, clickhouse.Options{DSN: chtest.Database(t, dsn)})
		})
	})
}

// Attempts under one mark count once, from whichever process and however they overlap;
// another mark is another set of rows.
func TestRestoreOnceUnderOneMark(t *testing.T) {
	t.Parallel()
	o := clickhouse.Options{DSN: chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))}
	var b store.Batch
	for i := range 5000 {
		b.Checks = append(b.Checks, store.Check{Schedule: "m", ID: fmt.Sprint(i), Time: time.UnixMilli(1.7e12 + int64(i))})
	}
	processes := []*clickhouse.Store{open(t, o), open(t, o), open(t, o)}
	var attempts sync.WaitGroup
	for _, s := range processes {
		attempts.Go(func() {
			if err := s.Restore(t.Context(), "once", &b); err != nil {
				t.Error(err)
			}
		})
	}
	attempts.Wait()
	rows := func() int64 {
		report, err := transfer.Verify(t.Context(), processes[0], processes[0], transfer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return report.Rows
	}
	if got := rows(); got != 5000 {
		t.Errorf("%d rows after three attempts under one mark, want 5000", got)
	}
	if err := processes[1].Restore(t.Context(), "twice", &b); err != nil {
		t.Fatal(err)
	}
	if got := rows(); got != 10000 {
		t.Errorf("%d rows after another mark, want 10000", got)
	}
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	s := open(t, clickhouse.Options{DSN: chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))})
	at := time.UnixMilli(1.7e12)
	b := store.Batch{
		Events: []store.Event{{Website: "a", ID: "1", Time: at}}, Spans: []store.Span{{Website: "a", ID: "1", Time: at}, {Website: "b", ID: "1", Time: at}},
		Visits: []store.Visit{{Link: "a", ID: "1", Time: at}}, Checks: []store.Check{{Schedule: "c", ID: "1", Time: at}},
	}
	if _, err := s.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	got := map[store.Subject]int{}
	all, err := s.Subjects(t.Context())
	for _, one := range all {
		got[one]++
	}
	want := map[store.Subject]int{
		{Kind: store.KindWebsite, ID: "a"}: 1, {Kind: store.KindWebsite, ID: "b"}: 1,
		{Kind: store.KindLink, ID: "a"}: 1, {Kind: store.KindSchedule, ID: "c"}: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}
