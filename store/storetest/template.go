package storetest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A templateCase has an expression of one operation, and its expected values in the rows of from.
type templateCase struct {
	name string
	kind dialect.Kind
	expr string
	from string
	want string // the values, separated by "|"; null is the word null
}

// A templateWriter writes expressions in a dialect, and records the operations it uses.
type templateWriter struct {
	*dialect.Dialect
	used map[dialect.Op]bool
	args []dialect.Arg

	few, none string // four rows with n, x and o, and no rows
}

// templates tests that every template of the dialect returns the result in the comment of its operation,
// because the engine's SQL relies on it.
func templates(t *testing.T, s store.Store) {
	p := &templateWriter{Dialect: s.Dialect(), used: map[dialect.Op]bool{}}
	p.few = fmt.Sprintf(" FROM (SELECT e.time AS n, e.path AS x, %s AS o FROM events AS e WHERE e.subject = %s) AS t",
		p.call(dialect.Coalesce, "e.load_time", "0"), p.arg("few", dialect.Subject, fewOwner))
	p.none = p.few + " WHERE n > 9"
	for _, c := range slices.Concat(p.aggregates(), p.choices(), p.numbers(), p.texts(), p.members(), p.lists(),
		p.windows(), p.sequences(), p.tables()) {
		t.Run(c.name, func(t *testing.T) { p.check(t, s, c) })
	}
	for f := range dialect.Op(len(p.Templates)) {
		if !p.used[f] {
			t.Errorf("no case tests %s", f)
		}
	}
}

// fewOwner is the website with fewEvents.
var fewOwner = website("few")

// fewEvents returns events with the times, paths and load times that the expressions use.
func fewEvents() (events []store.Event) {
	for i, row := range []struct {
		x string
		o int64
	}{{"b", 3}, {"", 1}, {"b", 2}, {"a", 1}} {
		n := int64(i + 1)
		events = append(events, store.Event{Website: fewOwner.ID, ID: strconv.FormatInt(n, 10), Time: time.UnixMilli(n),
			Path:     row.x,
			LoadTime: store.Known(row.o)})
	}
	return events
}

func (p *templateWriter) check(t *testing.T, s store.Store, c templateCase) {
	stmt := store.Statement{Label: "template", SQL: "SELECT " + c.expr + " AS v" + c.from,
		Kinds: []dialect.Kind{c.kind}}
	for _, a := range p.args {
		if strings.Contains(stmt.SQL, p.Arg(a.Name, a.Kind)) {
			stmt.Args = append(stmt.Args, a)
		}
	}
	rows, err := s.Query(t.Context(), stmt)
	if err != nil {
		t.Fatalf("%s\nfails: %v", stmt.SQL, err)
	}
	values := make([]string, rows.Len)
	for i := range values {
		switch column := &rows.Columns[0]; {
		case column.Null(i):
			values[i] = "null"
		case c.kind == dialect.Int:
			values[i] = strconv.FormatInt(column.Ints[i], 10)
		case c.kind == dialect.Float:
			values[i] = strconv.FormatFloat(column.Floats[i], 'g', -1, 64)
		default:
			values[i] = column.Texts[i]
		}
	}
	if got := strings.Join(values, "|"); got != c.want {
		t.Errorf("%s\n = %q, want %q", stmt.SQL, got, c.want)
	}
}

func (p *templateWriter) call(f dialect.Op, operands ...string) string {
	p.used[f] = true
	return p.Call(f, operands...)
}

// holds returns a condition as 1 or 0.
func (p *templateWriter) holds(f dialect.Op, operands ...string) string {
	return p.call(dialect.If, p.call(f, operands...), "1", "0")
}

// arg binds a value. The name must not be a prefix of another name.
func (p *templateWriter) arg(name string, k dialect.Kind, value any) string {
	p.args = append(p.args, dialect.Arg{Name: name, Kind: k, Value: value})
	return p.Arg(name, k)
}

func (p *templateWriter) text(name, value string) string { return p.arg(name, dialect.Text, value) }

func (p *templateWriter) list(name string, values ...string) string {
	return p.arg(name, dialect.Texts, append([]string{}, values...))
}

func (p *templateWriter) aggregates() []templateCase {
	const whole, text = dialect.Int, dialect.Text
	return []templateCase{
		{"Count", whole, p.call(dialect.Count), p.few, "4"},
		{"CountIf", whole, p.call(dialect.CountIf, "n > 2"), p.few, "2"},
		{"CountDistinct excludes the empty text", whole, p.call(dialect.CountDistinct, "x"), p.few, "2"},
		{"Sum", whole, p.call(dialect.Sum, "n"), p.few, "10"},
		{"Sum of nothing", whole, p.call(dialect.Sum, "n"), p.none, "0"},
		{"Sum of nulls", whole, p.call(dialect.Sum, p.call(dialect.NullIf, "n", "n")), p.few, "0"},
		{"SumIf", whole, p.call(dialect.SumIf, "n", "x = 'b'"), p.few, "4"},
		{"SumIf of nothing", whole, p.call(dialect.SumIf, "n", "n > 9"), p.few, "0"},
		{"SumOver", whole, p.call(dialect.SumOver, "n"), p.few, "10|10|10|10"},
		{"Min", whole, p.call(dialect.Min, "n"), p.few, "1"},
		{"Min of nothing", whole, p.call(dialect.Min, "n"), p.none, "null"},
		{"Max", whole, p.call(dialect.Max, "n"), p.few, "4"},
		{"Max of nothing", whole, p.call(dialect.Max, "n"), p.none, "null"},
		{"MinIf", whole, p.call(dialect.MinIf, "n", "n > 1"), p.few, "2"},
		{"MaxIf", whole, p.call(dialect.MaxIf, "n", "x = 'b'"), p.few, "3"},
		{"MaxIf of nothing", whole, p.call(dialect.MaxIf, "n", "n > 9"), p.few, "null"},
		{"CountDistinctHash excludes 0", whole, p.call(dialect.CountDistinctHash, "o - 1"), p.few, "2"},
		{"AnyValue", text, p.call(dialect.AnyValue, "'a'"), p.few, "a"},
		{"RowElement of ArgMinRowIf", text,
			p.call(dialect.RowElement, p.call(dialect.ArgMinRowIf, "x, o", "n", "n > 2"), "1", "''"), p.few, "b"},
		{"RowElement of ArgMinRowIf, a number", whole,
			p.call(dialect.RowElement, p.call(dialect.ArgMinRowIf, "x, o", "n", "n > 1"), "2", "0"), p.few, "1"},
		{"RowElement of nothing", whole,
			p.call(dialect.RowElement, p.call(dialect.ArgMinRowIf, "x, o", "n", "n > 9"), "2", "0"), p.few, "0"},
		{"MinNotNull", whole, p.call(dialect.MinNotNull, "o"), p.few, "1"},
		{"MaxNotNull", whole, p.call(dialect.MaxNotNull, "o"), p.few, "3"},
		{"ArgMinIf", text, p.call(dialect.ArgMinIf, "x", "n", "n > 3"), p.few, "a"},
		{"ArgMinIf may return an empty text", text, p.call(dialect.ArgMinIf, "x", "n", "n > 1"), p.few, ""},
		{"ArgMinIf of nothing", text, p.call(dialect.ArgMinIf, "x", "n", "n > 9"), p.few, ""},
		{"ArgMaxIf", text, p.call(dialect.ArgMaxIf, "x", "n", "n < 4"), p.few, "b"},
		{"ArgMaxListIf", text, p.call(dialect.ArgMaxListIf, "x", "n, o", "n < 4"), p.few, "b"},
		{"ArgMaxListIf of nothing", text, p.call(dialect.ArgMaxListIf, "x", "n, o", "n > 9"), p.few, ""},
		{"ArgMaxList breaks ties by the next expression", whole, p.call(dialect.ArgMaxList, "n", "x, o"), p.few, "1"},
		{"ArgMaxList excludes nulls", whole, p.call(dialect.ArgMaxList, p.call(dialect.NullIf, "n", "4"), "n, o"),
			p.few, "3"},
		{"ArgMinList breaks ties by the next expression", whole, p.call(dialect.ArgMinList, "n", "o, x"), p.few, "2"},
		{"ArgMinList of nothing", whole, p.call(dialect.ArgMinList, "n", "o, x"), p.none, "null"},
		{"ArgMaxList of nothing", whole, p.call(dialect.ArgMaxList, "n", "x, o"), p.none, "null"},
		{"Median interpolates", whole, p.call(dialect.Median, "n"), p.few, "2500"},
		{"Median of large values", whole, p.call(dialect.Median, "899999999999990 + n * 3"), p.few,
			"899999999999997500"},
		{"Median of nothing", whole, p.call(dialect.Median, "n"), p.none, "null"},
		{"Median excludes nulls", whole, p.call(dialect.Median, p.call(dialect.NullIf, "n", "4")), p.few, "2000"},
		{"Quantile interpolates", whole, p.call(dialect.Quantile, "n", "750"), p.few, "3250"},
		{"Quantile of large values", whole, p.call(dialect.Quantile, "899999999999990 + n * 3", "950"), p.few,
			"900000000000001550"},
		{"Quantile of nothing", whole, p.call(dialect.Quantile, "n", "500"), p.none, "null"},
		{"Quantile excludes nulls", whole, p.call(dialect.Quantile, p.call(dialect.NullIf, "n", "4"), "500"), p.few,
			"2000"},
		{"StringAgg", text, p.call(dialect.StringAgg, "x", "n", "9"), p.few, "b,,b,a"},
		{"StringAgg of the first rows", text, p.call(dialect.StringAgg, "x", "n", "3"), p.few, "b,,b"},
	}
}

func (p *templateWriter) choices() []templateCase {
	unknown := p.call(dialect.NullIf, "1", "1") + " > 2"
	return []templateCase{
		{"Ratio", dialect.Float, p.call(dialect.Ratio, "1", "4"), "", "0.25"},
		{"Ratio with 0", dialect.Float, p.call(dialect.Ratio, "1", "0"), "", "null"},
		{"Sqrt", dialect.Float, p.call(dialect.Sqrt, p.call(dialect.Ratio, "25", "4")), "", "2.5"},
		{"Coalesce", dialect.Int, p.call(dialect.Coalesce, "NULL", "2", "3"), "", "2"},
		{"NullIf", dialect.Int, p.call(dialect.NullIf, "2", "2"), "", "null"},
		{"NullIf of a different value", dialect.Int, p.call(dialect.NullIf, "2", "3"), "", "2"},
		{"NullInt", dialect.Int, p.call(dialect.NullInt), "", "null"},
		{"NullFloat", dialect.Float, p.call(dialect.NullFloat), "", "null"},
		{"NullText", dialect.Text, p.call(dialect.NullText), "", "null"},
		{"If", dialect.Int, p.call(dialect.If, "1 > 2", "1", "2"), "", "2"},
		{"If of null is the else case", dialect.Int, p.call(dialect.If, unknown, "1", "2"), "", "2"},
		{"Greatest", dialect.Int, p.call(dialect.Greatest, "1", "3", "2"), "", "3"},
		{"Least", dialect.Int, p.call(dialect.Least, "2", "1", "3"), "", "1"},
	}
}

func (p *templateWriter) numbers() []templateCase {
	var (
		midnight = p.arg("midnight", dialect.Int, int64(1772323200000))
		before   = p.arg("before", dialect.Int, int64(1772323199007))
		minus    = p.arg("minus", dialect.Int, int64(-1))
		inSeals  = p.holds(dialect.InSeals, "t", p.arg("unsealed", dialect.Subject, website("unsealed")), before,
			midnight)
	)
	sealed := templateCase{"InSeals of a store without rows of earlier seals", dialect.Int, inSeals, "", "1"}
	if p.ReplacesSeals() {
		sealed = templateCase{"InSeals without rows", dialect.Int, inSeals,
			" FROM " + schema.SealedHits + " AS t WHERE t.time = " + before, ""}
	}
	const oneEvent = " FROM events AS e WHERE e.time = 1"
	return []templateCase{
		{"FloorDiv", dialect.Int, p.call(dialect.FloorDiv, "7", "2"), "", "3"},
		{"FloorDiv rounds negative numbers down", dialect.Int, p.call(dialect.FloorDiv, "-7", "2"), "", "-4"},
		{"FloorDiv of a negative multiple", dialect.Int, p.call(dialect.FloorDiv, "-8", "2"), "", "-4"},
		{"FloorDiv just before the start of a day", dialect.Int, p.call(dialect.FloorDiv, before, "86400000"), "",
			"20512"},
		{"FloorDiv at the start of that day", dialect.Int, p.call(dialect.FloorDiv, midnight, "86400000"), "", "20513"},
		{"BitXor", dialect.Int, p.call(dialect.BitXor, "6", "3"), "", "5"},
		{"BitXor of a negative number", dialect.Int, p.call(dialect.BitXor, minus, "5"), "", "-6"},
		{"BitXor of two negative numbers", dialect.Int, p.call(dialect.BitXor, minus, "-6"), "", "5"},
		{"OfSubject of 0", dialect.Int, p.call(dialect.OfSubject, "0", "e.subject"), oneEvent, "0"},
		{"OfSubject of two hashes", dialect.Int, p.call(dialect.If, p.call(dialect.OfSubject, minus, "e.subject")+" = "+
			p.call(dialect.OfSubject, "6", "e.subject"), "1", "0"), oneEvent, "0"},
		{"OneOf", dialect.Int, p.holds(dialect.OneOf, "6", "3, 6"), "", "1"},
		{"OneOf of others", dialect.Int, p.holds(dialect.OneOf, "6", "3"), "", "0"},
		{"ISO8601", dialect.Text, p.call(dialect.ISO8601, before), "", "2026-02-28T23:59:59.007Z"},
		{"ISO8601 before 1970", dialect.Text, p.call(dialect.ISO8601, minus), "", "1969-12-31T23:59:59.999Z"},
		{"IntToText", dialect.Text, p.call(dialect.IntToText, p.call(dialect.NullIf, minus, "0")), "", "-1"},
		sealed,
		{"PrefixNumber", dialect.Int, p.call(dialect.PrefixNumber, "'DE'"), "", "69701"},
		{"PrefixNumber of an empty text", dialect.Int, p.call(dialect.PrefixNumber, "''"), "", "0"},
		{"IntToText of null", dialect.Text, p.call(dialect.IntToText, p.call(dialect.NullIf, minus, minus)), "", ""},
	}
}
