package dialect_test

import (
	"fmt"

	"github.com/sightline-analytics/sightline/store/dialect"
)

// One operation, written by two databases.
func ExampleDialect_Call() {
	for _, d := range []*dialect.Dialect{dialect.DuckDB(), dialect.ClickHouse()} {
		fmt.Println(d.Call(dialect.CountIf, d.Ident("pageviews")+" > "+d.Arg("least", dialect.Int)))
	}
	// Output:
	// count(*) FILTER (WHERE "pageviews" > $least::BIGINT)
	// toInt64(countIf(`pageviews` > {least:Int64}))
}

// A database that speaks nearly the SQL of another has a dialect that differs in some
// templates. Check names what it lacks.
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
