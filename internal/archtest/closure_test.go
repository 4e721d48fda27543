package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	CgoFiles   []string
	Deps       []string // all direct and indirect dependencies
}

// handlersMayLink has the modules that the handlers and the whole service may link, with their dependencies, beside the standard
// library and this module. There is no driver of a database among them, and no client of Redis.
var handlersMayLink = map[string][]string{
	"httpapi": {"github.com/hashicorp/golang-lru/v2", "github.com/huandu/go-sqlbuilder", "github.com/klauspost/compress", "golang.org/x/net"},
	".":       {"github.com/hashicorp/golang-lru/v2", "github.com/huandu/go-sqlbuilder", "github.com/klauspost/compress", "github.com/mileusna/useragent", "golang.org/x/net", "golang.org/x/sync", "golang.org/x/time"},
	"track":   {"github.com/hashicorp/golang-lru/v2", "github.com/klauspost/compress", "github.com/mileusna/useragent", "golang.org/x/net"},
}

// list runs go list for the packages of the module in dir, their tests and dependencies. It always uses cgo, because that build has
// more packages.
func list(dir string) ([]listed, error) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Standard,CgoFiles,Deps", "./...")
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

// checkHandlerClosure finds third-party packages that a handler must not link.
func checkHandlerClosure(all []listed, name string) (out []finding) {
	byPath, allowed := map[string]listed{}, map[string]bool{}
	for _, p := range all {
		byPath[p.ImportPath] = p
		if slices.ContainsFunc(handlersMayLink[name], func(m string) bool { return p.ImportPath == m || strings.HasPrefix(p.ImportPath, m+"/") }) {
			allowed[p.ImportPath] = true
			for _, d := range p.Deps {
				allowed[d] = true
			}
		}
	}
	handler, ok := byPath[path.Join(module, name)]
	if !ok {
		return []finding{{"closure", name, "is not listed"}}
	}
	for _, d := range handler.Deps {
		if thirdParty(d) && !byPath[d].Standard && !allowed[d] {
			out = append(out, finding{"closure", name, "links " + d})
		}
	}
	return out
}

// checkCgo finds packages without the mark cgo that need cgo, also in their tests. The standard library works without cgo, so its use
// of cgo does not count.
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
