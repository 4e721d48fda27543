package sightline

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// A quota counts only the events of the current month.
func TestUsage(t *testing.T) {
	s, err := duckdb.Open(t.Context(), duckdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	month := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var b store.Batch
	for i, at := range []time.Time{month.Add(-time.Millisecond), month, month.AddDate(0, 0, 13), month.AddDate(0, 1, 0).Add(-time.Millisecond), month.AddDate(0, 1, 0)} {
		b.Events = append(b.Events, store.Event{Website: "w", ID: string(rune('a' + i)), Kind: store.EventKind(i), Name: "x", Time: at})
	}
	b.Blocked = []store.Blocked{{Website: "w", ID: "n", Time: month, Requests: 100}}
	if _, err := s.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	u, err := newUsage(s, func() time.Time { return month.AddDate(0, 0, 14) })
	if err != nil {
		t.Fatal(err)
	}
	for website, want := range map[string]int64{"w": 3, "nobody": 0} {
		if n, err := u.Events(t.Context(), website, month, month.AddDate(0, 1, 0)); n != want || err != nil {
			t.Errorf("%s has %d events, %v; want %d", website, n, err, want)
		}
	}
}
