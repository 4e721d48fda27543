package answer

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func ints(values ...int64) store.Column { return store.Column{Kind: dialect.Int, Ints: values} }

func floats(values ...float64) store.Column {
	return store.Column{Kind: dialect.Float, Floats: values}
}

func texts(values ...string) store.Column { return store.Column{Kind: dialect.Text, Texts: values} }

// known marks which values of c are not null.
func known(c store.Column, valid ...bool) store.Column {
	c.Valid = valid
	return c
}

func TestRounding(t *testing.T) {
	for _, row := range []struct {
		why      string
		x        float64
		decimals int
		want     string
	}{
		{"a whole number", 5, 2, "5"},
		{"no trailing zeros", 2.5, 2, "2.5"},
		{"exactly enough decimals", 0.25, 2, "0.25"},
		{"half goes up", 0.125, 2, "0.13"},
		{"half goes away from zero", -0.125, 2, "-0.13"},
		{"half as written, though the double is below", 2.675, 2, "2.68"},
		{"half as written, though the double is below", 1.005, 2, "1.01"},
		{"half as written, though 100 times it is below", 0.285, 2, "0.29"},
		{"below half", 0.12499999, 2, "0.12"},
		{"a third", 100.0 / 3, 2, "33.33"},
		{"two thirds", 200.0 / 3, 2, "66.67"},
		{"nines carry over", 9.999, 2, "10"},
		{"nines carry over the point", 99.995, 2, "100"},
		{"negative nines", -9.999, 2, "-10"},
		{"a carry that leaves decimals", 0.1996, 3, "0.2"},
		{"four decimals", 0.12345, 4, "0.1235"},
		{"no decimals", 0.5, 0, "1"},
		{"no decimals", 9.5, 0, "10"},
		{"no decimals", 0.49, 0, "0"},
		{"tiny", 1e-9, 2, "0"},
		{"no minus zero", -1e-9, 2, "0"},
		{"minus zero itself", math.Copysign(0, -1), 2, "0"},
		{"large", 1e21, 2, "1000000000000000000000"},
		{"not a number", math.NaN(), 2, "null"},
		{"infinite", math.Inf(-1), 2, "null"},
	} {
		if got := string(appendRounded(nil, row.x, row.decimals)); got != row.want {
			t.Errorf("%s: %v with %d decimals is %s, want %s", row.why, row.x, row.decimals, got, row.want)
		}
		if got := string(appendRounded([]byte("x.9"), row.x, row.decimals)); got != "x.9"+row.want {
			t.Errorf("%s: %v after other bytes is %s", row.why, row.x, got)
		}
	}
}

// Ratios of whole numbers are rounded as exact arithmetic does it, ties included.
func TestRoundingOfRatios(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	half := big.NewRat(1, 2)
	for range 20_000 {
		a, b := rnd.Int64N(5000), 1+rnd.Int64N(5000)
		exact := new(big.Rat).Add(big.NewRat(100*100*a, b), half)
		want := new(big.Rat).SetFrac(new(big.Int).Div(exact.Num(), exact.Denom()), big.NewInt(100))
		got, ok := new(big.Rat).SetString(string(appendRounded(nil, float64(100*a)/float64(b), 2)))
		if !ok || got.Cmp(want) != 0 {
			t.Fatalf("100 * %d / %d is %v, want %v", a, b, got, want)
		}
	}
}

// Rounding without the decimal gives the same text, near ties as well.
func TestRoundingWithoutTheDecimal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	taken := 0
	for range 50_000 {
		decimals := rnd.IntN(6)
		x := rnd.NormFloat64() * math.Pow(10, float64(rnd.IntN(14)-4))
		if rnd.IntN(2) == 0 { // close to a tie, or to a result
			unit := math.Pow(10, float64(decimals))
			x = (math.Floor(x*unit) + float64(rnd.IntN(2))/2 +
				rnd.NormFloat64()*math.Pow(10, -float64(rnd.IntN(12)))) / unit
		}
		if got, ok := appendNear(nil, x, decimals); ok {
			taken++
			if want := appendShortest(nil, x, decimals); string(got) != string(want) {
				t.Fatalf("%v with %d decimals is %s, want %s", x, decimals, got, want)
			}
		}
	}
	if taken < 10_000 {
		t.Errorf("%d were rounded", taken)
	}
}

func sample() Table {
	return Table{len: 3, columns: []Cells{
		{Output: &catalog.Output{Name: "name", Format: catalog.String}, Column: texts("a", "</b>\"\\\n", "ü😀")},
		{Output: &catalog.Output{Name: "count", Format: catalog.Integer, Zero: true},
			Column: known(ints(1, 0, 3), true, false, true)},
		{Output: &catalog.Output{Name: "rate", Format: catalog.Number, Decimals: 2},
			Column: known(floats(1.005, 7, math.NaN()), true, false, true)},
		{Output: &catalog.Output{Name: "bounced", Format: catalog.Boolean}, Column: ints(1, 0, 0)},
		{Output: &catalog.Output{Name: "last_seen", Format: catalog.DateTime},
			Column: known(ints(0, 1_709_294_400_123, 5), true, true, false)},
		{Output: &catalog.Output{Name: "date", Format: catalog.Date},
			Column: texts("2024-01-01", "2024-01-02", "2024-01-03")},
		{Output: &catalog.Output{Name: "p75", Format: catalog.Number, Decimals: 2}, Column: ints(7, 8, 9)},
	}}
}

func TestTableJSON(t *testing.T) {
	want := `[{"name":"a","count":1,"rate":1.01,"bounced":true,"last_seen":"1970-01-01T00:00:00.000Z","date":"2024-01-01","p75":7},` +
		`{"name":"</b>\"\\\n","count":0,"rate":null,"bounced":false,"last_seen":"2024-03-01T12:00:00.123Z","date":"2024-01-02","p75":8},` +
		`{"name":"ü😀","count":3,"rate":null,"bounced":false,"last_seen":null,"date":"2024-01-03","p75":9}]`
	if diff := cmp.Diff(want, string(sample().AppendJSON(nil))); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	for _, empty := range []Table{{}, {columns: sample().columns}} {
		if got := string(empty.AppendJSON([]byte("x"))); got != "x[]" {
			t.Errorf("no rows are %s", got)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(sample()); err != nil || strings.TrimSpace(b.String()) != want {
		t.Errorf("through an encoder: %v, %s", err, b.String())
	}
}

// A table whose size was counted is written as before.
func TestJSONOfACountedTable(t *testing.T) {
	for _, text := range []string{"", "/docs/a b", "\x7f", "a\"b", "a\\b", "\n", "\x00", "ü", "\u2028", "\xff"} {
		table := Table{len: 2, columns: []Cells{{Output: &catalog.Output{Name: "name", Format: catalog.String},
			Column: texts("plain", text)},
			{Output: &catalog.Output{Name: "other", Format: catalog.String},
				Column: known(texts("plain", text), true, false)}}}
		want := string(table.AppendJSON(nil))
		if size := table.size(); size < int64(len(want)) {
			t.Errorf("%q: %d bytes were counted of %d", text, size, len(want))
		}
		if got := string(table.AppendJSON(nil)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// The size that counts against the budget is at least the size of the answer, and not much more.
func TestSizeOfATable(t *testing.T) {
	texts := Table{len: 4, columns: []Cells{{Output: &catalog.Output{Name: "name", Format: catalog.String},
		Column: texts("\x00\x1f", strings.Repeat("é", 50), "\xff\xfe", strings.Repeat("a", 500))}}}
	for _, table := range []Table{{}, sample(), texts} {
		if sent, size := int64(len(table.AppendJSON(nil))), table.size(); size < sent || size > 2*sent+100 {
			t.Errorf("%d bytes are counted, %d are sent", size, sent)
		}
	}
}

func TestTableValues(t *testing.T) {
	table := sample()
	for _, row := range []struct {
		row  int
		name string
		want any
	}{
		{0, "name", "a"}, {0, "count", int64(1)}, {1, "count", int64(0)}, {0, "rate", 1.01}, {1, "rate", nil},
		{2, "rate", nil}, {0, "bounced", true}, {1, "bounced", false}, {2, "last_seen", nil},
		{1, "last_seen", time.UnixMilli(1_709_294_400_123).UTC()}, {2, "date", "2024-01-03"}, {0, "p75", 7.0},
		{0, "no such column", nil}, {3, "name", nil}, {-1, "name", nil},
	} {
		if diff := cmp.Diff(row.want, table.Value(row.row, row.name)); diff != "" {
			t.Errorf("row %d, %s (-want +got):\n%s", row.row, row.name, diff)
		}
	}
	if !cmp.Equal(table, sample()) || cmp.Equal(table, Table{}) {
		t.Error("tables are equal when they show the same")
	}
	other := sample()
	other.columns[0].Name = "label"
	if cmp.Equal(table, other) {
		t.Error("tables with other columns are not equal")
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "ü😀\u2028", "\xff\xc3", "a\xffb"} {
		f.Add(seed)
	}
	for b := range 256 { // each byte, where eight are looked at together
		for _, at := range []int{0, 7, 11} {
			text := []byte("0123456789abcdefgh")
			text[at] = byte(b)
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		written := appendText(nil, s)
		if err := json.Unmarshal(written, &back); err != nil || !utf8.Valid(written) ||
			textSize(s) < int64(len(written)) {
			t.Fatalf("%q, of %d bytes at most: %s, %v", s, textSize(s), written, err)
		}
		want := s
		if !utf8.ValidString(s) {
			want = string([]rune(s))
		}
		if back != want {
			t.Errorf("%q reads back as %q", s, back)
		}
	})
}

func BenchmarkTable(b *testing.B) {
	const rows = 10_000
	t := Table{len: rows}
	names, counts, rates := make([]string, rows), make([]int64, rows), make([]float64, rows)
	for i := range rows {
		names[i], counts[i], rates[i] = "/docs/page-"+strconv.Itoa(i), int64(i*37), float64(i)*100/7919
	}
	for i, c := range []store.Column{texts(names...), texts(names...), ints(counts...), ints(counts...),
		ints(counts...), floats(rates...), floats(rates...), ints(counts...)} {
		format := []catalog.Format{catalog.String, catalog.String, catalog.Integer, catalog.Integer, catalog.Integer,
			catalog.Number, catalog.Number, catalog.DateTime}[i]
		t.columns = append(t.columns,
			Cells{Output: &catalog.Output{Name: "column" + strconv.Itoa(i), Format: format, Decimals: 2}, Column: c})
	}
	buffer := t.AppendJSON(nil)
	b.SetBytes(int64(len(buffer)))
	b.ReportAllocs()
	for b.Loop() {
		buffer = t.AppendJSON(buffer[:0])
	}
}

// A result is written as encoding/json writes it, whatever of it is there.
func TestAResultIsWrittenAsByEncodingJSON(t *testing.T) {
	at := Instant{time.Date(2026, 3, 1, 12, 30, 0, 5_000_000, time.FixedZone("x", 3600))}
	table := Table{len: 1, columns: []Cells{{Output: &catalog.Output{Name: "path", Format: catalog.String},
		Column: texts("/<a>")}}}
	full := Result{Parameter: "pages", ID: "a\"<b>", Success: true, Data: table, Previous: &table, Changes: &table,
		Error: "x\n", Code: ask.Invalid,
		Meta: &ResultMeta{From: at, To: at, Until: &at, Partial: true, PartialFrom: "2026-03-01", PartialFirst: true,
			Timezone: "Europe/Berlin", Granularity: "daily", Limit: new(5),
			Rows: 3, HasMore: true, Unequal: []string{"2026-03-01", "<"},
			Previous: &Period{ask.PreviousYear, "2026-01-01", "2026-01-02", at, at}}}
	results := []*Result{{}, &full}
	for f := range reflect.ValueOf(&full).Elem().NumField() { // each field alone left out
		some := full
		reflect.ValueOf(&some).Elem().Field(f).SetZero()
		results = append(results, &some)
	}
	for f := range reflect.TypeFor[ResultMeta]().NumField() {
		some, meta := full, *full.Meta
		reflect.ValueOf(&meta).Elem().Field(f).SetZero()
		some.Meta = &meta
		results = append(results, &some)
	}
	for _, r := range results {
		if diff := cmp.Diff(byEncodingJSON(t, r), string(r.AppendJSON(nil))); diff != "" {
			t.Errorf("-encoding/json +AppendJSON\n%s", diff)
		}
	}
	responses := []Response{{Data: []Result{}}, {Success: true, QueryID: "<q>", Data: []Result{full, full},
		Meta: Meta{[]string{"pages", "a\"<b>"}, 2, []string{"w", "x\""}, 3, 4, 5, "2026-01-01", "2026-01-02",
			"Europe/Berlin", "daily"}}}
	for _, resp := range append(responses, Response{Data: []Result{full}, Meta: Meta{Parameters: []string{}}}) {
		want := byEncodingJSON(t, resp)
		if diff := cmp.Diff(want, string(resp.Encode(nil))); diff != "" || resp.Data != nil {
			t.Errorf("-encoding/json +Encode\n%s", diff)
		}
	}
}

func byEncodingJSON(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
