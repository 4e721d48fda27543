package answer

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// column returns a column of a table.
func column(name string, format catalog.Format, values store.Column) Cells {
	return Cells{Output: &catalog.Output{Name: name, Format: format, Decimals: 2}, Column: values}
}

func TestUnmarshalTable(t *testing.T) {
	for _, row := range []struct {
		why, json string
		formats   []catalog.Format
	}{
		{"no rows", `[]`, nil},
		{"absent rows", `[null,null]`, nil},
		{"rows without columns", `[{},{}]`, nil},
		{"texts and whole numbers", `[{"path":"/","n":1},{"path":"/\u00fc\"","n":-9223372036854775808}]`,
			[]catalog.Format{catalog.String, catalog.Integer}},
		{"decimals", `[{"x":1},{"x":0.1234},{"x":null}]`, []catalog.Format{catalog.Number}},
		{"an absent row between", `[{"x":1.5},null,{"x":2}]`, []catalog.Format{catalog.Number}},
		{"booleans", `[{"b":true},{"b":null},{"b":false}]`, []catalog.Format{catalog.Boolean}},
		{"instants", `[{"t":"2026-03-01T12:00:00.007Z"},{"t":null}]`, []catalog.Format{catalog.DateTime}},
		{"texts of which some are instants", `[{"t":"2026-03-01T12:00:00.007Z"},{"t":""}]`,
			[]catalog.Format{catalog.String}},
		{"dates", `[{"date":"2026-03-01"},{"date":"2026-03-02"}]`, []catalog.Format{catalog.String}},
		{"an instant that is none", `[{"t":"2026-02-30T12:00:00.007Z"}]`, []catalog.Format{catalog.String}},
		{"JSON", `[{"p":{"b":[1.50,null],"a":"<"}},{"p":""},{"p":[]}]`, []catalog.Format{catalog.JSON}},
		{"texts and null", `[{"p":"x"},{"p":null}]`, []catalog.Format{catalog.JSON}},
		{"texts and numbers", `[{"p":"x"},{"p":1.50}]`, []catalog.Format{catalog.JSON}},
		{"nothing but null", `[{"p":null},{"p":null}]`, []catalog.Format{catalog.Integer}},
	} {
		var got Table
		if err := json.Unmarshal([]byte(row.json), &got); err != nil {
			t.Errorf("%s: %v", row.why, err)
			continue
		}
		var formats []catalog.Format
		for _, c := range got.columns {
			formats = append(formats, c.Format)
		}
		if diff := cmp.Diff(row.formats, formats); diff != "" {
			t.Errorf("%s: formats (-want +got):\n%s", row.why, diff)
		}
		if want := strings.ReplaceAll(row.json, `\u00fc`, "ü"); string(got.AppendJSON(nil)) != want {
			t.Errorf("%s: got %s, want %s", row.why, got.AppendJSON(nil), want)
		}
	}
}

func TestUnmarshalTableRefuses(t *testing.T) {
	for _, row := range []struct{ json, want string }{
		{`{}`, "must be an array of objects"},
		{`[1]`, "row 0 of a table: must be an object or null, not 1"},
		{`[{"a":1},{"b":1}]`, `row 1 of a table has the columns ["b"], not ["a"]`},
		{`[{"a":1,"a":2}]`, `has two members called "a"`},
	} {
		got := NewTable(1, nil)
		if err := json.Unmarshal([]byte(row.json), &got); err == nil || !strings.Contains(err.Error(), row.want) ||
			got.Len() != 1 {
			t.Errorf("%s: got %v, want %q and no change", row.json, err, row.want)
		}
	}
}

// Any table that the engine could make is read back with the same JSON.
func TestTablesRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 46))
	for range 3000 {
		want := randomTable(rnd)
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Table
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if again, err := json.Marshal(got); err != nil || string(again) != string(text) || got.Len() != want.Len() {
			t.Fatalf("got  %s, %v\nwant %s", again, err, text)
		}
	}
}

// randomTable returns a table with a column of each format, some of its cells null and some of its rows absent.
func randomTable(rnd *rand.Rand) Table {
	n := rnd.IntN(4)
	var valid []bool
	c := map[string]store.Column{"s": {Kind: dialect.Text}, "j": {Kind: dialect.Text}, "x": {Kind: dialect.Float},
		"i": {Kind: dialect.Int}, "b": {Kind: dialect.Int}, "t": {Kind: dialect.Int}}
	pick := func(values ...string) string { return values[rnd.IntN(len(values))] }
	add := func(name string, text string, x float64, i int64) {
		col := c[name]
		col.Texts, col.Floats, col.Ints = append(col.Texts, text), append(col.Floats, x), append(col.Ints, i)
		c[name] = col
	}
	for range n {
		valid = append(valid, rnd.IntN(3) > 0)
		add("s", pick("", "a", "2026-03-01", "2026-03-01T00:00:00.000Z", "null", "7", "\u2028\"<"), 0, 0)
		add("j", pick(`{"a":1.50}`, "[]", "", "no JSON", "null", `"x"`), 0, 0)
		add("x", "", []float64{0, 1, 2.5, 1e15, -1.0 / 3, 1e300}[rnd.IntN(6)], 0)
		add("i", "", 0, rnd.Int64()>>rnd.IntN(64))
		add("b", "", 0, rnd.Int64N(2))
		add("t", "", 0, rnd.Int64N(4e12))
	}
	table := Table{len: n}
	for name, format := range map[string]catalog.Format{"s": catalog.String, "j": catalog.JSON, "x": catalog.Number,
		"i": catalog.Integer,
		"b": catalog.Boolean, "t": catalog.DateTime} {
		values := c[name]
		values.Valid = valid
		table.columns = append(table.columns, column(name, format, values))
	}
	if rnd.IntN(2) == 0 {
		table.absent = make([]bool, n)
		for i := range n {
			table.absent[i] = rnd.IntN(3) == 0
		}
	}
	return table
}

func TestResultsRoundTrip(t *testing.T) {
	const text = `{"success":true,"queryId":"q","data":[{"parameter":"summary","id":"p","success":true,"data":[{"date":"2026-03-29"}],` +
		`"previous":[null],"changes":[null],"meta":{"from":"2026-03-28T23:00:00.000Z","to":"2026-03-29T22:00:00.000Z","until":"2026-03-29T10:00:00.000Z",` +
		`"partial":true,"partialFrom":"2026-03-29","timezone":"Europe/Berlin","granularity":"daily","limit":null,"rows":1,"hasMore":false,` +
		`"previous":{"compare":"previous_period","startDate":"2026-03-28","endDate":"2026-03-28","from":"2026-03-27T23:00:00.000Z","to":"2026-03-28T10:00:00.000Z"}}},` +
		`{"parameter":"page","success":false,"data":[],"error":"unknown query type","code":"UNKNOWN_TYPE"}],` +
		`"meta":{"parameters":["summary","page"],"total_parameters":2,"page":1,"limit":100,"filters_applied":0,"startDate":"2026-03-29","endDate":"2026-03-29","timezone":"Europe/Berlin","granularity":"daily"}}`
	var read Response
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	at, err := read.Data[0].Data.Time(0, "date")
	if err != nil || at.UTC().Format(time.RFC3339) != "2026-03-28T23:00:00Z" {
		t.Errorf("the date is %v, %v", at, err)
	}
	if !read.Data[0].Previous.Absent(0) || read.Data[1].Code != "UNKNOWN_TYPE" {
		t.Errorf("got %+v", read)
	}
	if again := string(read.Encode(nil)); again != text {
		t.Errorf("got  %s\nwant %s", again, text)
	}
}

func TestTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	beirut, err := time.LoadLocation("Asia/Beirut")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		why, label string
		zone       *time.Location
		want       string // in UTC, or a part of the error
	}{
		{"a day", "2026-03-01", berlin, "2026-02-28T23:00:00Z"},
		{"an hour", "2026-03-01 13:00:00", berlin, "2026-03-01T12:00:00Z"},
		{"the hour before clocks go forward", "2026-03-29 01:00:00", berlin, "2026-03-29T00:00:00Z"},
		{"the hour that clocks skip", "2026-03-29 02:00:00", berlin, "not a date of a series"},
		{"the hour that clocks show twice", "2026-10-25 02:00:00", berlin, "2026-10-25T00:00:00Z"},
		{"the hour after it", "2026-10-25 03:00:00", berlin, "2026-10-25T02:00:00Z"},
		{"a day without midnight", "2026-03-29", beirut, "2026-03-28T22:00:00Z"},
		{"a path", "/", berlin, "not a date of a series"},
		{"an instant in a text", "2026-03-01T13:00:00Z", berlin, "not a date of a series"},
		{"half an hour", "2026-03-01 13:30:00", berlin, "not a date of a series"},
		{"no zone", "2026-03-01", nil, "no time zone"},
	} {
		table := NewTable(1, []Cells{column("date", catalog.Date, texts(row.label))}).In(row.zone)
		got, err := table.Time(0, "date")
		text := got.UTC().Format(time.RFC3339)
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, row.want) {
			t.Errorf("%s: %s is %s, want %s", row.why, row.label, text, row.want)
		}
	}
	table := NewTable(2, []Cells{column("seen", catalog.DateTime, known(ints(1, 0), true, false)),
		column("n", catalog.Integer, ints(1, 2))}).In(berlin)
	if at, err := table.Time(0, "seen"); err != nil || at.UnixMilli() != 1 || at.Location() != berlin {
		t.Errorf("an instant: %v, %v", at, err)
	}
	for _, row := range []struct {
		row          int
		column, want string
	}{
		{1, "seen", "null"}, {2, "seen", "the table has 2 rows"}, {-1, "seen", "the table has 2 rows"},
		{0, "n", "a column of format integer has no times"}, {0, "sen", `did you mean "seen"?`},
	} {
		_, err := table.Time(row.row, row.column)
		var wrong *ColumnError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), row.want) || wrong.Column != row.column {
			t.Errorf("%s in row %d: %v, want %q", row.column, row.row, err, row.want)
		}
	}
}
