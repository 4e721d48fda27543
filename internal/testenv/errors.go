package testenv

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var errorName = regexp.MustCompile(`\b(?:([a-z]\w*)\.)?(Err[A-Z]\w*)`)

// ErrorsNamedIn returns the errors that the package in a folder declares and that comments of its interfaces name, with
// the place of each.
func ErrorsNamedIn(t testing.TB, dir string) map[string]string {
	t.Helper()
	named := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		note := func(place, text string) {
			for _, m := range errorName.FindAllStringSubmatch(text, -1) {
				named[cmp.Or(m[1], file.Name.Name)+"."+m[2]] = filepath.Join(dir, e.Name()) + ", " + place
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				return false
			case *ast.ValueSpec:
				for _, name := range n.Names {
					note("the declaration", name.Name)
				}
			case *ast.GenDecl:
				if n.Tok == token.TYPE && len(n.Specs) == 1 {
					if spec, ok := n.Specs[0].(*ast.TypeSpec); ok {
						noteInterface(spec, n.Doc, note)
					}
				}
			}
			return true
		})
	}
	return named
}

// noteInterface passes the comments of an interface on.
func noteInterface(spec *ast.TypeSpec, doc *ast.CommentGroup, note func(place, text string)) {
	in, ok := spec.Type.(*ast.InterfaceType)
	if !ok {
		return
	}
	note(spec.Name.Name, doc.Text())
	for _, method := range in.Methods.List {
		note(spec.Name.Name, method.Doc.Text()+method.Comment.Text())
	}
}
