package clickhouse

import (
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// A write that nobody waits for keeps neither its place nor its rows, unless it is being stored.
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
	for range 3 { // each has the place of the one before
		gone := add()
		q.abandon(gone)
		if gone.batch != nil || gone.rows != nil {
			t.Error("an abandoned write has its rows still")
		}
	}
	kept := add()
	if group := q.take(); len(group) != 1 || group[0] != kept || len(q.waiting) != 0 {
		t.Fatalf("%d writes were taken and %d are left, want the one that somebody waits for", len(group), len(q.waiting))
	}
	q.abandon(kept)
	if kept.batch == nil || len(kept.rows) != 10 || q.rows != 0 {
		t.Errorf("a write that is being stored has %d rows, %d wait; want 10 and none", len(kept.rows), q.rows)
	}
}
