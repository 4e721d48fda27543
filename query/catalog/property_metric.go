package catalog

import (
	"strings"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// ofProperties are the functions of properties that callers may choose, with what they are called. Those with
// thousandths are quantiles.
var ofProperties = []struct {
	name, label string
	permille    int64
}{
	{"sum", "Sum", 0}, {"avg", "Mean", 0}, {"min", "Least", 0}, {"max", "Greatest", 0}, {"median", "Median", 500},
	{"p75", "p75", 750},
	{"p90", "p90", 900}, {"p95", "p95", 950}, {"p99", "p99", 990}, {"count", "Rows with", 0},
	{"distinct", "Values of", 0},
}

func propertyFunctions() []string {
	names := make([]string, len(ofProperties))
	for i, f := range ofProperties {
		names[i] = f.name
	}
	return names
}

// The two parts of the sum of the decimals of a property: see DecimalParts.
const (
	highPart = "high"
	restPart = "rest"
)

// propertyMetric returns a function of the decimals that rows of tb have in a property, or nil if there is no such
// function. count counts the rows that have a decimal, and distinct the different values of the property as texts. The
// name has no text of a caller.
func propertyMetric(tb *Table, function, key string) *BoundMetric {
	properties := []expr.Expr{Row("properties"), expr.Arg(dialect.Text, key)}
	number := expr.Call(dialect.JSONDecimal, properties...)
	field := Field{property: key}
	m := &BoundMetric{source: tb.Name, Table: tb, Property: key,
		Output: Output{Name: function + "_" + string(field.Alias()), Format: Integer}}
	for _, f := range ofProperties {
		if f.name != function {
			continue
		}
		m.Label, m.Description = f.label+" "+key, f.label+" "+key+", of the rows where the property is a decimal"
		if f.permille > 0 {
			m.Format, m.Decimals = Number, 4
			m.Expr = quantileIn(expr.Int(tenThousandths), number, f.permille)
			return m
		}
	}
	of, ok := map[string]Function{"sum": Sum, "avg": Average, "min": Min, "max": Max, "count": Count}[function]
	part := func(name string) expr.Expr {
		one := propertyMetric(tb, name, key)
		m.parts = append(m.parts, one)
		return expr.Ref(expr.Ident(one.Name))
	}
	switch multiples, rest := DecimalParts(number); {
	case function == highPart:
		m.Expr, m.Zero = multiples, true
	case function == restPart:
		m.Expr, m.Zero = rest, true
	case of == Sum, of == Average: // made of columns, so that a statement reads the property in few places
		m.source, m.Table, m.Zero = "", nil, of == Sum
		m.Format, m.Decimals, m.Most = Number, 4, MostSum
		whole, remainder, unit := part(highPart), part(restPart), expr.Int(tenThousandths)
		if of == Average {
			unit = expr.Mul(part("count"), unit)
		}
		m.Expr = sumOfParts(whole, remainder, unit)
	case function == "distinct":
		// CountDistinct leaves out empty texts, but a property with an empty text has a value.
		m.Zero = true
		m.Description = "Different values of " + key + ", as texts"
		value := expr.Call(dialect.Concat, expr.Lit("="), expr.Call(dialect.JSONValue, properties...))
		m.Expr = expr.Call(dialect.CountDistinct,
			IfElse(expr.Call(dialect.JSONHas, properties...), value, expr.Lit("")))
	case ok:
		m.Zero = of == Count
		m.ofProperty(of, number, expr.Expr{})
	default:
		return nil
	}
	return m
}

// rowsWithProperty counts the rows of tb that have a property.
func rowsWithProperty(tb *Table, key string) *BoundMetric {
	field := Field{property: key}
	return &BoundMetric{source: tb.Name, Table: tb,
		Output: Output{Name: "rows_" + string(field.Alias()), Format: Integer, Zero: true},
		Expr:   expr.Call(dialect.CountIf, expr.Call(dialect.JSONHas, Row("properties"), expr.Arg(dialect.Text, key)))}
}

// shareOfSum is the share in percent that a sum of decimals has of the sums of all rows. Both are made of their parts.
// Numbers that would exceed 64 bits are divided by their higher parts alone, which are exact to 12 digits then.
func shareOfSum(multiples, rest expr.Expr) expr.Expr {
	const near int64 = 90_000_000_000_000_000 / high
	whole := func(multiples, rest expr.Expr) expr.Expr {
		return expr.Add(expr.Mul(multiples, expr.Int(high)), rest)
	}
	all := expr.Call(dialect.SumOver, multiples)
	exact := percent(whole(multiples, rest), whole(all, expr.Call(dialect.SumOver, rest)))
	about := expr.Call(dialect.Ratio, multiples, expr.Call(dialect.Ratio, all, expr.Int(100)))
	for _, of := range []expr.Expr{multiples, all} {
		exact = IfElse(expr.Gt(of, expr.Int(near)), about, IfElse(expr.Lt(of, expr.Int(-near)), about, exact))
	}
	return exact
}

// columnName returns the name of the column of m.
func columnName(m *ask.ChosenMetric) string {
	switch {
	case m.As != "":
		return m.As
	case m.Property == "":
		return m.Name
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, m.Name+"_"+m.Property)
}
