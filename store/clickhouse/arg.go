package clickhouse

import (
	"cmp"
	"slices"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"
	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/internal/bind"
)

// An argument is a value for the placeholder {name:kind} of a statement.
type argument struct {
	name  string
	kind  string // the ClickHouse type
	value any
}

func (a argument) placeholder() string { return "{" + a.name + ":" + a.kind + "}" }

// A boundStatement is a statement with its arguments, ready to send.
type boundStatement struct {
	sql   string
	args  []any      // the driver's parameters
	table *ext.Table // arguments that do not fit in parameters, or nil
}

// inAddress limits the bytes of arguments that are sent as parameters. Over HTTP, parameters are part of the
// URL. Servers accept 1 MiB of them in total and 128 KiB each, and proxies often only 16 KiB. Further
// arguments are sent as a table with one row, over both protocols.
const inAddress = 8 << 10

// argumentTable is the name of the table with one row.
const argumentTable = "_arguments"

// bindStatement returns sql with its arguments. It drops arguments that sql does not use.
func bindStatement(sql string, args []argument) (boundStatement, error) {
	args = slices.DeleteFunc(slices.Clone(args),
		func(a argument) bool { return !strings.Contains(sql, a.placeholder()) })
	sizes := make(map[string]int, len(args))
	rest := 0
	for _, a := range args {
		sizes[a.name] = addressBytes(a.value)
		rest += sizes[a.name]
	}
	slices.SortStableFunc(args, func(a, b argument) int { return cmp.Compare(sizes[b.name], sizes[a.name]) })
	moved := 0
	for ; rest > inAddress; moved++ {
		rest -= sizes[args[moved].name]
	}
	q := boundStatement{sql: sql}
	for _, a := range args[moved:] {
		q.args = append(q.args, driver.Named(a.name, a.value))
	}
	return q, q.move(args[:moved])
}

// move puts args into the table of q and changes q.sql to read them from it.
func (q *boundStatement) move(args []argument) error {
	if len(args) == 0 {
		return nil
	}
	columns := make([]func(*ext.Table) error, len(args))
	values := make([]any, len(args))
	for i, a := range args {
		columns[i] = ext.Column(a.name, chcolumn.Type(a.kind))
		values[i] = a.value
		read := "(SELECT " + argumentTable + "." + a.name + " FROM " + argumentTable + ")"
		if !strings.HasPrefix(a.kind, "Array(") { // a list is never null
			read = "assumeNotNull(" + read + ")"
		}
		q.sql = strings.ReplaceAll(q.sql, a.placeholder(), read)
	}
	table, err := ext.NewTable(argumentTable, columns...)
	if err != nil {
		return err
	}
	q.table = table
	return table.Append(values...)
}

// addressBytes returns the approximate length that value takes in a URL.
func addressBytes(value any) int {
	switch v := value.(type) {
	case string:
		return escapedBytes(v)
	case []string:
		n := 6
		for _, text := range v {
			n += listedBytes(text)
		}
		return n
	case []int64:
		return 6 + 24*len(v)
	case []uint64:
		return 6 + 24*len(v)
	default:
		return 24
	}
}

// listedBytes returns the maximum length that text takes in a URL as an element of a list, including quotes and
// comma.
func listedBytes(text string) int { return len("%27%27%2C") + escapedBytes(text) }

func escapedBytes(text string) int {
	n := 0
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
			n++
		case c < ' ', c == '\'', c == '\\', c == '`':
			n += 12 // escaped twice
		default:
			n += 3
		}
	}
	return n
}

// bindArguments converts a statement's arguments to ClickHouse. Its error lists all arguments that cannot be converted.
func bindArguments(lang *dialect.Dialect, args []dialect.Arg) ([]argument, error) {
	if err := bind.Check(args); err != nil {
		return nil, err
	}
	bound := make([]argument, len(args))
	for i, a := range args {
		value := a.Value
		switch v := value.(type) {
		case store.Subject:
			value = subjectText(v)
		case []int64:
			value = append([]int64{}, v...) // the driver has no text for nil
		case []string:
			value = append([]string{}, v...)
		}
		// Only the dialect knows the types.
		_, kind, _ := strings.Cut(strings.Trim(lang.Arg(a.Name, a.Kind), "{}"), ":")
		bound[i] = argument{a.Name, kind, value}
	}
	return bound, nil
}
