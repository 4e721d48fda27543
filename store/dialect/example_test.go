package dialect_test

import (
	"fmt"

	"github.com/sightline-analytics/sightline/store/dialect"
)

// Two databases write the same operation.
func ExampleDialect_Call() {
	for _, d := range []*dialect.Dialect{dialect.DuckDB(), dialect.ClickHouse()} {
		fmt.Println(d.Call(dialect.CountIf, d.Ident("pageviews")+" > "+d.Arg("least", dialect.Int)))
	}
	// Output:
	// count(*) FILTER (WHERE "pageviews" > $least::BIGINT)
	// toInt64(countIf(`pageviews` > {least:Int64}))
}

// The dialect of a database with nearly the same SQL as another can replace single templates. Check lists
// missing ones.
func ExampleDialect_Check() {
	d := dialect.DuckDB()
	d.Name = "quack"
	d.Templates[dialect.Lower] = "casefold($1)"
	d.Templates[dialect.RunningMax] = ""
	fmt.Println(d.Call(dialect.Lower, "'A'"))
	fmt.Println(d.Check())
	// Output:
	// casefold('A')
	// dialect quack: RunningMax has no template
}
