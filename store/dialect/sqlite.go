package dialect

import "strings"

// SQLite is the SQL of SQLite 3.44. It needs the functions that package store/sqlite registers; their names
// begin with sightline_. An argument that is a list is bound as the text of a JSON array.
func SQLite() *Dialect {
	d := &Dialect{
		Name:  "sqlite",
		Ident: func(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` },
		Arg:   func(name string, _ Kind) string { return ":" + name },
	}
	for op := range numOps {
		d.Templates[op] = table[op].sqlite
	}
	return d
}
