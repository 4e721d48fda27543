package archtest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/sightline-analytics/sightline"

// A tree has the whole module as text and as syntax. It includes Go files with any build constraints, as go mod tidy
// does.
type tree struct {
	fset  *token.FileSet
	files []*file
	texts map[string]string // every text file, Go or not, by path
}

// A file is one Go file outside testdata.
type file struct {
	path   string
	dir    string // "." for the module's root
	test   bool
	syntax *ast.File
}

// A finding is a violation of a rule.
type finding struct {
	rule string
	at   string // path, or path:line
	text string
}

func (f finding) String() string { return fmt.Sprintf("%s: %s (%s)", f.at, f.text, f.rule) }

func (t *tree) find(rule string, pos token.Pos, format string, args ...any) finding {
	p := t.fset.Position(pos)
	return finding{rule, fmt.Sprintf("%s:%d", p.Filename, p.Line), fmt.Sprintf(format, args...)}
}

// load reads the module in fsys.
func load(fsys fs.FS) (*tree, error) {
	t := &tree{fset: token.NewFileSet(), texts: map[string]string{}}
	var errs []error
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped(fsys, name) {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() {
			errs = append(errs, t.read(fsys, name))
		}
		return nil
	})
	return t, errors.Join(append(errs, err)...)
}

// skipped reports whether a folder does not belong to the module: hidden folders except CI, files of npm and of the
// example, and other modules.
func skipped(fsys fs.FS, name string) bool {
	base := path.Base(name)
	switch {
	case name == ".":
		return false
	case strings.HasPrefix(base, "."):
		return name != ".ci" && name != ".github"
	case base == "node_modules" || name == "sightline-data":
		return true
	}
	_, err := fs.Stat(fsys, path.Join(name, "go.mod"))
	return err == nil
}

func (t *tree) read(fsys fs.FS, name string) error {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	text := string(b)
	if strings.ContainsRune(text, 0) && !strings.HasSuffix(name, ".go") {
		return nil // not a text
	}
	t.texts[name] = text
	if !strings.HasSuffix(name, ".go") || slices.Contains(strings.Split(name, "/"), "testdata") {
		return nil
	}
	syntax, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	t.files = append(t.files, &file{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), syntax})
	return nil
}

// imports lists what f imports, with the position of each.
func (f *file) imports() map[string]token.Pos {
	m := map[string]token.Pos{}
	for _, s := range f.syntax.Imports {
		if p, err := strconv.Unquote(s.Path.Value); err == nil {
			m[p] = s.Pos()
		}
	}
	return m
}

// leftOutWithoutCgo reports whether the build constraint of f requires cgo, with all other tags set or with none.
func (f *file) leftOutWithoutCgo() bool {
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			if x, err := constraint.Parse(c.Text); err == nil && c.Pos() < f.syntax.Package {
				with := func(others, cgo bool) bool {
					return x.Eval(func(tag string) bool { return tag == "cgo" && cgo || tag != "cgo" && others })
				}
				return with(true, true) && !with(true, false) || with(false, true) && !with(false, false)
			}
		}
	}
	return false
}

// local returns the path inside the module of an import of the module.
func local(imported string) (string, bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// thirdParty reports whether an import path belongs neither to this module nor to the standard library.
func thirdParty(imported string) bool {
	_, ours := local(imported)
	first, _, _ := strings.Cut(imported, "/")
	return !ours && strings.Contains(first, ".")
}

// packages groups the files that are linked into programs by folder.
func (t *tree) packages() map[string][]*file {
	m := map[string][]*file{}
	for _, f := range t.files {
		if !f.test {
			m[f.dir] = append(m[f.dir], f)
		}
	}
	return m
}

// resolve finds the identifiers of one package that name packages or package variables. It does not read the imports.
func (t *tree) resolve(dir string, files []*file) map[*ast.Ident]types.Object {
	uses := map[*ast.Ident]types.Object{}
	syntax := make([]*ast.File, len(files))
	for i, f := range files {
		syntax[i] = f.syntax
	}
	cfg := types.Config{
		Importer:    noImports{},
		FakeImportC: true,
		Error:       func(error) {}, // imports are missing, so there are many
	}
	_, _ = cfg.Check(dir, t.fset, syntax, &types.Info{Uses: uses})
	return uses
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not loaded") }
