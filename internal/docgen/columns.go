package docgen

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query"
)

// marker stands before the generated part of the page of definitions.
const marker = "<!-- columns -->"

// Definitions returns the page of definitions with new lists of columns and tables. It copies the hand-written part of
// the page up to the marker, and adds every column of every type, and every table. It fails if the page has no marker.
func Definitions(written []byte, types []query.Info, tables []query.TableInfo) ([]byte, error) {
	head, _, ok := bytes.Cut(written, []byte(marker))
	if !ok {
		return nil, fmt.Errorf("docgen: the page has no %s", marker)
	}
	var page bytes.Buffer
	page.Write(head)
	page.WriteString(marker + "\n\n" + generatedNote +
		"| column | type | unit | meaning | in |\n|---|---|---|---|---|\n")
	for _, c := range columnsOf(types) {
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s | %s |\n", c.Name, c.Type, c.Unit, meaning(c.OutputField),
			strings.Join(c.in, ", "))
	}
	writeTables(&page, tables)
	return page.Bytes(), nil
}

// A shared column occurs in one or more types.
type shared struct {
	query.OutputField
	in []string
}

// columnsOf returns the distinct columns of types, ordered by name.
func columnsOf(types []query.Info) []shared {
	var all []shared
	for _, info := range types {
		for _, f := range info.Output {
			f.Role, f.Primary, f.AliasOf = "", false, "" // these differ between types
			i := slices.IndexFunc(all, func(c shared) bool { return c.OutputField == f })
			if i < 0 {
				i = len(all)
				all = append(all, shared{OutputField: f})
			}
			all[i].in = append(all[i].in, info.Name)
		}
	}
	slices.SortStableFunc(all, func(a, b shared) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
