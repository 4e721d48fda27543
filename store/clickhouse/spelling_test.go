package clickhouse_test

import (
	"crypto/md5"
	"encoding/binary"
	"math"
	"strconv"
	"testing"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// The engine's SQL is only as right as the spellings: each gives here what the
// comment beside its operation says.
func TestSpellings(t *testing.T) {
	t.Parallel()
	s := open(t, clickhouse.Options{DSN: chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))})
	call := s.Dialect().Call
	const (
		few  = " FROM VALUES('n Int64, x String, o Int64', (1, 'b', 3), (2, '', 1), (3, 'b', 2), (4, 'a', 1)) AS t"
		none = few + " WHERE n > 9"
	)
	members := func(object string) (expr, from string) {
		return "arrayStringConcat(arraySort(groupArray(concat(q.key, '=', q.value))), ';')",
			" FROM (SELECT '" + object + "' AS p) AS t " + call(dialect.Properties, "t.p") + " AS q"
	}
	long, fromLong := members(`{"a":1.50,"b":[-0,1e5,123456789012345678901234567890],"a":"1.50"}`)
	signs, fromSigns := members(`{"a":{"x":"\\u2028\\\\u2028\\/"},"b":"\\u2028\\/","c":"it\'s \\"x\\""}`)
	sum := md5.Sum([]byte("sightline"))
	half := func(shift int) string {
		return strconv.FormatUint(binary.LittleEndian.Uint64(sum[8:])>>shift&math.MaxUint32, 10)
	}
	for _, c := range []struct {
		name string
		expr string
		from string
		want string // as text; the word null for null
	}{
		{"Count", call(dialect.Count), few, "4"},
		{"CountIf", call(dialect.CountIf, "n > 2"), few, "2"},
		{"Uniq leaves the empty text out", call(dialect.Uniq, "x"), few, "2"},
		{"Sum", call(dialect.Sum, "n"), few, "10"},
		{"Sum of nothing", call(dialect.Sum, "n"), none, "0"},
		{"Sum of nulls", call(dialect.Sum, "nullIf(n, n)"), few, "0"},
		{"SumIf", call(dialect.SumIf, "n", "x = 'b'"), few, "4"},
		{"SumIf of nothing", call(dialect.SumIf, "n", "n > 9"), few, "0"},
		{"SumOver", "max(v) FROM (SELECT " + call(dialect.SumOver, "n") + " AS v", few + ")", "10"},
		{"Min", call(dialect.Min, "n"), few, "1"},
		{"Max", call(dialect.Max, "n"), few, "4"},
		{"Max of nothing", call(dialect.Max, "n"), none, "null"},
		{"MinIf", call(dialect.MinIf, "n", "n > 1"), few, "2"},
		{"GroupMin", call(dialect.GroupMin, "o"), few, "1"},
		{"GroupMax", call(dialect.GroupMax, "o"), few, "3"},
		{"MaxIf of nothing", call(dialect.MaxIf, "n", "n > 9"), few, "null"},
		{"FirstIf", call(dialect.FirstIf, "x", "n", "n > 3"), few, "a"},
		{"FirstIf takes an empty text too", call(dialect.FirstIf, "x", "n", "n > 1"), few, ""},
		{"FirstIf of nothing", call(dialect.FirstIf, "x", "n", "n > 9"), few, ""},
		{"LastIf", call(dialect.LastIf, "x", "n", "n < 4"), few, "b"},
		{"LatestIf of nothing", call(dialect.LatestIf, "x", "n, o", "n > 9"), few, ""},
		{"Latest breaks ties by its third operand", call(dialect.Latest, "n", "x, o"), few, "1"},
		{"Latest of nothing", call(dialect.Latest, "n", "x, o"), none, "null"},
		{"Quantile lies between neighbours", call(dialect.Quantile, "n", "750"), few, "3250"},
		{"Quantile of nothing", call(dialect.Quantile, "n", "500"), none, "null"},
		{"Quantile leaves nulls out", call(dialect.Quantile, "nullIf(n, 4)", "500"), few, "2000"},
		{"Ratio", call(dialect.Ratio, "1", "4"), "", "0.25"},
		{"Ratio by nothing", call(dialect.Ratio, "1", "0"), "", "null"},
		{"Coalesce", call(dialect.Coalesce, "NULL", "2", "3"), "", "2"},
		{"NullIf", call(dialect.NullIf, "2", "2"), "", "null"},
		{"If", call(dialect.If, "1 > 2", "1", "2"), "", "2"},
		{"If of null is its other case", call(dialect.If, "nullIf(1, 1) > 2", "1", "2"), "", "2"},
		{"Greatest", call(dialect.Greatest, "1", "3", "2"), "", "3"},
		{"Least", call(dialect.Least, "2", "1", "3"), "", "1"},
		{"FloorDiv", call(dialect.FloorDiv, "7", "2"), "", "3"},
		{"FloorDiv goes down below zero", call(dialect.FloorDiv, "-7", "2"), "", "-4"},
		{"FloorDiv of a multiple below zero", call(dialect.FloorDiv, "-8", "2"), "", "-4"},
		{"FloorDiv just before a day of our time", call(dialect.FloorDiv, "toInt64(1772323199999)", "86400000"), "", "20512"},
		{"FloorDiv at the start of that day", call(dialect.FloorDiv, "toInt64(1772323200000)", "86400000"), "", "20513"},
		{"Contains takes its text as it is", call(dialect.Contains, "'/100x'", "'100%'"), "", "0"},
		{"Contains", call(dialect.Contains, "'a_ü%b'", "'ü%'"), "", "1"},
		{"Contains nothing", call(dialect.Contains, "''", "''"), "", "1"},
		{"StartsWith takes its text as it is", call(dialect.StartsWith, "'axb'", "'a_'"), "", "0"},
		{"StartsWith", call(dialect.StartsWith, "'a_b'", "'a_'"), "", "1"},
		{"OneOf", call(dialect.OneOf, "'b'", "['a', 'b']"), "", "1"},
		{"OneOf of an empty list", call(dialect.OneOf, "'b'", "CAST([], 'Array(String)')"), "", "0"},
		{"Lower", call(dialect.Lower, "'ÄΣ İ'"), "", "äσ i"},
		{"Concat", call(dialect.Concat, "'a'", "''", "'b'"), "", "ab"},
		{"Lookup", call(dialect.Lookup, "'y'", "['x', 'y']", "['1', '2']", "'?'"), "", "2"},
		{"Lookup of a stranger", call(dialect.Lookup, "'z'", "['x', 'y']", "['1', '2']", "'?'"), "", "?"},
		{"Position", call(dialect.Position, "'y'", "['x', 'y']"), "", "2"},
		{"Position of a stranger", call(dialect.Position, "'z'", "['x', 'y']"), "", "null"},
		{"Host", call(dialect.Host, "'HTTPS://u:p@www.BÜCHER.example.:8080/x'"), "", "bücher.example"},
		{"Host of none", call(dialect.Host, "'mailto:a@example.org'"), "", ""},
		{"JSONText", call(dialect.JSONText, `'/"\\\t`+"\u2028"+`\\u2028'`), "", `"/\"\\\t` + "\u2028" + `\\u2028"`},
		{"ISO", call(dialect.ISO, "toInt64(1772323199007)"), "", "2026-02-28T23:59:59.007Z"},
		{"ISO before 1970", call(dialect.ISO, "toInt64(-1)"), "", "1969-12-31T23:59:59.999Z"},
		{"Join", call(dialect.Join, "x", "n"), few, "b,,b,a"},
		{"RowNumber", listOf(call(dialect.RowNumber, "x", "n")), few + ")", "[1,1,2,1]"},
		{"Sequence goes by the instant first", call(dialect.Sequence, "2", "0", "'a'", "0") + " < " + call(dialect.Sequence, "10", "0", "'a'", "0"), "", "1"},
		{"Sequence before 1970", call(dialect.Sequence, "-2", "0", "'a'", "0") + " < " + call(dialect.Sequence, "-1", "0", "'a'", "0"), "", "1"},
		{"Sequence then goes by rank", call(dialect.Sequence, "2", "1", "'a'", "0") + " < " + call(dialect.Sequence, "2", "0", "'b'", "0"), "", "0"},
		{"Sequence then goes by text", call(dialect.Sequence, "2", "1", "'ab'", "0") + " < " + call(dialect.Sequence, "2", "1", "'a'", "4"), "", "0"},
		{"Sequence then goes by number", call(dialect.Sequence, "2", "1", "'a'", "3") + " < " + call(dialect.Sequence, "2", "1", "'a'", "4"), "", "1"},
		{"Previous", listOf(call(dialect.Previous, "n", "x", "n")), few + ")", "[NULL,NULL,1,NULL]"},
		{"Next", listOf(call(dialect.Next, "n", "x", "n")), few + ")", "[3,NULL,NULL,NULL]"},
		{"RunningMax", listOf(call(dialect.RunningMax, "o", "1", "n")), few + ")", "[3,3,3,3]"},
		{"RunningMax takes equals along", listOf(call(dialect.RunningMax, "n", "1", "n % 2")), few + ")", "[4,4,4,4]"},
		{"Zip3", "arraySort(groupArray(bucket + since * until))", " FROM " + call(dialect.Zip3, "[1, 2]", "[3, 4]", "[5, 6]"), "[16,26]"},
		{"Unnest", "arraySort(groupArray(value))", " FROM " + call(dialect.Unnest, "['b', 'a']"), "['a','b']"},
		{"Digits", call(dialect.Digits, "toNullable(-5)"), "", "-5"},
		{"Digits of null", call(dialect.Digits, "CAST(NULL, 'Nullable(Int64)')"), "", ""},
		{"DigestHigh", call(dialect.DigestHigh, "'sightline'"), "", half(32)},
		{"DigestLow", call(dialect.DigestLow, "'sightline'"), "", half(0)},
		{"Properties keeps numbers as they stand", long, fromLong, "a=1.50;a=1.50;b=[-0,1e5,123456789012345678901234567890]"},
		{"Properties escapes no more than it must", signs, fromSigns, "a={\"x\":\"\u2028\\\\u2028/\"};b=\u2028/;c=it's \"x\""},
		{"Properties of no object", "count()", " FROM (SELECT 'no object' AS p) AS t " + call(dialect.Properties, "t.p") + " AS q", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := s.Query(t.Context(), store.Statement{
				Label: "spelling", SQL: "SELECT ifNull(toString((SELECT " + c.expr + c.from + ")), 'null')", Kinds: []dialect.Kind{dialect.Text},
			})
			if err != nil {
				t.Fatal(err)
			}
			if text := rows.Columns[0].Texts[0]; text != c.want {
				t.Errorf("%s = %q, want %q", c.expr, text, c.want)
			}
		})
	}
}

// listOf makes one value of a window function's values, in the order of n.
func listOf(window string) string {
	return "arrayMap(pair -> pair.2, arraySort(groupArray((n, v)))) FROM (SELECT n, " + window + " AS v"
}
