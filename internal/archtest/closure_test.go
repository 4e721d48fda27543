package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// A listed has the output of go list for one package.
type listed struct {
	ImportPath string
	Standard   bool
	Module     *struct{ Path string } // nil for the standard library
	CgoFiles   []string
	Deps       []string // all direct and indirect dependencies
}

// linking is the document that lists the modules that each handler links.
const linking = "docs/embedding.md"

// documentedModules returns the modules that the document text lists for a handler, in a row "| `name` | module, module
// |".
func documentedModules(text, name string) []string {
	for line := range strings.Lines(text) {
		if modules, ok := strings.CutPrefix(strings.TrimSpace(line), "| `"+name+"` | "); ok {
			return strings.Split(strings.TrimSuffix(modules, " |"), ", ")
		}
	}
	return nil
}

// list runs go list for the packages of the module in dir, their tests and dependencies. It always uses cgo, because
// that build has more packages.
func list(dir string) ([]listed, error) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Standard,Module,CgoFiles,Deps", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.Bytes())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// checkHandlerClosure compares the modules that a handler or the root package links, beside this one, with the modules
// that the document text lists.
func checkHandlerClosure(all []listed, text, name string) (out []finding) {
	byPath := map[string]listed{}
	for _, p := range all {
		byPath[p.ImportPath] = p
	}
	imported := module + "/" + name
	if name == path.Base(module) {
		imported = module
	}
	handler, ok := byPath[imported]
	if !ok {
		return []finding{{"closure", name, "is not listed"}}
	}
	linked := map[string]bool{}
	for _, d := range handler.Deps {
		if m := byPath[d].Module; m != nil && m.Path != module {
			linked[m.Path] = true
		}
	}
	documented := documentedModules(text, name)
	for _, m := range slices.Sorted(maps.Keys(linked)) {
		if !slices.Contains(documented, m) {
			out = append(out, finding{"closure", linking, name + " links " + m + ", which is not listed"})
		}
	}
	for _, m := range documented {
		if !linked[m] {
			out = append(out, finding{"closure", linking, name + " does not link " + m})
		}
	}
	return out
}

// checkCgo finds packages without the mark cgo that need cgo, also in their tests. The standard library works without
// cgo, so its use of cgo does not count.
func checkCgo(all []listed, floors table) (out []finding) {
	cgo := map[string]bool{}
	for _, p := range all {
		cgo[p.ImportPath] = !p.Standard && len(p.CgoFiles) > 0
	}
	for _, p := range all {
		name, ours := local(tested(p.ImportPath))
		if !ours || floors[name].cgo {
			continue
		}
		for _, d := range append([]string{p.ImportPath}, p.Deps...) {
			if cgo[d] {
				out = append(out, finding{"cgo", p.ImportPath, "needs cgo because of " + d})
				break
			}
		}
	}
	return out
}

// tested returns the package whose build or tests need importPath:
// "p.test", and any "q [p.test]", is built for the tests of p.
func tested(importPath string) string {
	if _, program, variant := strings.Cut(importPath, " ["); variant {
		importPath = strings.TrimSuffix(program, "]")
	}
	return strings.TrimSuffix(importPath, ".test")
}
