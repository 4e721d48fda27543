package transfer

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A field that no column is for would be lost without a word: what is compared are columns.
func TestEveryFieldIsCarriedOver(t *testing.T) {
	var b store.Batch
	for i := range tables {
		rows := &store.Rows{Len: 1}
		for n, c := range tables[i].columns {
			value := store.Column{Kind: c.kind}
			if c.kind == dialect.Text {
				value.Texts = []string{fmt.Sprint("text ", n)}
			} else {
				value.Ints = []int64{int64(n) + 1}
			}
			rows.Columns = append(rows.Columns, value)
		}
		tables[i].put(&b, "site", rows, 0)
	}
	for _, kind := range reflect.VisibleFields(reflect.TypeFor[store.Batch]()) {
		rows := reflect.ValueOf(b).FieldByIndex(kind.Index)
		if rows.Len() != 1 {
			t.Fatalf("%s: %d rows, want 1", kind.Name, rows.Len())
		}
		wantFilled(t, kind.Name, rows.Index(0))
	}
	wantFilled(t, "Sample", reflect.ValueOf(b.Vitals[0].Samples[0]))
}

func wantFilled(t *testing.T, name string, row reflect.Value) {
	t.Helper()
	for _, field := range reflect.VisibleFields(row.Type()) {
		if row.FieldByIndex(field.Index).IsZero() {
			t.Errorf("%s.%s is not carried over", name, field.Name)
		}
	}
}
