// Package dialect writes the SQL of the supported databases:
//
//	d := dialect.DuckDB()
//	column := d.Ident("pageviews")                          // "pageviews"
//	least := d.Arg("least", dialect.Int)                    // $least::BIGINT
//	sql := d.Call(dialect.CountIf, column+" > "+least)      // count(*) FILTER (WHERE "pageviews" > $least::BIGINT)
//	args := []dialect.Arg{{Name: "least", Kind: dialect.Int, Value: int64(10)}}
//
// All differences between databases are in this package. A [Dialect] defines how one database writes names,
// arguments and each operation ([Op]) that statements use. The package only writes SQL text: it uses no driver
// and no connection.
//
// # SQL outside of templates
//
// Beside the templates, statements use only this SQL, which every database of a dialect must understand:
//
//   - SELECT expression AS name, FROM relation AS alias, [INNER] JOIN and LEFT JOIN … ON, WHERE, GROUP BY and
//     ORDER BY, LIMIT n and OFFSET n. FROM is missing in statements of tests only.
//   - WITH name AS (query), …, where a query may read the names before it, also several times.
//   - UNION ALL between queries without parentheses, ORDER BY and LIMIT. The columns of all members have the same
//     names and types; a null is written by [NullInt], [NullFloat] or [NullText].
//   - GROUP BY 1, 2, …: the places of columns. ORDER BY of the name of an output column, or of an expression of columns
//     of FROM, each with ASC or DESC and NULLS LAST.
//   - Names of relations and aliases in lower case, without quotes. Columns as alias.name, where the name is written by
//     Ident. Whole numbers, texts in single quotes with doubled quotes inside, NULL in a branch of
//     [If] and after IS NOT.
//   - The operators = <> < <= > >= + - * AND OR NOT and IS NOT NULL, each with parentheses around it. Texts are
//     compared byte by byte. A comparison with null is neither true nor false.
//   - Conditions as operands: $1 of [If] and of the operations with "where". Conditions are also columns, which are used as
//     conditions again: in parts of a statement, and hidden of the table sealed_hits (see schema.Condition).
//
// # JSON
//
// Equal values must be equal texts, so all operations that return JSON spell it in one way. They write no blanks
// between tokens. Numbers do not change. Strings only have the escapes that JSON requires:
// \" \\ \b \f \n \r \t, and \u001F with upper-case digits for other control characters. So \/ and \u2028 of the
// original become the characters themselves. Members keep their order, also members with equal names. A text that is
// no JSON object, such as the empty one, has no members.
package dialect

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is the type of an argument of a statement, or of a column of its answer.
type Kind uint8

// Columns of an answer are Int, Float or Text. Arguments may be of any kind.
//
// For a Subject (a website, link or monitor), a store binds the value that it has in the column subject. For a
// subject that it does not know, it binds a value that no row has. A link has another value than the website with the
// same id, in all tables.
const (
	Int     Kind = iota + 1 // int64
	Float                   // float64
	Text                    // string, valid UTF-8 without NUL
	Ints                    // []int64, arguments only; nil is an empty list
	Texts                   // []string, arguments only; nil is an empty list
	Subject                 // store.Subject, arguments only
)

// An Arg is one value, bound to a statement by name. It never becomes part of the SQL text. The text may have its
// placeholder several times.
type Arg struct {
	Name  string // letters of ASCII, digits and underscores, with a letter first
	Kind  Kind
	Value any
}

// A Dialect defines how one database writes the operations. It is data: a new database needs a new value, not a
// new type.
type Dialect struct {
	Name string
	// Ident quotes an identifier.
	Ident func(name string) string
	// Arg writes the placeholder of a named argument, with a cast to its exact type.
	Arg func(name string, k Kind) string
	// Templates has the SQL of each Op. In a template, $1, $2, … stand for the operands, $* for all operands
	// separated by commas, and $$ for a dollar sign. No template is empty. Operands are inserted as they are.
	Templates [numOps]string // an index is an Op
	// Numbers are columns that a store adds to its sealed tables. See store.Derivation.
	Numbers []Number
}

// A Number is a column of a sealed table with the [PrefixNumber] of a text column. It is for stores that find ranges of
// numbers faster than ranges of texts: statements that need one text also require its number.
type Number struct {
	Table, Column string // where the numbers are
	Of            string // the text column of the same table
}

// Call writes the operation op with operands, which are SQL text.
func (d *Dialect) Call(op Op, operands ...string) string {
	var b strings.Builder
	rest := d.Templates[op]
	for {
		before, after, found := strings.Cut(rest, "$")
		b.WriteString(before)
		if !found || after == "" {
			return b.String()
		}
		switch after[0] {
		case '$':
			b.WriteByte('$')
		case '*':
			b.WriteString(strings.Join(operands, ", "))
		default:
			b.WriteString(operands[after[0]-'1'])
		}
		rest = after[1:]
	}
}

// ReplacesSeals reports whether the sealed tables may have rows of seals that newer ones replaced. Statements leave
// them out with [InSeals].
func (d *Dialect) ReplacesSeals() bool { return d.Templates[InSeals] != always }

// RunsOnce reports whether the database runs a query of [RunOnce] once, and not each time that it is read.
func (d *Dialect) RunsOnce() bool { return d.Templates[RunOnce] != runsEachTime }

// Check returns an error that lists everything missing in the dialect, or nil.
func (d *Dialect) Check() error {
	var faults []error
	if d.Name == "" || d.Ident == nil || d.Arg == nil {
		faults = append(faults, errors.New("dialect: Name, Ident and Arg are required"))
	}
	for op := range numOps {
		if d.Templates[op] == "" {
			faults = append(faults, fmt.Errorf("dialect %s: %s has no template", d.Name, op))
		}
	}
	return errors.Join(faults...)
}
