package clickhouse

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// Whatever field of whatever row a text is in, one that is not UTF-8 is refused.
func TestEveryTextOfARowIsChecked(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, kind := range reflect.VisibleFields(reflect.TypeFor[store.Batch]()) {
		for _, field := range reflect.VisibleFields(kind.Type.Elem()) {
			var b store.Batch
			rows := reflect.ValueOf(&b).Elem().FieldByIndex(kind.Index)
			rows.Set(reflect.MakeSlice(kind.Type, 1, 1))
			row := rows.Index(0)
			row.FieldByName("Time").Set(reflect.ValueOf(time.Unix(1, 0)))
			for _, name := range []string{"Website", "Link", "Schedule", "ID"} {
				if id := row.FieldByName(name); id.IsValid() {
					id.SetString("x")
				}
			}
			if _, err := arrange(&b); err != nil {
				t.Fatalf("%s without the text: %v", kind.Name, err)
			}
			switch text := row.FieldByIndex(field.Index); {
			case text.Kind() == reflect.String:
				text.SetString("\xff")
			case field.Name == "Samples":
				text.Set(reflect.ValueOf([]store.Sample{{Metric: "LCP"}, {Metric: "\xff"}}))
			default:
				continue
			}
			tried++
			if _, err := arrange(&b); !errors.Is(err, store.ErrInvalid) {
				t.Errorf("%s.%s: %v, want ErrInvalid", kind.Name, field.Name, err)
			}
		}
	}
	if tried < 90 {
		t.Errorf("%d texts were tried, and there are more", tried)
	}
}

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
