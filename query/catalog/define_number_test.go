package catalog

import (
	"math"
	"testing"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A sum is exact up to its bound. Beyond the bound neither it nor the mean is a number within it, however many rows add
// up.
func TestDecimalSum(t *testing.T) {
	const most = 9_999_999_990_000 // the largest decimal, in ten-thousandths
	for _, row := range []struct {
		why           string
		number, times int64 // rows of that number
		more          int64 // and one of this
		want          float64
	}{
		{"nothing", 0, 0, 0, 0},
		{"one", 99_000, 1, 0, 9.9},
		{"a negative number", -99_001, 1, 0, -9.9001},
		{"positive and negative numbers", most, 1000, -9_999, 999_999_998_999.0001},
		{"the bound", most, 900_000, 9_000_000_000, MostSum},
		{"less than the bound", -most, 900_000, -9_000_000_000, -MostSum},
		{"just beyond the bound", most, 900_001, 0, math.Inf(1)},
		{"just beyond the bound below", -most, 900_001, 0, math.Inf(1)},
		{"beyond 64 bits", most, 1_000_000_000, 0, math.Inf(1)},
		{"beyond 64 bits, where a sum wraps to a small number", most, 1_844_675, 0, math.Inf(1)},
		{"beyond 64 bits below", -most, 1_000_000_000, 0, math.Inf(1)},
	} {
		number := expr.Col("t", "n")
		of := func(n int64) func(expr.Expr) expr.Value {
			return func(e expr.Expr) expr.Value {
				if _, args, ok := e.Calls(); ok { // FloorDiv
					divisor, _ := args[1].Constant()
					return expr.IntValue(int64(math.Floor(float64(n) / float64(divisor))))
				}
				return expr.IntValue(n)
			}
		}
		sum := func(e expr.Expr) expr.Value {
			_, args, _ := e.Calls()
			return expr.IntValue(row.times*expr.Eval(args[0], of(row.number)).Int +
				expr.Eval(args[0], of(row.more)).Int)
		}
		for name, got := range map[string]expr.Value{
			"sum":  expr.Eval(decimalSum(number, expr.Int(tenThousandths)), sum),
			"mean": expr.Eval(decimalSum(number, expr.Mul(expr.Int(row.times+1), expr.Int(tenThousandths))), sum),
		} {
			want := row.want
			if name == "mean" && !math.IsInf(want, 0) {
				want /= float64(row.times + 1)
			}
			switch beyond := math.Abs(got.Number()) > MostSum; {
			case math.IsInf(row.want, 0) != beyond || !beyond && math.Abs(got.Number()-want) > math.Abs(want)*1e-15:
				t.Errorf("%s: the %s is %v, want %v", row.why, name, got.Number(), want)
			}
		}
		if !expr.CanEval(decimalSum(number, expr.Int(1)), func(op dialect.Op) bool { return op == dialect.Sum }) {
			t.Fatal("sums do not merge")
		}
	}
}
