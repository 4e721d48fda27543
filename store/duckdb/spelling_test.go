//go:build cgo

package duckdb_test

import (
	"testing"

	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// The engine's SQL is only as right as the spellings: each gives here what the
// comment beside its operation says.
func TestSpellings(t *testing.T) {
	t.Parallel()
	s := open(t, duckdb.Config{})
	call := s.Dialect().Call
	const (
		few  = " FROM (VALUES (1, 'b', 3), (2, '', 1), (3, 'b', 2), (4, 'a', 1)) AS t(n, x, o)"
		none = few + " WHERE n > 9"
	)
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
		{"SumIf", call(dialect.SumIf, "n", "x = 'b'"), few, "4"},
		{"SumIf of nothing", call(dialect.SumIf, "n", "false"), few, "0"},
		{"SumOver", "max(v) FROM (SELECT " + call(dialect.SumOver, "n") + " AS v", few + ")", "10"},
		{"Min", call(dialect.Min, "n"), few, "1"},
		{"Max", call(dialect.Max, "n"), few, "4"},
		{"Max of nothing", call(dialect.Max, "n"), none, "null"},
		{"MinIf", call(dialect.MinIf, "n", "n > 1"), few, "2"},
		{"GroupMin", call(dialect.GroupMin, "o"), few, "1"},
		{"GroupMax", call(dialect.GroupMax, "o"), few, "3"},
		{"MaxIf of nothing", call(dialect.MaxIf, "n", "false"), few, "null"},
		{"FirstIf", call(dialect.FirstIf, "x", "n", "n > 3"), few, "a"},
		{"FirstIf takes an empty text too", call(dialect.FirstIf, "x", "n", "n > 1"), few, ""},
		{"FirstIf of nothing", call(dialect.FirstIf, "x", "n", "false"), few, ""},
		{"LastIf", call(dialect.LastIf, "x", "n", "n < 4"), few, "b"},
		{"Latest breaks ties by its third operand", call(dialect.Latest, "n", "x", "o"), few, "1"},
		{"Quantile lies between neighbours", call(dialect.Quantile, "n", "750"), few, "3250"},
		{"Quantile of nothing", call(dialect.Quantile, "n", "500"), none, "null"},
		{"Quantile leaves nulls out", call(dialect.Quantile, "nullif(n, 4)", "500"), few, "2000"},
		{"Ratio", call(dialect.Ratio, "1", "4"), "", "0.25"},
		{"Ratio by nothing", call(dialect.Ratio, "1", "0"), "", "null"},
		{"Coalesce", call(dialect.Coalesce, "NULL", "2", "3"), "", "2"},
		{"NullIf", call(dialect.NullIf, "2", "2"), "", "null"},
		{"If", call(dialect.If, "1 > 2", "1", "2"), "", "2"},
		{"Greatest", call(dialect.Greatest, "1", "3", "2"), "", "3"},
		{"Least", call(dialect.Least, "2", "1", "3"), "", "1"},
		{"FloorDiv", call(dialect.FloorDiv, "7", "2"), "", "3"},
		{"FloorDiv goes down below zero", call(dialect.FloorDiv, "-7", "2"), "", "-4"},
		{"FloorDiv of a multiple below zero", call(dialect.FloorDiv, "-8", "2"), "", "-4"},
		{"FloorDiv just before a day of our time", call(dialect.FloorDiv, "1772323199999::BIGINT", "86400000"), "", "20512"},
		{"FloorDiv at the start of that day", call(dialect.FloorDiv, "1772323200000::BIGINT", "86400000"), "", "20513"},
		{"Contains takes its text as it is", call(dialect.Contains, "'/100x'", "'100%'"), "", "false"},
		{"Contains", call(dialect.Contains, "'a_ü%b'", "'ü%'"), "", "true"},
		{"StartsWith takes its text as it is", call(dialect.StartsWith, "'axb'", "'a_'"), "", "false"},
		{"StartsWith", call(dialect.StartsWith, "'a_b'", "'a_'"), "", "true"},
		{"OneOf", call(dialect.OneOf, "'b'", "['a', 'b']"), "", "true"},
		{"OneOf of an empty list", call(dialect.OneOf, "'b'", "[]::VARCHAR[]"), "", "false"},
		{"Lower", call(dialect.Lower, "'ÄB'"), "", "äb"},
		{"Concat", call(dialect.Concat, "'a'", "''", "'b'"), "", "ab"},
		{"Lookup", call(dialect.Lookup, "'y'", "['x', 'y']", "['1', '2']", "'?'"), "", "2"},
		{"Lookup of a stranger", call(dialect.Lookup, "'z'", "['x', 'y']", "['1', '2']", "'?'"), "", "?"},
		{"RowNumber", listOf(call(dialect.RowNumber, "x", "n")), few + ")", "[1, 1, 2, 1]"},
		{"Sequence goes by the instant first", call(dialect.Sequence, "2", "0", "'a'", "0") + " < " + call(dialect.Sequence, "10", "0", "'a'", "0"), "", "true"},
		{"Sequence then goes by rank", call(dialect.Sequence, "2", "1", "'a'", "0") + " < " + call(dialect.Sequence, "2", "0", "'b'", "0"), "", "false"},
		{"Sequence then goes by text", call(dialect.Sequence, "2", "1", "'ab'", "0") + " < " + call(dialect.Sequence, "2", "1", "'a'", "4"), "", "false"},
		{"Previous", listOf(call(dialect.Previous, "n", "x", "n")), few + ")", "[NULL, NULL, 1, NULL]"},
		{"Next", listOf(call(dialect.Next, "n", "x", "n")), few + ")", "[3, NULL, NULL, NULL]"},
		{"RunningMax", listOf(call(dialect.RunningMax, "o", "1", "n")), few + ")", "[3, 3, 3, 3]"},
		{"RunningMax takes equals along", listOf(call(dialect.RunningMax, "n", "1", "n % 2")), few + ")", "[4, 4, 4, 4]"},
		{"Zip3", "list(bucket + since * until ORDER BY bucket)", " FROM " + call(dialect.Zip3, "[1, 2]", "[3, 4]", "[5, 6]"), "[16, 26]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, s, "SELECT coalesce((SELECT "+c.expr+c.from+")::VARCHAR, 'null')", []dialect.Kind{dialect.Text})
			if text := got.Columns[0].Texts[0]; text != c.want {
				t.Errorf("%s = %s, want %s", c.expr, text, c.want)
			}
		})
	}
}

// listOf makes one value of a window function's values, in the order of n.
func listOf(window string) string { return "list(v ORDER BY n) FROM (SELECT n, " + window + " AS v" }
