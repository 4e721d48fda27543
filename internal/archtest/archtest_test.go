package archtest

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

const root = "../.."

func TestImportsFollowTheTable(t *testing.T) {
	testenv.WithoutRace(t)
	tr, floors := read(t, os.DirFS(root))
	report(t, checkFloors(tr, floors))
}

func TestSourcesFollowTheRules(t *testing.T) {
	testenv.WithoutRace(t)
	tr, _ := read(t, os.DirFS(root))
	for _, check := range sourceRules {
		report(t, check(tr))
	}
}

func TestLinkedPackages(t *testing.T) {
	testenv.WithoutRace(t)
	tr, floors := read(t, os.DirFS(root))
	all, err := list(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"httpapi", "track", "sightline"} {
		report(t, checkHandlerClosure(all, tr.texts[linking], name))
	}
	report(t, checkCgo(all, floors))
}

func TestArchitectureIsShort(t *testing.T) {
	text, err := fs.ReadFile(os.DirFS(root), "ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 260 {
		t.Errorf("ARCHITECTURE.md has %d lines, more than 260", n)
	}
}

func read(t *testing.T, fsys fs.FS) (*tree, table) {
	t.Helper()
	tr, err := load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	floors, err := parseTable(tr.texts["ARCHITECTURE.md"])
	if err != nil {
		t.Fatalf("ARCHITECTURE.md: %v", err)
	}
	return tr, floors
}

func report(t *testing.T, found []finding) {
	t.Helper()
	for _, f := range found {
		t.Error(f)
	}
}
