// Package country knows the codes and the English names of countries: ISO 3166-1
// alpha-2 as of 2026, 249 of them. Codes that the standard leaves to users (XK, XX,
// T1 and the like) are no countries here.
package country

import (
	"slices"
	"strings"
)

// A Country is one entry of ISO 3166-1.
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

// Code returns the upper-case code of what is named by a code or an English name, in
// any case. A few names that are still in use beside the official one are known too.
func Code(codeOrName string) (string, bool) {
	if len(codeOrName) == 2 {
		if i, ok := find(strings.ToUpper(codeOrName)); ok {
			return table[i].Code, true
		}
	}
	for _, c := range table {
		if strings.EqualFold(c.Name, codeOrName) {
			return c.Code, true
		}
	}
	for _, c := range aliases {
		if strings.EqualFold(c.Name, codeOrName) {
			return c.Code, true
		}
	}
	return "", false
}

func find(code string) (int, bool) {
	return slices.BinarySearchFunc(table[:], code, func(c Country, code string) int {
		return strings.Compare(c.Code, code)
	})
}

// aliases are other names in use; Name never returns one.
var aliases = [...]Country{
	{"CD", "DR Congo"},
	{"CD", "Congo - Kinshasa"},
	{"CG", "Congo"},
	{"CI", "Cote d'Ivoire"},
	{"CI", "Ivory Coast"},
	{"CV", "Cabo Verde"},
	{"CZ", "Czech Republic"},
	{"GB", "Great Britain"},
	{"GB", "UK"},
	{"HK", "Hong Kong SAR"},
	{"KR", "Republic of Korea"},
	{"MM", "Burma"},
	{"MO", "Macau"},
	{"NL", "The Netherlands"},
	{"RU", "Russian Federation"},
	{"SZ", "Swaziland"},
	{"TL", "East Timor"},
	{"TR", "Turkey"},
	{"TR", "Turkiye"},
	{"US", "United States of America"},
	{"US", "USA"},
	{"VA", "Holy See"},
	{"VN", "Viet Nam"},
}
