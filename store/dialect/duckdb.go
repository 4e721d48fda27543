package dialect

import "strings"

// DuckDB is the SQL of DuckDB 1.5.
func DuckDB() *Dialect {
	d := &Dialect{
		Name:  "duckdb",
		Ident: func(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` },
		// Without a cast to the column's exact type, DuckDB casts the column instead, and can no longer skip
		// parts of a table without matching rows.
		Arg: func(name string, k Kind) string { return "$" + name + "::" + duckdbTypes[k] },
	}
	for op := range numOps {
		d.Templates[op] = table[op].duckdb
	}
	return d
}

var duckdbTypes = map[Kind]string{
	Int:     "BIGINT",
	Float:   "DOUBLE",
	Text:    "VARCHAR",
	Ints:    "BIGINT[]",
	Texts:   "VARCHAR[]",
	Subject: "INTEGER",
}
