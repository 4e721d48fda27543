package docgen

import (
	"fmt"
	"io"
	"strings"

	"github.com/sightline-analytics/sightline/query"
)

// writeTables writes what query types of a host can name of each table.
func writeTables(page io.Writer, tables []query.TableInfo) {
	_, _ = fmt.Fprint(page, "\n## Tables\n\nQuery types of your program choose from these tables: see "+
		"[embedding.md](embedding.md#your-own-query-types). `query.Vocabulary` returns the same list. A type with Shape List shows "+
		"dimensions and columns of single rows; all other types show metrics by dimensions. Columns of names are made of a dimension or "+
		"metric, which the type must have.\n")
	for _, info := range tables {
		_, _ = fmt.Fprintf(page, "\n### %s\n\n%s, of a %s.\n\n| name | is a | format | unit | meaning |\n|---|---|---|---|---|\n", info.Name, info.Description, info.Subject)
		for _, group := range []struct {
			kind    string
			columns []query.OutputField
		}{{"dimension", info.Dimensions}, {"metric", info.Metrics}, {"name", info.Derived}, {"column of single rows", info.Items}} {
			for _, c := range group.columns {
				_, _ = fmt.Fprintf(page, "| `%s` | %s | %s | %s | %s |\n", c.Name, group.kind, c.Type, c.Unit, meaning(c))
			}
		}
		_, _ = fmt.Fprintf(page, "\n- Filters: %s.\n", codes(info.Filters))
		if len(info.Texts)+len(info.Numbers) > 0 {
			_, _ = fmt.Fprintf(page, "- Further columns: %s.\n", strings.Join([]string{"of texts " + codes(info.Texts), "of numbers " + codes(info.Numbers)}, ", "))
		}
	}
}
