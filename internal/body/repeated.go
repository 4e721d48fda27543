package body

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// repeated returns the members of objects in js whose names occur twice in one object, regardless of case.
// encoding/json would use the last of them.
func repeated(js []byte) (bad mistake.List) {
	walk(json.NewDecoder(bytes.NewReader(js)), "", func(field string) {
		if len(bad) < mistake.Most {
			bad = append(bad, mistake.One(field, "must be given once, not twice")...)
		}
	})
	return bad
}

// walk reads the next value of d, which is at field, and calls found for each repeated member in it.
func walk(d *json.Decoder, field string, found func(field string)) {
	token, _ := d.Token()
	opening, ok := token.(json.Delim)
	if !ok {
		return
	}
	seen := map[string]bool{}
	for i := 0; d.More(); i++ {
		at := fmt.Sprintf("%s[%d]", field, i)
		if opening == '{' {
			token, _ := d.Token()
			name, _ := token.(string)
			at = strings.TrimPrefix(field+"."+name, ".")
			if key := strings.Map(leastFold, name); seen[key] {
				found(at)
			} else {
				seen[key] = true
			}
		}
		walk(d, at, found)
	}
	_, _ = d.Token() // the closing bracket
}

// leastFold returns the smallest rune that equals r regardless of case.
func leastFold(r rune) rune {
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}
