// Package dialect is the only place where databases differ. It is pure: it knows
// spellings, never a driver or a connection.
package dialect

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is the type of a value that crosses the seam between engine and store.
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

// A Segment is a stretch of time in which local time is UTC plus Shift.
// It begins at From and ends where the next one begins. Both are milliseconds.
type Segment struct {
	From  int64
	Shift int64
}

// A Dialect is how one database spells the operations of this library.
// It is data: adding a database adds a value, not a type.
type Dialect struct {
	Name string
	// Ident quotes an identifier.
	Ident func(name string) string
	// Arg writes the placeholder of a named argument, with a cast to its exact type.
	Arg func(name string, k Kind) string
	// Spell holds, by Func, a pattern over $1, $2, … (operands), $* (all of them,
	// comma separated) and $$ (a dollar).
	Spell [numFuncs]string
}

// Call writes operation f over operands. What operands hold is not looked at.
func (d *Dialect) Call(f Func, operands ...string) string {
	var b strings.Builder
	pattern := d.Spell[f]
	for {
		before, after, found := strings.Cut(pattern, "$")
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
		pattern = after[1:]
	}
}

// Check names everything the dialect leaves unspelled.
func (d *Dialect) Check() error {
	var faults []error
	if d.Name == "" || d.Ident == nil || d.Arg == nil {
		faults = append(faults, errors.New("dialect: Name, Ident and Arg are required"))
	}
	for f := range numFuncs {
		if d.Spell[f] == "" {
			faults = append(faults, fmt.Errorf("dialect %s: %s has no spelling", d.Name, f))
		}
	}
	return errors.Join(faults...)
}
