// Package country knows the codes and the English names of countries: ISO 3166-1
// alpha-2 as of 2026, 249 of them, and Kosovo (XK). Other codes that the standard leaves to
// users, such as XX and T1, are not countries here.
package country

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Country is one entry of the table.
type Country struct {
	Code string // alpha-2, upper case
	Name string // the common English name
}

// All returns every country, sorted by code. The slice is the caller's.
func All() []Country { return slices.Clone(table[:]) }

// Name returns the English name of a code in upper case.
func Name(code string) (string, bool) {
	i, ok := find(code)
	if !ok {
		return "", false
	}
	return table[i].Name, true
}

// Code returns the upper-case code of the country that a code, an English name or another
// usual name names: USA, Turkey, Czech Republic, Viet Nam, Kingdom of Spain. Case, accents,
// punctuation and "the" do not matter in names.
func Code(codeOrName string) (string, bool) {
	if len(codeOrName) == 2 {
		if i, ok := find(strings.ToUpper(codeOrName)); ok {
			return table[i].Code, true
		}
	}
	if len(codeOrName) > maxName {
		return "", false
	}
	name := key(codeOrName)
	code, ok := byKey()[name]
	for _, title := range []string{"republic of ", "kingdom of "} {
		if rest, long := strings.CutPrefix(name, title); long && !ok {
			code, ok = byKey()[rest]
		}
	}
	return code, ok
}

// maxName is longer than every name of a country, in bytes.
const maxName = 128

// byKey returns the codes of countries by the keys of their names. A test holds that no key
// names two countries.
var byKey = sync.OnceValue(func() map[string]string {
	codes := make(map[string]string, len(table)+len(aliases))
	for _, c := range slices.Concat(table[:], aliases[:]) {
		codes[key(c.Name)] = c.Code
	}
	return codes
})

// key returns a name without what its spellings differ by: "Saint Kitts & Nevis" and "St. Kitts and
// Nevis" have the same key.
func key(name string) string {
	var words []string
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r) || r == '.' || r == '\'' || r == '’':
			return -1
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '&':
			return r
		}
		return ' '
	}, norm.NFD.String(strings.ToLower(name)))
	for _, w := range strings.Fields(plain) {
		switch w {
		case "the":
			continue
		case "&":
			w = "and"
		case "st":
			w = "saint"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

func find(code string) (int, bool) {
	return slices.BinarySearchFunc(table[:], code, func(c Country, code string) int {
		return strings.Compare(c.Code, code)
	})
}
