package archtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A row has the allowed imports of one package.
type row struct {
	test bool     // test support: may import testing; only test support and tests import it
	cgo  bool     // may need cgo and the DuckDB driver, in its tests too
	may  []string // packages by their path in the module; other modules by name
}

// table is the import table of ARCHITECTURE.md by package.
type table map[string]row

const fence = "```"

// parseTable reads the block that begins with ```imports. A line has a package, its marks (test, cgo) and, after >, its
// allowed imports. A line that begins with > continues the line before.
func parseTable(markdown string) (table, error) {
	_, block, ok := strings.Cut(markdown, fence+"imports\n")
	if !ok {
		return nil, fmt.Errorf("no block that begins with %simports", fence)
	}
	block, _, _ = strings.Cut(block, "\n"+fence)
	t, name := table{}, ""
	for line := range strings.Lines(block) {
		line, _, _ = strings.Cut(line, "#")
		left, right, _ := strings.Cut(line, ">")
		if words := strings.Fields(left); len(words) > 0 {
			name = words[0]
			if _, twice := t[name]; twice {
				return nil, fmt.Errorf("%s occurs twice", name)
			}
			r := row{}
			for _, mark := range words[1:] {
				switch mark {
				case "test":
					r.test = true
				case "cgo":
					r.cgo = true
				default:
					return nil, fmt.Errorf("%s: unknown mark %q", name, mark)
				}
			}
			t[name] = r
		}
		if words := strings.Fields(right); len(words) > 0 {
			r, known := t[name]
			if !known {
				return nil, fmt.Errorf("imports before the first package: %q", line)
			}
			r.may = append(r.may, words...)
			t[name] = r
		}
	}
	return t, nil
}

// allows returns the word of r that lets it import a package.
func (r row) allows(imported string) (word string, ok bool) {
	own, ours := local(imported)
	i := slices.IndexFunc(r.may, func(m string) bool {
		if ours {
			return m == own
		}
		return imported == m || strings.HasPrefix(imported, m+"/")
	})
	if i < 0 {
		return "", false
	}
	return r.may[i], true
}

// checkFloors compares the imports of the tree with the table.
func checkFloors(t *tree, floors table) []finding {
	out := checkTable(t, floors)
	used := map[[2]string]bool{} // by package and allowed import
	for _, f := range t.files {
		r, known := floors[f.dir]
		if !known {
			continue // checkTable reports it
		}
		if !r.cgo && f.leftOutWithoutCgo() {
			out = append(out, t.find("imports", f.syntax.Package, "%s is left out of the build without cgo", f.dir))
		}
		imports := f.imports()
		for _, imported := range slices.Sorted(maps.Keys(imports)) {
			if m, ok := r.allows(imported); ok && !f.test {
				used[[2]string{f.dir, m}] = true
			}
			for _, text := range breaches(f, r, floors, imported) {
				out = append(out, t.find("imports", imports[imported], "%s %s", f.dir, text))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.packages())) {
		for _, m := range floors[name].may {
			if !used[[2]string{name, m}] {
				out = append(out, finding{"table", name, "is allowed " + m + " and does not import it"})
			}
		}
	}
	return out
}

func breaches(f *file, r row, floors table, imported string) (out []string) {
	own, ours := local(imported)
	if !r.cgo && (imported == "C" || strings.HasPrefix(imported, "github.com/duckdb/") || ours && floors[own].cgo) {
		out = append(out, "imports "+imported+", which needs cgo")
	}
	if f.test {
		return out
	}
	if imported == "testing" && !r.test {
		out = append(out, "imports testing outside tests")
	}
	if _, ok := r.allows(imported); !ok && (ours || thirdParty(imported)) {
		out = append(out, "may not import "+imported)
	}
	return out
}

// checkTable finds differences between the packages of the table and the tree, and rows that break a rule.
func checkTable(t *tree, floors table) (out []finding) {
	const rule = "table"
	dirs := map[string]bool{}
	for _, f := range t.files {
		dirs[f.dir] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if _, ok := floors[dir]; !ok {
			out = append(out, finding{rule, dir, "is missing in the table of ARCHITECTURE.md"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(floors)) {
		if !dirs[name] {
			out = append(out, finding{rule, name, "stands in the table of ARCHITECTURE.md and does not exist"})
		}
		for _, m := range floors[name].may {
			if floors[m].test && !floors[name].test {
				out = append(out, finding{rule, name, "may not be allowed " + m + ", which is test support"})
			}
		}
	}
	return out
}
