package mistake

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The messages of mistakes that need no more words.
const (
	Required = "is required"
	NotUTF8  = "must be valid UTF-8"
	Control  = "must not contain control characters"
)

// Want returns the message for a value of the wrong kind: "must be a string, not a number".
func Want(wanted, found string) string { return "must be " + wanted + ", not " + found }

// Body returns the message for what, a JSON value that is not an object: "The body must be an object, not an array".
func Body(what, found string) string { return Sentence(what, Want("an object", found)) }

// OneOf returns the message for a word that is not one of a few: `must be active or inactive, not "on"`.
func OneOf[T ~string](got T, allowed ...T) string {
	if got == "" {
		return Required + ": " + Or(allowed...)
	}
	return Want(Or(allowed...), fmt.Sprintf("%.64q", string(got)))
}

// AtLeast returns the message for a number that is too small: "must be at least 1, not 0".
func AtLeast(low, got int) string { return fmt.Sprintf("must be at least %d, not %d", low, got) }

// Between returns the message for a number out of range: "must be between 0 and 100, not 101".
func Between(low, high, got float64) string {
	return fmt.Sprintf("must be between %g and %g, not %g", low, high, got)
}

// AtMost returns the message for too many things: "may have at most 10 entries, not 11".
func AtMost(limit int, things string, got int) string {
	return fmt.Sprintf("may have at most %d %s, not %d", limit, things, got)
}

// Long returns the message for a text with too many characters.
func Long(limit int) string { return fmt.Sprintf("may have at most %d characters", limit) }

// Unknown returns the message for an unknown field of an object, and the field that was probably meant.
func Unknown(name string, allowed []string, also Synonyms) (text, suggestion string) {
	return Choice("unknown field "+Quote(name), name, allowed, also)
}

// KindOf returns the type of a value that encoding/json decoded, as [Kind] does for its JSON.
func KindOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case nil:
		return "null"
	case float64, json.Number:
		return "a number"
	}
	return fmt.Sprintf("a %T", v)
}

// Quote writes a caller's text for a message, cut when it is long.
func Quote(s string) string {
	if short := Cut(s); short != s {
		return fmt.Sprintf("%q…", strings.TrimSuffix(short, "…"))
	}
	return fmt.Sprintf("%q", s)
}

// Cut bounds a caller's text to 64 characters.
func Cut(s string) string {
	const longest = 64
	count := 0
	for i := range s {
		if count == longest {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
