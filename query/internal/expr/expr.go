// Package expr is the language that dimensions, metrics and filters are written in. It knows
// no database: a Writer writes it in a dialect. Names and constants come from the program,
// and values of callers are bound as arguments, so no text of a caller becomes SQL.
package expr

import "github.com/sightline-analytics/sightline/store/dialect"

// An Expr is one expression. The zero Expr is absent: And and Or skip it, and it is written as empty
// text.
type Expr struct {
	kind kind
	name string // column, reference or literal text; operator
	of   Alias  // of the relation a column belongs to
	op   dialect.Op
	num  int64
	arg  dialect.Arg
	args []Expr
}

type kind uint8

const (
	absent   kind = iota
	column        // of.name
	ref           // a name that the compiler replaces
	integer       // num
	text          // 'name', a constant of the program
	argument      // a bound value
	call          // op(args)
	infix         // args joined by the operator name
	not
	null
	out      // name, an output column of the same SELECT
	list     // args, comma separated
	computed // args[0], which some tables have as the column name
	rangeFrom
	rangeTo
	relation // name, as it is
)

// constant can hold untyped constants only: a caller's text is a string and does not fit.
type constant string

// An Ident is the name of a column, from the program and never a caller's. It is quoted when
// written.
type Ident string

// Absent reports whether e is the zero Expr.
func (e Expr) Absent() bool { return e.kind == absent }

// An Alias is the name of a table or sub-query in a statement. It never comes from a caller, and is written unchanged.
type Alias string

// Col is a column of the table or sub-query called alias.
func Col(alias Alias, name Ident) Expr { return Expr{kind: column, of: alias, name: string(name)} }

// Ref stands for an expression that is defined elsewhere, a dimension or a metric; Replace
// puts it in.
func Ref(name Ident) Expr { return Expr{kind: ref, name: string(name)} }

// Out is an output column of the SELECT it stands in, for its ORDER BY.
func Out(name Ident) Expr { return Expr{kind: out, name: string(name)} }

// Computed is e, which some tables also store in a column called name: [Stored] reads it from there.
func Computed(name Ident, e Expr) Expr {
	return Expr{kind: computed, name: string(name), args: []Expr{e}}
}

// Int is a whole number of the program, written into the SQL.
func Int(n int64) Expr { return Expr{kind: integer, num: n} }

// Lit is a text of the program, written into the SQL. s takes constants only, never a caller's text.
func Lit(s constant) Expr { return Expr{kind: text, name: string(s)} }

// Arg is a value that is bound as an argument, never written into the SQL.
func Arg(k dialect.Kind, v any) Expr {
	return Expr{kind: argument, arg: dialect.Arg{Kind: k, Value: v}}
}

// Call is an operation over args, as the dialect writes it.
func Call(op dialect.Op, args ...Expr) Expr { return Expr{kind: call, op: op, args: args} }

// List is several expressions as one operand, with commas between them.
func List(args ...Expr) Expr { return Expr{kind: list, args: args} }

// And holds when all of args do; absent ones are skipped. Without args it is absent.
func And(args ...Expr) Expr { return join("AND", args) }

// Or holds when any of args does; absent ones are skipped. Without args it is absent.
func Or(args ...Expr) Expr { return join("OR", args) }

// Not holds when e does not.
func Not(e Expr) Expr { return Expr{kind: not, args: []Expr{e}} }

// Eq is a = b.
func Eq(a, b Expr) Expr { return op("=", a, b) }

// Ne is a <> b.
func Ne(a, b Expr) Expr { return op("<>", a, b) }

// Lt is a < b.
func Lt(a, b Expr) Expr { return op("<", a, b) }

// Le is a <= b.
func Le(a, b Expr) Expr { return op("<=", a, b) }

// Gt is a > b.
func Gt(a, b Expr) Expr { return op(">", a, b) }

// Ge is a >= b.
func Ge(a, b Expr) Expr { return op(">=", a, b) }

// Add is a + b.
func Add(a, b Expr) Expr { return op("+", a, b) }

// Sub is a - b.
func Sub(a, b Expr) Expr { return op("-", a, b) }

// Mul is a * b.
func Mul(a, b Expr) Expr { return op("*", a, b) }

// Null is the value NULL.
func Null() Expr { return Expr{kind: null} }

// RangeFrom is the first instant of the Writer's range, in milliseconds.
func RangeFrom() Expr { return Expr{kind: rangeFrom} }

// RangeTo is the instant just after the Writer's range, in milliseconds.
func RangeTo() Expr { return Expr{kind: rangeTo} }

// Relation is a relation of the statement, as an operand.
func Relation(name Alias) Expr { return Expr{kind: relation, name: string(name)} }

// IsNotNull holds when e is not null.
func IsNotNull(e Expr) Expr { return op("IS NOT", e, Null()) }

func op(operator string, a, b Expr) Expr {
	return Expr{kind: infix, name: operator, args: []Expr{a, b}}
}

func join(operator string, args []Expr) Expr {
	kept := make([]Expr, 0, len(args))
	for _, a := range args {
		if !a.Absent() {
			kept = append(kept, a)
		}
	}
	switch len(kept) {
	case 0:
		return Expr{}
	case 1:
		return kept[0]
	}
	return Expr{kind: infix, name: operator, args: kept}
}
