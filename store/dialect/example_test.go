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

// A new dialect has three functions and a template for each Op. This one, of PostgreSQL, is not complete yet. A driver
// with named arguments takes the placeholders as they are; for another one, the store replaces @NAME when it runs a
// statement.
func ExampleDialect() {
	types := map[dialect.Kind]string{
		dialect.Int: "bigint", dialect.Float: "float8", dialect.Text: "text",
		dialect.Ints: "bigint[]", dialect.Texts: "text[]", dialect.Subject: "text",
	}
	d := &dialect.Dialect{
		Name:  "postgres",
		Ident: func(name string) string { return `"` + name + `"` },
		Arg:   func(name string, k dialect.Kind) string { return "@" + name + "::" + types[k] },
	}
	for op, template := range map[dialect.Op]string{
		dialect.CountIf:     `count(*) FILTER (WHERE $1)`,
		dialect.If:          `CASE WHEN $1 THEN $2 ELSE $3 END`,
		dialect.ArgMinRowIf: `(array_agg(jsonb_build_array($1) ORDER BY $2) FILTER (WHERE $3))[1]`,
		dialect.InList:      `($1 = ANY($2))`,
		dialect.Unnest:      `(SELECT unnest($1) AS value)`,
		dialect.JSONEach:    `CROSS JOIN LATERAL json_members($1)`, // a function that the store creates
		dialect.Among:       `(($1) IN (SELECT $2 FROM $3))`,
		dialect.RunOnce:     `AS MATERIALIZED ($1)`,
	} {
		d.Templates[op] = template
	}
	path := "t." + d.Ident("path")
	fmt.Println(d.Call(dialect.CountIf, d.Call(dialect.InList, path, d.Arg("p1", dialect.Texts))))
	fmt.Println("FROM events AS t " + d.Call(dialect.JSONEach, "t."+d.Ident("properties")) + " AS j")
	fmt.Println(d.Call(dialect.Among, path+", t.kind", "chosen.path, chosen.kind", "chosen"))
	fmt.Println("WITH chosen " + d.Call(dialect.RunOnce, "SELECT …"))
	// Output:
	// count(*) FILTER (WHERE (t."path" = ANY(@p1::text[])))
	// FROM events AS t CROSS JOIN LATERAL json_members(t."properties") AS j
	// ((t."path", t.kind) IN (SELECT chosen.path, chosen.kind FROM chosen))
	// WITH chosen AS MATERIALIZED (SELECT …)
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
