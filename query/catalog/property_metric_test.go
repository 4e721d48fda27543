package catalog

import (
	"math"
	"testing"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// The share of a sum of decimals is one exact division of whole numbers, as long as these fit into 64 bits. Beyond that
// it stays near the true share and does not wrap.
func TestShareOfSum(t *testing.T) {
	for _, row := range []struct {
		why      string
		one, all float64 // sums in units
		exact    bool
	}{
		{"a third", 1, 3, true},
		{"a ten-thousandth", 0.0001, 2, true},
		{"negative", -2.5, 10, true},
		{"of a negative sum", 5, -20, true},
		{"nothing of something", 0, 7, true},
		{"the most that fits", 8.9e12, 8.9e12, true},
		{"part of more", 3e12, 9e14, false},
		{"more than fits", 5e14, 1e15, false},
		{"much more than fits", 9e14, 9e17, false},
		{"negative, more than fits", -9e14, 9e17, false},
	} {
		parts := func(sum float64) (multiples, rest int64) {
			units := int64(math.Round(sum * tenThousandths / high))
			return units, int64(math.Round(sum*tenThousandths - float64(units)*high))
		}
		oneHigh, oneRest := parts(row.one)
		allHigh, allRest := parts(row.all)
		got := expr.Eval(shareOfSum(Joined("high"), Joined("rest")), func(e expr.Expr) expr.Value {
			_, args, over := e.Calls() // SumOver
			if over {
				e = args[0]
			}
			_, name, _ := e.Column()
			return expr.IntValue(map[bool]map[string]int64{false: {"high": oneHigh, "rest": oneRest},
				true: {"high": allHigh, "rest": allRest}}[over][name])
		})
		want, within := 100*row.one/row.all, 1e-6
		if row.exact {
			within = 1e-13
		}
		if got.Null || math.Abs(got.Number()-want) > within*math.Max(1, math.Abs(want)) {
			t.Errorf("%s: %v, want %v", row.why, got, want)
		}
	}
	nothing := expr.Eval(shareOfSum(expr.Int(0), expr.Int(0)), func(expr.Expr) expr.Value { return expr.IntValue(0) })
	if !nothing.Null {
		t.Errorf("the share of a sum of 0 is %v, want null", nothing)
	}
	if !expr.CanEval(shareOfSum(Joined("high"), Joined("rest")),
		func(op dialect.Op) bool { return op == dialect.SumOver }) {
		t.Error("shares do not merge")
	}
}

// No text of a caller is in the names of columns and metrics in statements.
func TestNamesOfPropertyMetrics(t *testing.T) {
	const key = "a'\"); --"
	for _, function := range propertyFunctions() {
		m := propertyMetric(Pageviews, function, key)
		if m == nil {
			t.Fatalf("there is no metric %s", function)
		}
		for _, one := range append(m.parts, m) {
			for _, r := range one.Name {
				if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' {
					t.Errorf("%s has the name %s", function, one.Name)
				}
			}
		}
		if got, want := columnName(&ask.ChosenMetric{Name: function, Property: "größe 2"}), function+
			"_gr__e_2"; got != want {
			t.Errorf("the column of %s is %s, want %s", function, got, want)
		}
	}
}
