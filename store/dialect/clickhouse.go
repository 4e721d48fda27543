package dialect

import "strings"

// ClickHouse is the SQL of ClickHouse 26.7. It needs the settings join_use_nulls = 1 and
// output_format_json_escape_forward_slashes = 0.
func ClickHouse() *Dialect {
	d := &Dialect{
		Name:  "clickhouse",
		Ident: func(name string) string { return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`" },
		Arg:   func(name string, k Kind) string { return "{" + name + ":" + clickhouseTypes[k] + "}" },
	}
	for op := range numOps {
		d.Templates[op] = table[op].clickhouse
	}
	return d
}

var clickhouseTypes = map[Kind]string{
	Int:     "Int64",
	Float:   "Float64",
	Text:    "String",
	Ints:    "Array(Int64)",
	Texts:   "Array(String)",
	Subject: "String",
}
