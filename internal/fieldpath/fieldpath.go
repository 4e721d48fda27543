// Package fieldpath compares paths of JSON fields:
//
//	fieldpath.Overlap("resources[0]", "resources[0].kind") // true: the second is in the first
//	fieldpath.Overlap("resources", "resources")            // true
//	fieldpath.Overlap("resource", "resources")             // false
package fieldpath

import "strings"

// Overlap reports whether two fields are the same, or one contains the other.
func Overlap(one, other string) bool { return has(one, other) || has(other, one) }

// has reports whether part is field or is in it.
func has(field, part string) bool {
	rest, ok := strings.CutPrefix(part, field)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
