// Package dialect is the only place where databases differ. A Dialect is how one of them
// writes names, arguments and each operation (Op) that statements use. The package is pure:
// it knows SQL, never a driver or a connection.
package dialect

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is the type of an argument of a statement or of a column of its answer.
type Kind uint8

// Columns of an answer are Int, Float or Text. Arguments may be of any kind.
//
// For a Subject, a website, link or monitor, a store binds whatever it has in the column
// subject, and for one that it does not know a value that no row has.
const (
	Int     Kind = iota + 1 // int64
	Float                   // float64
	Text                    // string, valid UTF-8
	Ints                    // []int64, arguments only
	Texts                   // []string, arguments only
	Subject                 // store.Subject, arguments only
)

// An Arg is one value bound to a statement by name. It never becomes SQL text.
type Arg struct {
	Name  string
	Kind  Kind
	Value any
}

// A Dialect is how one database writes the operations of this library.
// It is data: adding a database adds a value, not a type.
type Dialect struct {
	Name string
	// Ident quotes an identifier.
	Ident func(name string) string
	// Arg writes the placeholder of a named argument, with a cast to its exact type.
	Arg func(name string, k Kind) string
	// Templates are the SQL of each Op, in which $1, $2, … stand for its operands, $* for all
	// of them with commas between, and $$ for a dollar. Only those that are Optional may be empty.
	Templates [numOps]string
}

// Call writes the operation over operands, which are SQL already.
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

// Has reports whether d has a template for op.
func (d *Dialect) Has(op Op) bool { return d.Templates[op] != "" }

// Check returns an error that names everything the dialect lacks, or nil.
func (d *Dialect) Check() error {
	var faults []error
	if d.Name == "" || d.Ident == nil || d.Arg == nil {
		faults = append(faults, errors.New("dialect: Name, Ident and Arg are required"))
	}
	for op := range numOps {
		if !d.Has(op) && !op.Optional() {
			faults = append(faults, fmt.Errorf("dialect %s: %s has no template", d.Name, op))
		}
	}
	return errors.Join(faults...)
}
