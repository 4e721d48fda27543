package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// all implements every optional interface.
type all struct {
	store.Store
	store.Writer
	store.Resealer
	store.StateKeeper
	store.Bounded
	store.Loaded
	store.Eraser
	store.Expirer
	store.PersonEraser
	store.Remover
	store.VisitorHasher
	store.Purger
	store.Maintainer
	store.SpaceChecker
	store.Lister
	store.Restorer
}

// TestAbilities tests that Abilities and the package comment name every interface of a store, and that a wrapper
// that forwards none shows it.
func TestAbilities(t *testing.T) {
	declared, doc := interfacesOf(t)
	// Interfaces of a store take a context or no argument and are not about records of a host.
	others := []string{"Store", "Directory", "SubjectLister", "ProfileStore", "DefinitionStore", "WebsiteManager",
		"Imports", "Erasures", "NoticeStore"}
	want := slices.DeleteFunc(declared, func(name string) bool { return slices.Contains(others, name) })
	has, lacks := store.Abilities(all{})
	if slices.Sort(has); !slices.Equal(has, want) || len(lacks) > 0 {
		t.Errorf("a store with all abilities has %v and lacks %v, want %v", has, lacks, want)
	}
	for _, name := range want {
		if !strings.Contains(doc, "\t"+name+" ") {
			t.Errorf("the package comment does not list %s", name)
		}
	}
	has, lacks = store.Abilities(struct{ store.Store }{all{}})
	if slices.Sort(lacks); len(has) > 0 || !slices.Equal(lacks, want) {
		t.Errorf("a wrapper without methods has %v and lacks %v", has, lacks)
	}
}

// interfacesOf returns the names of the interfaces that package store declares, sorted, and the package comment.
func interfacesOf(t *testing.T) (names []string, doc string) {
	t.Helper()
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		doc += file.Doc.Text()
		for _, d := range file.Decls {
			types, ok := d.(*ast.GenDecl)
			if !ok || types.Tok != token.TYPE {
				continue
			}
			for _, s := range types.Specs {
				if one, ok := s.(*ast.TypeSpec); ok {
					if _, ok := one.Type.(*ast.InterfaceType); ok {
						names = append(names, one.Name.Name)
					}
				}
			}
		}
	}
	slices.Sort(names)
	return names, doc
}
