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
