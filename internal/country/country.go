// Package country converts between codes and English names of countries:
//
//	code, ok := country.Code("Viet Nam") // "VN"
//	name, ok := country.Name("VN")       // "Vietnam"
//	for _, c := range country.All() {
//		fmt.Println(c.Code, c.Name)
//	}
//
// The countries are the 249 of ISO 3166-1 alpha-2 as of 2026, and Kosovo (XK). Other codes that the standard leaves to
// users, such as XX and T1, are not countries.
package country

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Country is an entry of the table.
type Country struct {
	Code string // alpha-2, upper case
	Name string // the common English name
}

// All returns all countries sorted by code, in a new slice.
func All() []Country { return slices.Clone(table[:]) }

// Name returns the English name of a code in upper case.
func Name(code string) (string, bool) {
	i, ok := find(code)
	if !ok {
		return "", false
	}
	return table[i].Name, true
}

// Code returns the upper-case code for a code, an English name or another common name: USA, Turkey, Czech Republic,
// Viet Nam, Kingdom of Spain. Case, accents, punctuation and "the" are ignored in names.
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

// maxName is more than the size of every country's name in bytes.
const maxName = 128

// byKey maps keys of names to codes. A test checks that no key stands for two
// countries.
var byKey = sync.OnceValue(func() map[string]string {
	codes := make(map[string]string, len(table)+len(aliases))
	for _, c := range slices.Concat(table[:], aliases[:]) {
		codes[key(c.Name)] = c.Code
	}
	return codes
})

// key returns a name without the differences between its spellings: "Saint Kitts & Nevis" and "St. Kitts and Nevis"
// have the same key.
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
