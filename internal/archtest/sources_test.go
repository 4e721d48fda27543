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

// sourceRules lists the rules for the content of source files that no linter of .golangci.yml has.
var sourceRules = []func(*tree) []finding{checkHosts, checkDocs, checkState, checkHomes, checkProofs, checkStability,
	checkBackground, checkStatements, checkLinks}

// maxHostLines returns the maximum length of the file at path if it is an example of a host, and 0 otherwise. Such
// examples show that embedding takes little code.
func maxHostLines(path string) int {
	switch root, _, _ := strings.Cut(path, "/"); root {
	case "example":
		return 100
	case "example_own_test.go": // it also has its own stores of keys, websites and flags
		return 130
	}
	return 0
}

// checkHosts finds examples of hosts that are too long, or that use what other modules cannot import.
func checkHosts(t *tree) (out []finding) {
	for _, f := range t.files {
		most := maxHostLines(f.path)
		if most == 0 {
			continue
		}
		if n := strings.Count(t.texts[f.path], "\n"); n > most && (f.dir == "." || !f.test) {
			out = append(out, t.find("hosts", f.syntax.Pos(), "%d lines, more than %d for a host", n, most))
		}
		for imported, at := range f.imports() {
			if own, ours := local(imported); ours && strings.Contains("/"+own+"/", "/internal/") {
				out = append(out, t.find("hosts", at, "a host cannot import %s", imported))
			}
		}
	}
	return out
}

// checkState finds package variables that are changed.
func checkState(t *tree) (out []finding) {
	packages := t.packages()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		uses := t.resolve(dir, packages[dir])
		for _, f := range packages[dir] {
			out = append(out, t.checkMutated(f, uses)...)
		}
	}
	return out
}

// checkMutated finds assignments to package variables and their elements, and package variables that are useful only if
// they change.
func (t *tree) checkMutated(f *file, uses map[*ast.Ident]types.Object) (out []finding) {
	changed := func(e ast.Expr) {
		id := holder(e)
		v, ok := uses[id].(*types.Var)
		if ok && v.Parent() == v.Pkg().Scope() {
			out = append(out, t.find("state", e.Pos(), "package variable %s is changed", id.Name))
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					changed(e)
				}
			}
		case *ast.IncDecStmt:
			changed(n.X)
		}
		return true
	})
	for _, v := range packageVars(f) {
		sel, ok := v.Type.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		if id, ok := sel.X.(*ast.Ident); ok && (id.Name == "sync" || id.Name == "atomic") {
			out = append(out, t.find("state", v.Pos(), "package variable of type %s.%s", id.Name, sel.Sel.Name))
		}
	}
	return out
}

func packageVars(f *file) (out []*ast.ValueSpec) {
	for _, d := range f.syntax.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				out = append(out, s.(*ast.ValueSpec))
			}
		}
	}
	return out
}

// holder returns the variable that contains e, or nil.
func holder(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// home matches paths in a user's home folder.
var home = regexp.MustCompile(`(^|[\s"'=:(` + "`" +
	`])(/home/[a-z][\w.-]*/|/Users/[A-Za-z][\w.-]*/|/root/|[A-Z]:\\Users\\)`)

func checkHomes(t *tree) (out []finding) {
	for _, name := range slices.Sorted(maps.Keys(t.texts)) {
		if strings.HasPrefix(name, "internal/archtest/") {
			continue // the rule and its test contain the text
		}
		if m := home.FindString(t.texts[name]); m != "" {
			out = append(out, finding{"home", name, "names the folder of one machine: " + strings.TrimSpace(m)})
		}
	}
	return out
}

// checkStatements finds statements that share a line in a block.
func checkStatements(t *tree) (out []finding) {
	for _, f := range t.files {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			var list []ast.Stmt
			switch n := n.(type) {
			case *ast.BlockStmt:
				list = n.List
			case *ast.CaseClause:
				list = n.Body
			case *ast.CommClause:
				list = n.Body
			}
			for i := 1; i < len(list); i++ {
				if t.fset.Position(list[i-1].End()).Line == t.fset.Position(list[i].Pos()).Line {
					out = append(out, t.find("statements", list[i].Pos(), "two statements on a line"))
				}
			}
			return true
		})
	}
	return out
}
