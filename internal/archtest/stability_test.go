package archtest

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// promises is the document that says how stable each package is.
const promises = "docs/stability.md"

// checkStability finds packages that other modules can import and that the document does not name: programs, examples
// and internal packages need no promise. Test support counts, since authors of stores run it.
func checkStability(t *tree) (out []finding) {
	text, ok := t.texts[promises]
	if !ok {
		return nil
	}
	for _, dir := range slices.Sorted(maps.Keys(t.packages())) {
		name := dir
		if dir == "." {
			name = path.Base(module)
		}
		if public(dir) && !strings.Contains(text, "`"+name+"`") {
			out = append(out, finding{"stability", promises, "does not name " + name})
		}
	}
	return out
}
