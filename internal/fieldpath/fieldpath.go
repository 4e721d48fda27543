// Package fieldpath compares the paths of fields in JSON that mistakes name, as in "resources[0].kind".
package fieldpath

import "strings"

// Overlap reports whether one of two fields is the other, or lies in it.
func Overlap(one, other string) bool { return has(one, other) || has(other, one) }

// has reports whether part is field, or lies in it.
func has(field, part string) bool {
	rest, ok := strings.CutPrefix(part, field)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
