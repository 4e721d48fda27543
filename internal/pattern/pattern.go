// Package pattern reads regular expressions, and writes them so that every engine finds the same texts with them.
//
//	canonical, err := pattern.Parse(`(?i)^/docs/\d+`)
//	if err != nil { … } // the text says why the pattern cannot be used
//
// Patterns are in the syntax of package regexp. The stores match them by RE2, whose versions differ in their default
// flags, in the names of classes of characters and in how groups are named. Nothing of that is in a canonical pattern:
// it has flags where they matter, and ranges in place of names.
package pattern

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"unicode"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// MaxBytes is the largest length of a pattern.
const MaxBytes = 500

// maxSize bounds the instructions and ranges of characters that a pattern compiles to. RE2 refuses patterns that take
// more than 8 MiB, which is several times as much.
const maxSize = 10_000

// Parse returns the canonical form of a pattern. The error says what is wrong with it, to follow the name of a field.
func Parse(text string) (string, error) {
	if len(text) > MaxBytes {
		return "", errors.New(mistake.AtMost(MaxBytes, "bytes", len(text)))
	}
	re, err := syntax.Parse(text, syntax.Perl)
	if wrong, ok := errors.AsType[*syntax.Error](err); ok {
		return "", fmt.Errorf("is not a regular expression: %s: %q", wrong.Code, wrong.Expr)
	}
	if err != nil {
		return "", fmt.Errorf("is not a regular expression: %w", err)
	}
	re = plain(re)
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return "", fmt.Errorf("is not a regular expression: %w", err)
	}
	size := len(prog.Inst)
	for i := range prog.Inst {
		size += len(prog.Inst[i].Rune) / 2
	}
	if size > maxSize {
		return "", errors.New("is too large a regular expression: use fewer repetitions or fewer classes of characters")
	}
	return re.String(), nil
}

// plain returns re without captures, and with classes of characters in place of letters of any case.
func plain(re *syntax.Regexp) *syntax.Regexp {
	for i, sub := range re.Sub {
		re.Sub[i] = plain(sub)
	}
	switch {
	case re.Op == syntax.OpCapture:
		return re.Sub[0]
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0:
		all := &syntax.Regexp{Op: syntax.OpConcat}
		for _, r := range re.Rune {
			all.Sub = append(all.Sub, anyCase(r))
		}
		return all
	}
	return re
}

// anyCase matches the letter r in any case.
func anyCase(r rune) *syntax.Regexp {
	class := &syntax.Regexp{Op: syntax.OpCharClass}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	// In the order of SimpleFold, from the least one on.
	class.Rune = []rune{least, least}
	for next := unicode.SimpleFold(least); next != least; next = unicode.SimpleFold(next) {
		class.Rune = append(class.Rune, next, next)
	}
	return class
}
