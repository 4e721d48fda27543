package expr

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Value is the result of an expression in one row: null, or the field that Kind names. A condition gives the Int 1 or
// 0.
type Value struct {
	Kind  dialect.Kind // Int, Float or Text
	Null  bool
	Int   int64
	Float float64
	Text  string
}

// Values of the program's own.
var none = Value{Null: true}

// IntValue is the whole number n.
func IntValue(n int64) Value { return Value{Kind: dialect.Int, Int: n} }

// FloatValue is the number x.
func FloatValue(x float64) Value { return Value{Kind: dialect.Float, Float: x} }

// TextValue is the text s.
func TextValue(s string) Value { return Value{Kind: dialect.Text, Text: s} }

// Number is v as a floating-point number; of a text 0.
func (v Value) Number() float64 {
	if v.Kind == dialect.Int {
		return float64(v.Int)
	}
	return v.Float
}

func truth(b bool) Value {
	if b {
		return IntValue(1)
	}
	return IntValue(0)
}

// holds reports whether v is a condition that is met; null is not.
func (v Value) holds() bool { return !v.Null && v.Int != 0 }

// Compare orders two values of one kind, texts byte by byte, null after all others.
func (v Value) Compare(w Value) int {
	switch {
	case v.Null || w.Null:
		return cmp.Compare(truth(v.Null).Int, truth(w.Null).Int)
	case v.Kind == dialect.Text:
		return strings.Compare(v.Text, w.Text)
	case v.Kind == dialect.Int && w.Kind == dialect.Int:
		return cmp.Compare(v.Int, w.Int)
	}
	return cmp.Compare(v.Number(), w.Number())
}

// CanEval reports whether Eval can compute e, given the values of its columns and of the operations for
// which left is true.
func CanEval(e Expr, left func(dialect.Op) bool) bool {
	switch e.kind {
	case column, integer, text, argument, null:
	case infix:
		if !slices.Contains([]string{"*", "+", "-", "=", "<>", "<", ">"}, e.name) {
			return false
		}
	case call:
		if left(e.op) {
			return true
		}
		if !slices.Contains(scalars, e.op) {
			return false
		}
	default:
		return false
	}
	return !slices.ContainsFunc(e.args, func(a Expr) bool { return !CanEval(a, left) })
}

// SplitLookup returns what Eval needs to compute e, an expression that looks up a text in a list. The first of
// codes is the text that e looks up, the others are columns. In of, a column with the name of its index
// stands in place of each code.
func SplitLookup(e Expr) (codes []Expr, of Expr, ok bool) {
	code, ok := operand(e, dialect.Lookup)
	if !ok {
		return nil, Expr{}, false
	}
	texts := []string{code.String()}
	codes = []Expr{code}
	isCode := func(e Expr) bool { return e.kind == code.kind && e.name == code.name && e.String() == texts[0] }
	of = rewrite(e, func(e Expr) bool { return e.kind == column || isCode(e) }, func(e Expr) Expr {
		i := slices.Index(texts, e.String())
		if i < 0 {
			i = len(codes)
			codes, texts = append(codes, e), append(texts, e.String())
		}
		return Expr{kind: column, name: strconv.Itoa(i)}
	})
	return codes, of, CanEval(of, func(dialect.Op) bool { return false })
}

// operand is the first of the first call of op in e.
func operand(e Expr, op dialect.Op) (of Expr, ok bool) {
	if e.kind == call && e.op == op {
		return e.args[0], true
	}
	for _, a := range e.args {
		if of, ok := operand(a, op); ok {
			return of, true
		}
	}
	return Expr{}, false
}

// scalars are the operations that Eval computes.
var scalars = []dialect.Op{dialect.If, dialect.Coalesce, dialect.Ratio, dialect.Concat, dialect.Lookup,
	dialect.ListPosition}

// Eval computes e for one row, with the result that every dialect gives. It calls of for columns, and
// for operations that it does not know, such as aggregates. Anything else that CanEval refuses is null.
func Eval(e Expr, of func(Expr) Value) Value {
	switch e.kind {
	case column:
		return of(e)
	case integer:
		return IntValue(e.num)
	case text:
		return TextValue(e.name)
	case infix:
		return evalInfix(e, of)
	case call:
		if !slices.Contains(scalars, e.op) {
			return of(e)
		}
		return evalCall(e, of)
	}
	return none
}

func evalCall(e Expr, of func(Expr) Value) Value {
	switch e.op {
	case dialect.If:
		if Eval(e.args[0], of).holds() {
			return Eval(e.args[1], of)
		}
		return Eval(e.args[2], of)
	case dialect.Coalesce:
		for _, a := range e.args {
			if v := Eval(a, of); !v.Null {
				return v
			}
		}
		return none
	case dialect.Ratio:
		part, whole := Eval(e.args[0], of), Eval(e.args[1], of)
		if part.Null || whole.Null || whole.Number() == 0 {
			return none
		}
		return FloatValue(part.Number() / whole.Number())
	case dialect.Concat:
		var b strings.Builder
		for _, a := range e.args {
			b.WriteString(Eval(a, of).Text)
		}
		return TextValue(b.String())
	case dialect.ListPosition:
		if i := slices.Index(texts(e.args[1]), Eval(e.args[0], of).Text); i >= 0 {
			return IntValue(int64(i + 1))
		}
	case dialect.Lookup:
		if i := slices.Index(texts(e.args[1]), Eval(e.args[0], of).Text); i >= 0 {
			return TextValue(texts(e.args[2])[i])
		}
		return Eval(e.args[3], of)
	}
	return none
}

// texts is the list that e, an argument, binds.
func texts(e Expr) []string {
	list, _ := e.arg.Value.([]string)
	return list
}

func evalInfix(e Expr, of func(Expr) Value) Value {
	a, b := Eval(e.args[0], of), Eval(e.args[1], of)
	switch {
	case a.Null || b.Null:
		return none
	case e.name == "*":
		return IntValue(a.Int * b.Int)
	case e.name == "+" && a.Kind == dialect.Int && b.Kind == dialect.Int:
		return IntValue(a.Int + b.Int)
	case e.name == "-" && a.Kind == dialect.Int && b.Kind == dialect.Int:
		return IntValue(a.Int - b.Int)
	case e.name == "+":
		return FloatValue(a.Number() + b.Number())
	case e.name == "-":
		return FloatValue(a.Number() - b.Number())
	case e.name == "<":
		return truth(a.Compare(b) < 0)
	case e.name == ">":
		return truth(a.Compare(b) > 0)
	case e.name == "=":
		return truth(a.Compare(b) == 0)
	}
	return truth(a.Compare(b) != 0)
}
