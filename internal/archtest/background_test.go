package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// backgroundRow matches the row above a statement that starts a goroutine:
//
//	//background:stop=Close bound=maxSending fails="Redis is unreachable"
//	go b.listen(ctx)
//
// stop is the name of a function in the package that waits until the goroutine has ended. It is "ctx" if nobody waits,
// and the goroutine ends soon after the context of its caller.
//
// bound is a name in the package: the constant, setting or variable that limits the number of goroutines, or the work
// that waits for them. It is "one" if one runs at a time, and "callers" if each call in progress has at most one.
//
// fails is a part of the log message about failures. It is "caller" if a caller gets the error, and "none" if the work
// cannot fail.
var backgroundRow = regexp.MustCompile(`^//background:stop=(\w+) bound=(\w+) fails=("[^"]+"|caller|none)$`)

// checkBackground finds goroutines in the product without a row. A function that starts goroutines in a group and
// waits for the group needs none.
func checkBackground(t *tree) (out []finding) {
	floors, err := parseTable(t.texts["ARCHITECTURE.md"])
	if err != nil {
		return []finding{{"background", "ARCHITECTURE.md", err.Error()}}
	}
	packages := t.packages()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if floors[dir].test || dir == "example" || strings.HasPrefix(dir, "example/") {
			continue // test support, and programs of a page
		}
		for _, f := range packages[dir] {
			if !f.test {
				out = append(out, t.backgroundOf(f, packages[dir])...)
			}
		}
	}
	return out
}

// backgroundOf finds goroutines of f without a row, faults in rows, and rows without a goroutine.
func (t *tree) backgroundOf(f *file, of []*file) (out []finding) {
	rows := map[int]*ast.Comment{} // by the line below
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//background") {
				rows[t.fset.Position(group.End()).Line+1] = c
			}
		}
	}
	for _, d := range f.syntax.Decls {
		for _, pos := range starts(d) {
			line := t.fset.Position(pos).Line
			row := rows[line]
			delete(rows, line)
			if row == nil {
				out = append(out, t.find("background", pos,
					`starts a goroutine without a row, such as //background:stop=Close bound=one fails="text of the log"`))
				continue
			}
			for _, fault := range rowFaults(row.Text, of) {
				out = append(out, t.find("background", pos, "%s", fault))
			}
		}
	}
	for _, line := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, t.find("background", rows[line].Pos(), "a row without a goroutine below it"))
	}
	return out
}

// starts returns the statements of d that start goroutines for which d does not wait.
func starts(d ast.Decl) (out []token.Pos) {
	waits := map[string]bool{} // groups of d
	ast.Inspect(d, func(n ast.Node) bool {
		if of, name := method(n); name == "Wait" {
			waits[of] = true
		}
		return true
	})
	ast.Inspect(d, func(n ast.Node) bool {
		switch of, name := method(n); {
		case name == "Go" && !waits[of], of == "time" && name == "AfterFunc":
			out = append(out, n.Pos())
		}
		if _, ok := n.(*ast.GoStmt); ok {
			out = append(out, n.Pos())
		}
		return true
	})
	return out
}

// method returns the value whose method n calls, as it is written, and the name of the method. Both are empty if n
// calls no method.
func method(n ast.Node) (of, name string) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	fn, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	return types.ExprString(fn.X), fn.Sel.Name
}

// rowFaults returns what is wrong with the row text of a goroutine in a package.
func rowFaults(text string, of []*file) (out []string) {
	m := backgroundRow.FindStringSubmatch(text)
	if m == nil {
		return []string{`has a row of another form than //background:stop=NAME bound=NAME fails="text": ` + text}
	}
	stop, bound, fails := m[1], m[2], m[3]
	waits, named, logged := stop == "ctx", bound == "one" || bound == "callers", fails == "caller" || fails == "none"
	for _, f := range of {
		if f.test {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				waits = waits || n.Name.Name == stop && waitsIn(n)
				named = named || n.Name.Name == bound
			case *ast.ValueSpec:
				named = named || slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return id.Name == bound })
			case *ast.Field:
				named = named || slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return id.Name == bound })
			case *ast.BasicLit:
				logged = logged || n.Kind == token.STRING && strings.Contains(n.Value, strings.Trim(fails, `"`))
			}
			return true
		})
	}
	if !waits {
		out = append(out, "no function "+stop+" of the package waits for it")
	}
	if !named {
		out = append(out, "the package has no bound "+bound)
	}
	if !logged {
		out = append(out, "the package has no log message with "+fails)
	}
	return out
}

// waitsIn reports whether d receives from a channel, or waits for a group.
func waitsIn(d *ast.FuncDecl) (waits bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		if receive, ok := n.(*ast.UnaryExpr); ok && receive.Op == token.ARROW {
			waits = true
		}
		if _, name := method(n); name == "Wait" {
			waits = true
		}
		return true
	})
	return waits
}
