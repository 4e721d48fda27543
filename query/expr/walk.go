package expr

import (
	"fmt"
	"strconv"
	"strings"
)

// Replace returns e with every Ref replaced by what by returns for its name.
func Replace(e Expr, by func(name string) Expr) Expr {
	return rewrite(e, ref, func(e Expr) Expr { return by(e.name) })
}

// Stored returns e with every Computed read from its column of the table called alias.
func Stored(e Expr, alias Alias) Expr {
	return rewrite(e, computed, func(e Expr) Expr { return Col(alias, Ident(e.name)) })
}

// rewrite returns e with every outermost expression of a kind replaced by what by makes of it.
func rewrite(e Expr, of kind, by func(Expr) Expr) Expr {
	if e.kind == of {
		return by(e)
	}
	if len(e.args) == 0 {
		return e
	}
	args := make([]Expr, len(e.args))
	for i, a := range e.args {
		args[i] = rewrite(a, of, by)
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

// String is e for people, in no dialect: operations by name, arguments by value.
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
		return fmt.Sprintf("arg %v", e.arg.Value)
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
	case rangeFrom:
		return "range.from"
	case rangeTo:
		return "range.to"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
