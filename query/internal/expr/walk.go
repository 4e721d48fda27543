package expr

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/store/dialect"
)

// Replace returns e with every Ref replaced by what by returns for its name.
func Replace(e Expr, by func(name string) Expr) Expr {
	return rewrite(e, func(e Expr) bool { return e.kind == ref }, func(e Expr) Expr { return by(e.name) })
}

// Stored returns e with every Computed read from its column of the table called alias.
func Stored(e Expr, alias Alias) Expr {
	return rewrite(e, func(e Expr) bool { return e.kind == computed },
		func(e Expr) Expr { return Col(alias, Ident(e.name)) })
}

// ReplaceCalls returns e with every outermost call of an operation for which of is true replaced by the
// result of by.
func ReplaceCalls(e Expr, of func(dialect.Op) bool, by func(op dialect.Op, args []Expr) Expr) Expr {
	return rewrite(e, func(e Expr) bool { return e.kind == call && of(e.op) },
		func(e Expr) Expr { return by(e.op, e.args) })
}

// Calls is the operation of e and its operands, if e is a call.
func (e Expr) Calls() (op dialect.Op, args []Expr, ok bool) { return e.op, e.args, e.kind == call }

// Column is the column that e is, if it is one.
func (e Expr) Column() (alias Alias, name string, ok bool) { return e.of, e.name, e.kind == column }

// Constant is the number of an [Int], if e is one.
func (e Expr) Constant() (n int64, ok bool) { return e.num, e.kind == integer }

// rewrite returns e with every outermost expression that is meant replaced by what by makes of it.
func rewrite(e Expr, meant func(Expr) bool, by func(Expr) Expr) Expr {
	if meant(e) {
		return by(e)
	}
	if len(e.args) == 0 {
		return e
	}
	args := make([]Expr, len(e.args))
	for i, a := range e.args {
		args[i] = rewrite(a, meant, by)
	}
	e.args = args
	return e
}

// IsOut reports whether e is the output column called name.
func (e Expr) IsOut(name Ident) bool { return e.kind == out && e.name == string(name) }

// Refs lists the names of the Refs in e, each once, in the order of their first use.
func Refs(e Expr) []string {
	return names(e, func(e Expr) bool { return e.kind == ref })
}

// Columns lists the columns in e of the table or sub-query called alias, each once, in the
// order of their first use.
func Columns(e Expr, alias Alias) []string {
	return names(e, func(e Expr) bool { return e.kind == column && e.of == alias })
}

func names(e Expr, want func(Expr) bool) []string {
	var found []string
	seen := map[string]bool{}
	var walk func(Expr)
	walk = func(e Expr) {
		if want(e) && !seen[e.name] {
			seen[e.name] = true
			found = append(found, e.name)
		}
		for _, a := range e.args {
			walk(a)
		}
	}
	walk(e)
	return found
}

// String is e in a readable form: operations by name, arguments by value. Different expressions have
// different texts.
func (e Expr) String() string {
	parts := make([]string, len(e.args))
	for i, a := range e.args {
		parts[i] = a.String()
	}
	switch e.kind {
	case absent:
		return "absent"
	case column:
		return string(e.of) + "." + e.name
	case ref:
		return "ref " + e.name
	case out:
		return "out " + e.name
	case integer:
		return strconv.FormatInt(e.num, 10)
	case text:
		return strconv.Quote(e.name)
	case argument:
		return fmt.Sprintf("arg %#v", e.arg.Value)
	case call:
		return e.op.String() + "(" + strings.Join(parts, ", ") + ")"
	case infix:
		return "(" + strings.Join(parts, " "+e.name+" ") + ")"
	case not:
		return "NOT " + parts[0]
	case null:
		return "NULL"
	case computed:
		return parts[0]
	case relation:
		return "relation " + e.name
	case rangeFrom:
		return "range.from"
	case rangeTo:
		return "range.to"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
