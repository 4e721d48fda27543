package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// ofRows makes m a function of the whole numbers of rows where a condition holds. Either may be absent.
func (m *BoundMetric) ofRows(f Function, number, where expr.Expr) {
	if !number.Absent() && !where.Absent() {
		number = When(where, number)
	}
	switch {
	case f == Count && number.Absent() && where.Absent():
		m.Expr = expr.Call(dialect.Count)
	case f == Count && number.Absent():
		m.Expr = expr.Call(dialect.CountIf, where)
	case f == Count:
		m.Expr = knownCount(number)
	case f == Sum:
		m.Expr = expr.Call(dialect.Sum, number)
	case f == Min:
		m.Expr = expr.Call(dialect.Min, number)
	case f == Max:
		m.Expr = expr.Call(dialect.Max, number)
	default:
		m.Expr, m.Format, m.Decimals = average(number), Number, 2
	}
}

// tenThousandths is the number of units in 1 of a decimal property: see [dialect.JSONDecimal].
const tenThousandths = 10_000

// ofProperty makes m a function of decimals.
func (m *BoundMetric) ofProperty(f Function, number, where expr.Expr) {
	if f == Count {
		m.ofRows(f, number, where)
		return
	}
	if !where.Absent() {
		number = When(where, number)
	}
	m.Format, m.Decimals, m.Most = Number, 4, MostSum
	switch f {
	case Min:
		m.Expr = expr.Call(dialect.Ratio, expr.Call(dialect.Min, number), expr.Int(tenThousandths))
	case Max:
		m.Expr = expr.Call(dialect.Ratio, expr.Call(dialect.Max, number), expr.Int(tenThousandths))
	case Average:
		m.Expr = decimalSum(number, expr.Mul(knownCount(number), expr.Int(tenThousandths)))
	default:
		m.Expr = decimalSum(number, expr.Int(tenThousandths))
	}
}

// high is the number of units in 1 of the higher part of a number. It is a power of two, by which databases divide
// without an error.
const high = 1 << 20

// DecimalParts are two sums that together are the sum of numbers, of up to 10^13 each: the multiples of high, and the
// rest. The sum of many rows may exceed 64 bits, where databases fail or wrap.
func DecimalParts(number expr.Expr) (multiples, rest expr.Expr) {
	part := expr.Call(dialect.FloorDiv, number, expr.Int(high))
	return expr.Call(dialect.Sum, part), expr.Call(dialect.Sum, expr.Sub(number, expr.Mul(part, expr.Int(high))))
}

// decimalSum is the sum of numbers over of. If the sum is beyond MostSum, it is a number beyond that.
func decimalSum(number, of expr.Expr) expr.Expr {
	multiples, rest := DecimalParts(number)
	return sumOfParts(multiples, rest, of)
}

// sumOfParts is a sum in the parts of DecimalParts over of. If the sum is beyond MostSum, it is a number beyond that.
func sumOfParts(multiples, rest, of expr.Expr) expr.Expr {
	const (
		most = 90 * tenThousandths * 10_000_000_000_000 // MostSum
		// in the units of the higher part: what is not beyond it fits into 64 bits
		far = 91 * tenThousandths * 10_000_000_000_000 / high
	)
	sum, beyond := expr.Add(expr.Mul(multiples, expr.Int(high)), rest),
		expr.Sub(expr.Int(0), expr.Int(92*tenThousandths*10_000_000_000_000))
	within := func(e expr.Expr, bound int64, yes, no expr.Expr) expr.Expr {
		return IfElse(expr.Gt(e, expr.Int(bound)), no, IfElse(expr.Lt(e, expr.Int(-bound)), no, yes))
	}
	inReach := func(yes, no expr.Expr) expr.Expr { return within(multiples, far, within(sum, most, yes, no), no) }
	return expr.Call(dialect.Ratio, inReach(sum, beyond), inReach(of, expr.Int(tenThousandths)))
}
