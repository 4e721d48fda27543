package query

import (
	"fmt"
	"strings"
)

// maxSuggested is the longest name, in bytes, that a suggestion is looked for.
const maxSuggested = 64

// unknown is the mistake of naming what is not there: what says what kind of name it
// is, and allowed are the names that would do.
func unknown(code Code, what, name string, allowed []string) Error {
	return refused(code, fmt.Sprintf("unknown %s %s", what, quote(name)), name, allowed)
}

// refused is a mistake in the choice of a name, with the names that would do.
func refused(code Code, message, name string, allowed []string) Error {
	e := Error{Code: code, Message: message, Allowed: allowed, Suggestion: nearest(name, allowed)}
	if e.Suggestion != "" {
		e.Message += fmt.Sprintf("; did you mean %q?", e.Suggestion)
	}
	switch {
	case len(allowed) == 0:
	case e.Suggestion != "":
		e.Message += " Allowed are " + strings.Join(allowed, ", ")
	default:
		e.Message += "; allowed are " + strings.Join(allowed, ", ")
	}
	return e
}

// nearest is the name that was probably meant, or empty when none is near: the one
// with the fewest edits, of equals the first; else the first that name begins.
// Case and the kind of separator do not count. A name with other numbers means something else.
func nearest(name string, names []string) string {
	if name == "" || len(name) > maxSuggested {
		return ""
	}
	plain := simplify(name)
	best, found := allowedEdits(plain)+1, ""
	for _, candidate := range names {
		if d := edits(plain, simplify(candidate)); d < best && digits(candidate) == digits(name) {
			best, found = d, candidate
		}
	}
	if found != "" {
		return found
	}
	for _, candidate := range names {
		if len(plain) > 1 && strings.HasPrefix(simplify(candidate), plain) && digits(candidate) == digits(name) {
			return candidate
		}
	}
	return ""
}

// digits are those of s, in order.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// allowedEdits grows with the length, so that short names do not resemble everything.
func allowedEdits(plain string) int { return min(3, len(plain)/3) }

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

func simplify(s string) string { return separators.Replace(strings.ToLower(s)) }

// edits is the least number of inserted, removed, changed and swapped neighbouring
// bytes that turn a into b.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
