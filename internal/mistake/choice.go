package mistake

import (
	"fmt"
	"slices"
	"strings"
)

// Synonyms maps words, in lower case without separators, to names with the same meaning. The first name that is allowed
// is suggested.
type Synonyms map[string][]string

const (
	// maxSuggested is the maximum length in bytes of names that get a suggestion.
	maxSuggested = 64
	// maxListed is the maximum number of names that are listed after a suggestion. Messages without one list all.
	maxListed = 20
)

// Choice returns message, which says that name is not in allowed, followed by the name that was probably meant and the
// allowed names. It also returns the suggestion.
func Choice(message, name string, allowed []string, also Synonyms) (text, suggestion string) {
	list := strings.Join(allowed, ", ")
	switch suggestion = Nearest(name, allowed, also); {
	case suggestion != "" && len(allowed) > maxListed:
		return fmt.Sprintf("%s; did you mean %q?", message, suggestion), suggestion
	case suggestion != "":
		return fmt.Sprintf("%s; did you mean %q? Allowed are %s", message, suggestion, list), suggestion
	case list != "":
		return message + "; allowed are " + list, ""
	}
	return message, ""
}

// Or joins names for a message: "boolean, rollout or multivariant".
func Or[T ~string](names ...T) string { return joined(" or ", names) }

// And joins names for a message: "goals, goals_trends and funnel".
func And[T ~string](names ...T) string { return joined(" and ", names) }

// joined joins names by commas, and the last one by a word.
func joined[T ~string](word string, names []T) string {
	var b strings.Builder
	for i, name := range names {
		switch {
		case i == 0:
		case i == len(names)-1:
			b.WriteString(word)
		default:
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String()
}

// Nearest returns the name that was probably meant, or an empty text. It tries in this order: the same name except for
// case and separators; a synonym; the name with the fewest edits (the first of several); the first name that begins
// with name; the first name that ends with it as a word. Names with other digits never match.
func Nearest(name string, names []string, also Synonyms) string {
	if name == "" || len(name) > maxSuggested {
		return ""
	}
	plain := simplify(name)
	for _, candidate := range names {
		if simplify(candidate) == plain {
			return candidate
		}
	}
	for _, candidate := range also[plain] {
		if slices.Contains(names, candidate) {
			return candidate
		}
	}
	best, found := mostEdits(plain)+1, ""
	for _, candidate := range names {
		if d := edits(plain, simplify(candidate)); d < best && digits(candidate) == digits(name) {
			best, found = d, candidate
		}
	}
	if found != "" || len(plain) < 2 {
		return found
	}
	for _, is := range []func(candidate string) bool{
		func(candidate string) bool { return strings.HasPrefix(simplify(candidate), plain) },
		func(candidate string) bool { return strings.HasSuffix(candidate, "_"+strings.ToLower(name)) },
	} {
		for _, candidate := range names {
			if is(candidate) && digits(candidate) == digits(name) {
				return candidate
			}
		}
	}
	return ""
}

// Slip reports whether name is probably a misspelling of want.
func Slip(name, want string) bool {
	plain := simplify(name)
	return len(name) <= maxSuggested && digits(name) == digits(want) && edits(plain, simplify(want)) <= mostEdits(plain)
}

// mostEdits returns the maximum number of edits between a misspelled name and the intended one. It grows with the
// length, so that short names do not match everything.
func mostEdits(plain string) int { return min(3, len(plain)/3) }

// digits returns the digits of s, in order.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

func simplify(s string) string { return separators.Replace(strings.ToLower(s)) }

// edits returns the minimum number of inserted, removed, changed and swapped neighbouring bytes between a and
// b.
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
