package plan

import (
	"cmp"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// ordered reports whether op compares decimals.
func ordered(op ask.Op) bool {
	return op == ask.Gt || op == ask.Gte || op == ask.Lt || op == ask.Lte
}

// matchProperty is c, whose operator is for properties only, as an expression. It is true or false, also where the row
// has no decimal. value is the property as a text.
func (c Condition) matchProperty(value expr.Expr) expr.Expr {
	_, property, _ := value.Calls() // the row's properties, and the key
	if c.Op == ask.Exists {
		return expr.Call(dialect.JSONHas, property...)
	}
	limit, err := strconv.ParseInt(c.Values[0], 10, 64)
	if err != nil {
		return expr.Eq(expr.Int(0), expr.Int(1)) // nothing can be compared
	}
	number, than := expr.Call(dialect.JSONDecimal, property...), expr.Arg(dialect.Int, limit)
	compare := map[ask.Op]func(a, b expr.Expr) expr.Expr{ask.Gt: expr.Gt, ask.Gte: expr.Ge, ask.Lt: expr.Lt,
		ask.Lte: expr.Le}[c.Op]
	return expr.Call(dialect.Coalesce, compare(number, than), expr.Eq(expr.Int(0), expr.Int(1)))
}

// Decimals: what a string that is one looks like, what a number in JSON looks like, and the largest one in
// ten-thousandths.
var (
	plainDecimal = regexp.MustCompile(`^-?[0-9]{1,9}(\.[0-9]+)?$`)
	jsonNumber   = regexp.MustCompile(`^(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)(?:[eE]([+-]?[0-9]+))?$`)
)

// spellings returns the values, each followed by the other texts that stored properties with the same number have.
// Numbers are stored as JavaScript writes them, but whole numbers with all digits that were sent.
func spellings(values []string) (all []string) {
	for _, v := range values {
		all = append(all, v)
		parts := jsonNumber.FindStringSubmatch(v)
		if parts == nil {
			continue
		}
		exponent, bad := strconv.Atoi(cmp.Or(parts[2], "0"))
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || bad != nil || max(exponent, -exponent) > maxExponent {
			continue // no such number is stored, except for whole ones as they were sent
		}
		shortest, _ := json.Marshal(x + 0) // never fails; -0 is 0
		exact, _ := new(big.Rat).SetString(v)
		stored, _ := new(big.Rat).SetString(string(shortest))
		if strings.ContainsAny(v, ".eE") || exact.Cmp(stored) == 0 {
			all = append(all, string(shortest))
		}
		if exact.IsInt() {
			all = append(all, exact.Num().String())
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

const (
	maxExponent    = 400 // beyond it a number is 0 or infinite
	tenThousandths = 10_000
	mostDecimal    = 999_999_999 * tenThousandths
)

// decimalText returns the decimal that the text of a value is, in ten-thousandths, rounded with halves away from zero.
// It is empty if the value is not a decimal.
func decimalText(text string) string {
	if trimmed := strings.Trim(text, " \t\r\n"); plainDecimal.MatchString(trimmed) {
		text = trimmed
	} else if parts := jsonNumber.FindStringSubmatch(text); parts == nil {
		return ""
	} else if exponent, err := strconv.Atoi(cmp.Or(parts[2], "0")); err != nil || max(exponent, -exponent) > len(text)+
		100 {
		if strings.Trim(parts[1], "-0.") == "" || strings.HasPrefix(parts[2], "-") {
			return "0"
		}
		return "" // the exponent moves the point beyond all digits
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return ""
	}
	n.Mul(n, big.NewRat(tenThousandths, 1))
	half := big.NewRat(1, 2)
	if n.Sign() < 0 {
		half.Neg(half)
	}
	n.Add(n, half)
	whole := new(big.Int).Quo(n.Num(), n.Denom()) // towards zero
	if !whole.IsInt64() || whole.Int64() > mostDecimal || whole.Int64() < -mostDecimal {
		return ""
	}
	return whole.String()
}
