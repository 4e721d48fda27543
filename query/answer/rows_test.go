package answer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

// mixed has a column of each format, and null in its second row.
func mixed() Table {
	null := func(c store.Column) store.Column { return known(c, true, false) }
	return NewTable(2, []Cells{
		column("path", catalog.String, texts("/", "/a")), column("visitors", catalog.Integer, ints(300, 2)),
		column("rate", catalog.Number, null(floats(12.345, 0))), column("valid", catalog.Boolean, null(ints(1, 0))),
		column("seen", catalog.DateTime, null(ints(1, 0))),
		column("list", catalog.JSON, texts(`[{"status":"ok"}]`, `[]`)),
	})
}

func TestRows(t *testing.T) {
	type status struct{ Status string }
	type counts struct {
		Visitors uint16 `json:"visitors"`
		Left     int    `json:"-"`
	}
	type page struct {
		counts
		Path  string     `json:"path,omitempty"`
		Rate  *float64   `json:"rate"`
		Valid *bool      `json:"valid"`
		Seen  *time.Time `json:"seen"`
		List  []status   `json:"list"`
		Any   any        `json:"visitors"`
	}
	rate, valid, seen := 12.35, true, time.UnixMilli(1).UTC()
	want := []page{
		{counts{300, 0}, "/", &rate, &valid, &seen, []status{{"ok"}}, int64(300)},
		{counts{2, 0}, "/a", nil, nil, nil, []status{}, int64(2)},
	}
	got, err := Rows[page](mixed())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(page{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A number without decimals, as JSON has it, is a whole number there.
	var read Table
	if err := json.Unmarshal([]byte(`[{"rate":12,"valid":true}]`), &read); err != nil {
		t.Fatal(err)
	}
	type rated struct {
		Rate  float64 `json:"rate"`
		Valid bool
	}
	if got, err := Rows[rated](read); err != nil || got[0] != (rated{12, true}) {
		t.Errorf("after JSON: %v, %v", got, err)
	}
}

func TestRowsOfAbsentRows(t *testing.T) {
	type page struct{ Path string }
	previous := mixed().Pick([]int{1, -1})
	got, err := Rows[*page](previous)
	if err != nil || len(got) != 2 || got[0].Path != "/a" || got[1] != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := Rows[page](previous); err == nil ||
		!strings.Contains(err.Error(), "row 1 is null: read the rows into *answer.page") {
		t.Errorf("an absent row in a struct: %v", err)
	}
	if got, err := Rows[page](Table{}); err != nil || len(got) != 0 {
		t.Errorf("a failed parameter: %v, %v", got, err)
	}
}

func TestRowsRefuses(t *testing.T) {
	try := func(_ any, err error) error { return err }
	for _, row := range []struct {
		why  string
		err  error
		want string
	}{
		{"a column that is not there", try(Rows[struct {
			V int `json:"visitor"`
		}](mixed())), `column "visitor" for field V: there is no such column; did you mean "visitors"? Allowed are path, visitors, rate, valid, seen, list`},
		{"a field without a tag that is not there", try(Rows[struct{ Paths string }](mixed())),
			`column "Paths" for field Paths: there is no such column; did you mean "path"?`},
		{"a text in a number", try(Rows[struct{ Path int }](mixed())),
			`column "path" for field Path: a column of format string does not fit the type int`},
		{"a number with decimals in a whole one", try(Rows[struct{ Rate *int }](mixed())),
			"a column of format number does not fit the type *int"},
		{"an instant in a text", try(Rows[struct{ Seen string }](mixed())),
			"a column of format datetime does not fit the type string"},
		{"a boolean in a number", try(Rows[struct{ Valid int }](mixed())),
			"a column of format boolean does not fit the type int"},
		{"null in a number", try(Rows[struct{ Rate float64 }](mixed())),
			`column "rate" in row 1 for field Rate: null does not fit the type float64: use a pointer`},
		{"a large number in a small one", try(Rows[struct{ Visitors int8 }](mixed())),
			`column "visitors" in row 0 for field Visitors: 300 does not fit the type int8`},
		{"JSON of another kind", try(Rows[struct{ List map[string]int }](mixed())),
			"its JSON does not fit the type map[string]int"},
	} {
		var wrong *ColumnError
		if !errors.As(row.err, &wrong) || !strings.Contains(row.err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.why, row.err, row.want)
		}
	}
	if _, err := Rows[int](mixed()); err == nil || !strings.Contains(err.Error(), "into structs, not into int") {
		t.Errorf("rows that are no structs: %v", err)
	}
}
