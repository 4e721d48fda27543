package schema

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/golden"
	"github.com/sightline-analytics/sightline/store"
)

// A field is a field without fields of a row type in package store.
type field struct {
	name  string
	index []int
}

// fieldsOf returns the fields of a row's type, the subject first.
func fieldsOf(of reflect.Type, path ...int) (all []field) {
	for i := range of.NumField() {
		f := of.Field(i)
		f.Index = append(append([]int(nil), path...), i)
		switch {
		case f.Anonymous:
			all = append(all, fieldsOf(f.Type, f.Index...)...)
		case f.Type == reflect.TypeFor[[]store.Sample]():
			for _, one := range fieldsOf(f.Type.Elem()) {
				all = append(all, field{f.Name + "." + one.name, append(append(f.Index, 0), one.index...)})
			}
		default:
			all = append(all, field{f.Name, f.Index})
		}
	}
	return all
}

// item returns the item of r, for changes.
func (t *Table) item(r Row) reflect.Value {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[store.Batch]()) {
		if strings.EqualFold(f.Name, t.ID.String()) {
			return reflect.ValueOf(r.Batch).Elem().FieldByIndex(f.Index).Index(r.Item)
		}
	}
	return reflect.Value{}
}

func at(v reflect.Value, path []int) reflect.Value {
	for _, i := range path {
		if v.Kind() == reflect.Slice {
			v = v.Index(i)
		} else {
			v = v.Field(i)
		}
	}
	return v
}

// fill sets v to a value other than its zero value.
func fill(v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.UnixMilli(7)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("xn--bcher-kva.example") // a host has letters, too
	case reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct: // sql.Null
		fill(v.Field(0))
		fill(v.Field(1))
	}
}

// values returns the values of r, by column.
func (t *Table) values(r Row) []string {
	all := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if c.Kind.IsText() {
			all[i] = c.Text(r)
		} else {
			all[i] = fmt.Sprint(c.Number(r))
		}
	}
	return all
}

// The golden file shows a reviewer which fields each column stores, and which columns stores add. A field without a
// column would be lost silently.
func TestGoldenColumns(t *testing.T) {
	t.Parallel()
	kinds := []string{"Text", "LowCardinality", "Compressed", "Instant", "Integer", "Small", "Measure", "Condition"}
	var list strings.Builder
	for _, table := range Tables() {
		empty := table.values(table.Add(&store.Batch{}, "s"))
		made := make([][]string, len(empty))
		for _, f := range fieldsOf(table.item(table.Add(&store.Batch{}, "s")).Type())[1:] {
			row := table.Add(&store.Batch{}, "s")
			fill(at(table.item(row), f.index))
			used := false
			for i, value := range table.values(row) {
				if value != empty[i] {
					made[i] = append(made[i], f.name)
					used = true
				}
			}
			if !used {
				t.Errorf("%s: no column stores field %s", table.ID, f.name)
			}
		}
		for i, c := range table.Columns {
			key := ""
			if c.Key {
				key = ", key"
			}
			fmt.Fprintf(&list, "%s.%s: %s of %s%s\n", table.ID, c.Name, kinds[c.Kind], strings.Join(made[i], ", "), key)
		}
		for _, h := range table.Hashes() {
			fmt.Fprintf(&list, "%s.%s: hash of %s, added by stores\n", table.ID, h.Name, h.Of)
		}
	}
	for _, table := range SealedTables() {
		for _, c := range table.Columns {
			fmt.Fprintf(&list, "%s.%s: %s, computed\n", table.Name, c.Name, kinds[c.Kind])
		}
	}
	golden.Check(t, "testdata/columns.golden", []byte(list.String()))
}

// Setting a column changes its value, and no other column.
func TestColumnsAreSet(t *testing.T) {
	t.Parallel()
	for _, table := range Tables() {
		for i, c := range table.Columns {
			row := table.Add(&store.Batch{}, "s")
			before := table.values(row)
			want := "x"
			if c.Kind.IsText() {
				c.SetText(row, want)
			} else {
				c.SetNumber(row, store.Known(1))
				want = fmt.Sprint(store.Known(1))
			}
			for n, value := range table.values(row) {
				derived := table.Columns[n].Derived()
				switch {
				case n == i && !derived && value != want:
					t.Errorf("%s.%s is %s, want %s", table.ID, c.Name, value, want)
				case n != i && !derived && value != before[n]:
					t.Errorf("%s.%s changes %s", table.ID, c.Name, table.Columns[n].Name)
				}
			}
		}
	}
}

// A text that is not UTF-8 or contains NUL is rejected, whatever field of whatever row it is in.
func TestEveryTextOfARowIsChecked(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, table := range Tables() {
		of := table.item(table.Add(&store.Batch{}, "s")).Type()
		for _, f := range fieldsOf(of) {
			b := store.Batch{}
			row := table.Add(&b, "s")
			item := table.item(row)
			item.FieldByName("ID").SetString("x")
			item.FieldByName("Time").Set(reflect.ValueOf(time.Unix(1, 0)))
			if err := Items(&b, func(Item) {}); err != nil {
				t.Fatalf("%s without the text: %v", table.ID, err)
			}
			text := at(item, f.index)
			if text.Kind() != reflect.String {
				continue
			}
			tried++
			for _, bad := range []string{"\xff", "a\x00b"} {
				text.SetString(bad)
				if err := Items(&b, func(Item) {}); err == nil {
					t.Errorf("%s.%s: the text %q was accepted", table.ID, f.name, bad)
				}
			}
		}
	}
	if tried < 90 {
		t.Errorf("%d text fields were tried, want at least 90", tried)
	}
}

// An escape in properties is checked like the character that it stands for.
func TestEscapesOfPropertiesAreChecked(t *testing.T) {
	t.Parallel()
	for properties, want := range map[string]error{
		`{"a":"\u0000"}`: errNUL, `{"a":"x\\\u0000"}`: errNUL, `{"\u0000":1}`: errNUL,
		`{"a":"\ud83d\ude00\u0000"}`: errNUL,
		`{"a":"\\u0000"}`:            nil, `{"a":"\u0001\u00e9"}`: nil, `{"a":"\ud83d\uDE00"}`: nil, `{"a":"\`: nil,
		`{"a":"\u00`: nil, "": nil,
		`{"a":"\ud83d"}`: errNotUTF8, `{"a":"\ud83dx"}`: errNotUTF8, `{"a":"\ude00\ud83d"}`: errNotUTF8,
		`{"a":"\ud83d\u0041"}`: errNotUTF8,
		`{"a":"\ud83d\u`:       errNotUTF8,
	} {
		b := store.Batch{Events: []store.Event{{Website: "w", ID: "x", Time: time.Unix(1, 0), Properties: properties}}}
		if err := Items(&b, func(Item) {}); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%s: %v, want %v", properties, err, want)
		}
	}
}

// The error names every item that cannot be stored.
func TestItemsReportsInvalidItems(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	b := store.Batch{
		Events: []store.Event{{Website: "w", ID: "good", Time: noon}, {ID: "x", Time: noon},
			{Website: "w", ID: "x", Time: noon, Kind: store.Click + 1}},
		Vitals: []store.Vital{{Website: "w", ID: "x", Time: noon,
			Samples: []store.Sample{{Metric: "LCP"}, {Metric: "\xff"}}}},
		Visits: []store.Visit{{Link: "l", Time: noon}},
		Checks: []store.Check{{Schedule: "s", ID: "x"}, {Schedule: "s", ID: "x", Time: noon.AddDate(8000, 0, 0)},
			{Schedule: "s", ID: "x", Time: noon, Status: 4}},
	}
	const want = `store: invalid row: events[1]: no website
store: invalid row: events[2]: kind must be at most 4, not 5
store: invalid row: vitals[0]: metric_name: not valid UTF-8
store: invalid row: visits[0]: no id
store: invalid row: checks[0]: no time
store: invalid row: checks[1]: the year must be between 1 and 9999, not 10026
store: invalid row: checks[2]: status must be at most 3, not 4`
	if err := Items(&b, func(Item) {}); err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}
