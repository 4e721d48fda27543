package docgen

import (
	"fmt"
	"io"
	"slices"

	"github.com/sightline-analytics/sightline/query"
)

// writeTables writes what query types of a host can name: the dimensions and names that several tables share, and the
// tables.
func writeTables(page io.Writer, tables []query.TableInfo) {
	// writing to a buffer cannot fail
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(page, format, args...) }
	say("\n## Tables\n\nQuery types of your program choose from these tables: see [embedding.md](embedding.md#your-own-query-types). " +
		"`query.Vocabulary` returns the same list.\n\n- **Dimensions** group the rows of a breakdown, and are columns of it.\n" +
		"- **Metrics** are computed from the rows of one table.\n- **Derived columns** are made of dimensions or metrics that the type has.\n" +
		"- **Columns of single rows** belong to types of the shape list, which show dimensions, too.\n" +
		"- **Further columns** are for metrics and dimensions of your own.\n")
	var shared []query.OutputField
	for _, info := range tables {
		for _, f := range slices.Concat(info.Dimensions, info.Derived) {
			f.Role = ""
			if !slices.Contains(shared, f) {
				shared = append(shared, f)
			}
		}
	}
	writeFields(page, "dimension or derived column", shared)
	for _, info := range tables {
		say("\n### %s\n\n%s, of a %s.\n", info.Name, info.Description, info.Subject)
		if len(info.Metrics) > 0 {
			writeFields(page, "metric", info.Metrics)
		}
		if len(info.Items) > 0 {
			writeFields(page, "column of single rows", info.Items)
		}
		say("\n- Dimensions: %s.\n- Derived columns: %s.\n- Filters: %s.\n", codes(names(info.Dimensions)),
			codes(names(info.Derived)), codes(info.Filters))
		if len(info.Texts)+len(info.Numbers) > 0 {
			say("- Further columns: texts %s, numbers %s.\n", codes(info.Texts), codes(info.Numbers))
		}
	}
}

// writeFields writes a table of columns.
func writeFields(page io.Writer, what string, columns []query.OutputField) {
	_, _ = fmt.Fprintf(page, "\n| %s | type | unit | meaning |\n|---|---|---|---|\n", what)
	for _, c := range columns {
		_, _ = fmt.Fprintf(page, "| `%s` | %s | %s | %s |\n", c.Name, c.Type, c.Unit, meaning(c))
	}
}

func names(columns []query.OutputField) []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.Name
	}
	return all
}
