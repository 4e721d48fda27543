package expr_test

import (
	"fmt"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A metric is written once, and each database gets it in its own SQL. Values are bound.
func Example() {
	visitor, path := expr.Col("t", "visitor"), expr.Col("t", "path")
	visitors := expr.Call(dialect.CountDistinct, visitor)
	inDocs := expr.Call(dialect.StartsWith, path, expr.Arg(dialect.Text, "/docs"))
	fmt.Println(visitors, "where", inDocs)
	for _, d := range []*dialect.Dialect{dialect.DuckDB(), dialect.ClickHouse()} {
		w := expr.Writer{Dialect: d}
		fmt.Println(w.Write(visitors), "WHERE", w.Write(inDocs), w.Args[0].Name, "=", w.Args[0].Value)
	}
	// Output:
	// CountDistinct(t.visitor) where StartsWith(t.path, arg "/docs")
	// count(DISTINCT nullif(t."visitor", '')) WHERE starts_with(t."path", $p1::VARCHAR) p1 = /docs
	// toInt64(uniqExactIf(t.`visitor`, t.`visitor` <> '')) WHERE startsWith(t.`path`, {p1:String}) p1 = /docs
}
