package body

import (
	"strings"
	"unicode"
)

// twice is the message for a member that an object has twice.
const twice = "must be given once, not twice"

// repeated reports the members of objects in v, which is at a place of the body, whose names occur twice in one object,
// regardless of case. encoding/json would use the last of them.
func repeated(m Mistakes, at Path, v Value) {
	switch v.json[0] {
	case '[':
		for i, item := range v.Items() {
			repeated(m, at.Item(i), item)
		}
	case '{':
		seen := map[string]bool{}
		for sent, value := range members(v.json) {
			name, _ := sent.Text()
			here := at.Member(name)
			if key := strings.Map(leastFold, name); seen[key] {
				m.Wrong(here, twice, "")
			} else {
				seen[key] = true
			}
			repeated(m, here, value)
		}
	}
}

// leastFold returns the smallest rune that equals r regardless of case.
func leastFold(r rune) rune {
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}
