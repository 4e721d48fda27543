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

const maxLines = 500

// sourceRules lists the rules for the content of source files.
var sourceRules = []func(*tree) []finding{
	checkNames, checkLength, checkHosts, checkDocs, checkFuncs, checkIdentifiers, checkHomes, checkProofs, checkStability,
	checkBackground,
}

// These names say nothing about the task of a package.
var poorNames = []string{"util", "utils", "common", "helper", "helpers", "types", "models", "misc", "shared"}

func checkNames(t *tree) (out []finding) {
	for _, f := range t.files {
		name := strings.TrimSuffix(f.syntax.Name.Name, "_test")
		for _, n := range append(strings.Split(f.dir, "/"), name) {
			if slices.Contains(poorNames, n) {
				out = append(out, t.find("names", f.syntax.Name.Pos(), "package named %s", n))
				break
			}
		}
	}
	return out
}

func checkLength(t *tree) (out []finding) {
	for _, f := range t.files {
		if n := strings.Count(t.texts[f.path], "\n"); n > maxLines && !ast.IsGenerated(f.syntax) {
			out = append(out, t.find("length", f.syntax.Pos(), "%d lines, more than %d", n, maxLines))
		}
	}
	return out
}

// maxHostLines returns the maximum length of the file at path if it is an example of a host, and 0 otherwise. Such examples show that
// embedding takes little code.
func maxHostLines(path string) int {
	switch root, _, _ := strings.Cut(path, "/"); root {
	case "example":
		return 80
	case "example_own_test.go": // it also has its own stores of keys, websites and flags
		return 120
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

// checkFuncs finds init functions, and panics outside functions named must….
func checkFuncs(t *tree) (out []finding) {
	for _, f := range t.files {
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && fn.Name.Name == "init" {
				out = append(out, t.find("init", fn.Pos(), "init function"))
			}
			if f.test || ok && strings.HasPrefix(strings.ToLower(fn.Name.Name), "must") {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
						out = append(out, t.find("panic", call.Pos(), "panic outside a must helper"))
					}
				}
				return true
			})
		}
	}
	return out
}

// forbidden maps names of the standard library that only tests may use to the reason or the alternative. A name that ends in "()"
// must not be called, but may be a value, such as the default of a Config. In "if c.Now == nil { … }" it may be called.
var forbidden = map[string]string{
	"time.Now()":             "take the clock as an argument",
	"time.Since()":           "take the clock as an argument",
	"time.Until()":           "take the clock as an argument",
	"time.Local":             "take the zone as an argument",
	"fmt.Print()":            "take a writer as an argument",
	"fmt.Printf()":           "take a writer as an argument",
	"fmt.Println()":          "take a writer as an argument",
	"log.Print()":            "take a logger as an argument",
	"log.Printf()":           "take a logger as an argument",
	"log.Println()":          "take a logger as an argument",
	"log.Fatal()":            "return an error",
	"log.Fatalf()":           "return an error",
	"log/slog.Default()":     "take a logger as an argument",
	"log/slog.Debug()":       "take a logger as an argument",
	"log/slog.Info()":        "take a logger as an argument",
	"log/slog.Warn()":        "take a logger as an argument",
	"log/slog.Error()":       "take a logger as an argument",
	"os.Exit()":              "return an error",
	"net/http.DefaultClient": "take a client as an argument",
	"net/http.Get()":         "take a client as an argument",
	"net/http.Handle()":      "use a mux of your own",
	"net/http.HandleFunc()":  "use a mux of your own",
}

// checkIdentifiers finds forbidden names and package variables that are changed.
func checkIdentifiers(t *tree) (out []finding) {
	packages := t.packages()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		uses := t.resolve(dir, packages[dir])
		for _, f := range packages[dir] {
			out = append(out, t.checkForbidden(f, uses)...)
			out = append(out, t.checkMutated(f, uses)...)
		}
	}
	return out
}

func (t *tree) checkForbidden(f *file, uses map[*ast.Ident]types.Object) (out []finding) {
	called := map[ast.Expr]bool{}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			return !missingClock(n.Cond)
		case *ast.CallExpr:
			called[n.Fun] = true
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok {
				break
			}
			p, ok := uses[id].(*types.PkgName)
			if !ok {
				break
			}
			name := p.Imported().Path() + "." + n.Sel.Name
			if called[n] && forbidden[name] == "" {
				name += "()"
			}
			main := f.syntax.Name.Name == "main" && name == "os.Exit()"
			if why := forbidden[name]; why != "" && !main {
				out = append(out, t.find(strings.TrimSuffix(name, "()"), n.Pos(), "%s: %s", name, why))
			}
		}
		return true
	})
	return out
}

// missingClock reports whether e is "x.Now == nil". Constructors use this condition to set the default clock.
func missingClock(e ast.Expr) bool {
	eq, ok := e.(*ast.BinaryExpr)
	if !ok || eq.Op != token.EQL {
		return false
	}
	now, ok := eq.X.(*ast.SelectorExpr)
	if !ok || now.Sel.Name != "Now" {
		return false
	}
	null, ok := eq.Y.(*ast.Ident)
	return ok && null.Name == "nil"
}

// checkMutated finds assignments to package variables and their elements, and package variables that are useful only if they change.
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
var home = regexp.MustCompile(`(^|[\s"'=:(` + "`" + `])(/home/[a-z][\w.-]*/|/Users/[A-Za-z][\w.-]*/|/root/|[A-Z]:\\Users\\)`)

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
