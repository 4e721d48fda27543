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
// subject that it does not know, it binds a value that no row has.
const (
	Int     Kind = iota + 1 // int64
	Float                   // float64
	Text                    // string, valid UTF-8
	Ints                    // []int64, arguments only
	Texts                   // []string, arguments only
	Subject                 // store.Subject, arguments only
)

// An Arg is one value, bound to a statement by name. It never becomes part of the SQL text.
type Arg struct {
	Name  string
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
	// separated by commas, and $$ for a dollar sign. No template is empty.
	Templates [numOps]string
	// Seals describes the tables of sealed rows of a store that seals days. See store.Derivation.
	Seals Seals
}

// Seals says which further columns the tables of sealed rows have. The zero value has none of them.
type Seals struct {
	// Replaced: sealed_sessions and sealed_hits have a column seal, which the store fills in, and may have rows of
	// seals that newer ones replaced. Statements leave these rows out with [InSeals].
	Replaced bool
	// CountryNumber: sealed_hits has a column country_number, the [PrefixNumber] of country. It is for stores that
	// find ranges of numbers faster than ranges of texts.
	CountryNumber bool
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
