package expr

import (
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Writer writes expressions in one dialect and numbers their arguments.
type Writer struct {
	Dialect  *dialect.Dialect // required
	From, To int64            // what RangeFrom and RangeTo are, in milliseconds
	Args     []dialect.Arg    // of everything written so far
	bound    map[dialect.Arg]string
}

// Write is e in SQL. Equal values share one argument.
func (w *Writer) Write(e Expr) string {
	switch e.kind {
	case absent:
		return ""
	case column:
		return string(e.of) + "." + w.Dialect.Ident(e.name)
	case ref:
		// A Ref that nobody replaced: the database refuses it by name.
		return w.Dialect.Ident("unresolved " + e.name)
	case out:
		return w.Dialect.Ident(e.name)
	case integer:
		return strconv.FormatInt(e.num, 10)
	case relation:
		return e.name
	case text:
		return "'" + strings.ReplaceAll(e.name, "'", "''") + "'"
	case argument:
		return w.bind(e.arg)
	case call:
		return w.Dialect.Call(e.op, w.each(e.args)...)
	case infix:
		return "(" + strings.Join(w.each(e.args), " "+e.name+" ") + ")"
	case not:
		return "(NOT " + w.Write(e.args[0]) + ")"
	case null:
		return "NULL"
	case rangeFrom:
		return w.bind(dialect.Arg{Kind: dialect.Int, Value: w.From})
	case rangeTo:
		return w.bind(dialect.Arg{Kind: dialect.Int, Value: w.To})
	case computed:
		return w.Write(e.args[0])
	case list:
		return strings.Join(w.each(e.args), ", ")
	}
	return ""
}

func (w *Writer) each(args []Expr) []string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = w.Write(a)
	}
	return texts
}

// bind gives a its name. Equal values share one, so that a statement says once whose
// rows it reads and when; lists are equal when they share their memory.
func (w *Writer) bind(a dialect.Arg) string {
	id := identity(a)
	name, ok := w.bound[id]
	if !ok {
		a.Name = "p" + strconv.Itoa(len(w.Args)+1)
		w.Args = append(w.Args, a)
		if w.bound == nil {
			w.bound = map[dialect.Arg]string{}
		}
		w.bound[id] = a.Name
		name = a.Name
	}
	return w.Dialect.Arg(name, a.Kind)
}

// identity is a with a value that can be compared: of a list, where it begins.
func identity(a dialect.Arg) dialect.Arg {
	switch list := a.Value.(type) {
	case []string:
		a.Value = start(list)
	case []int64:
		a.Value = start(list)
	}
	return a
}

func start[T any](list []T) any {
	if len(list) == 0 {
		return nil
	}
	return struct {
		first *T
		len   int
	}{&list[0], len(list)}
}
