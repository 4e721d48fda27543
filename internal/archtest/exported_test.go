package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/golden"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestGoldenExported compares the exported declarations of all public packages with a golden file, so that nobody
// changes them by accident. Comments are left out: a new sentence changes no host.
func TestGoldenExported(t *testing.T) {
	testenv.WithoutRace(t)
	tr, _ := read(t, os.DirFS(root))
	text, err := exported(tr)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/exported.golden", text)
}

// exported returns the exported declarations of all public packages, as go doc -all shows them on Linux with cgo.
func exported(t *tree) ([]byte, error) {
	platform := build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc", CgoEnabled: true,
		ReleaseTags: build.Default.ReleaseTags}
	packages := t.packages()
	var out bytes.Buffer
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if !public(dir) {
			continue
		}
		var files []*ast.File
		for _, f := range packages[dir] {
			matches, err := platform.MatchFile(path.Join(root, dir), path.Base(f.path))
			if err != nil {
				return nil, err
			}
			if matches {
				files = append(files, f.syntax)
			}
		}
		of, err := doc.NewFromFiles(t.fset, files, path.Join(module, dir))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "package %s // import %q\n", of.Name, of.ImportPath)
		for _, decl := range declarations(of) {
			if err := show(&out, t.fset, decl); err != nil {
				return nil, err
			}
		}
		out.WriteString("\n")
	}
	return out.Bytes(), nil
}

// public reports whether other modules can import the package in dir. Programs and examples are not meant for it.
func public(dir string) bool {
	first, _, _ := strings.Cut(dir, "/")
	return !strings.Contains("/"+dir+"/", "/internal/") && first != "example" && first != "cmd"
}

// declarations lists what p declares, and after each type what belongs to it.
func declarations(p *doc.Package) (all []ast.Decl) {
	values := func(of ...[]*doc.Value) {
		for _, v := range slices.Concat(of...) {
			all = append(all, v.Decl)
		}
	}
	functions := func(of ...[]*doc.Func) {
		for _, f := range slices.Concat(of...) {
			all = append(all, f.Decl)
		}
	}
	values(p.Consts, p.Vars)
	functions(p.Funcs)
	for _, t := range p.Types {
		all = append(all, t.Decl)
		values(t.Consts, t.Vars)
		functions(t.Funcs, t.Methods)
	}
	return all
}

// show writes a declaration without comments and empty lines.
func show(out *bytes.Buffer, fset *token.FileSet, decl ast.Decl) error {
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			n.Doc = nil
		case *ast.FuncDecl:
			n.Doc = nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		}
		return true
	})
	var text bytes.Buffer
	if err := printer.Fprint(&text, fset, decl); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if strings.TrimSpace(line) != "" {
			out.WriteString(strings.TrimRight(line, "\n") + "\n")
		}
	}
	return nil
}
