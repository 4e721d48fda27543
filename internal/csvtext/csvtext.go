// Package csvtext has the rules for texts in CSV files that spreadsheets open:
//
//	line = csvtext.Append(line, csvtext.Safe(title)) // a title such as =1+1 stays a text
//
// Texts of events come from visitors, so they must not become formulas.
package csvtext

import (
	"strings"
	"unicode/utf8"
)

// BOM is the byte order mark. Before a CSV file in UTF-8, it tells Excel that the file is not in the encoding of the
// machine.
const BOM = "\ufeff"

// Safe returns s with an apostrophe before it if a spreadsheet would run it as a formula: if it begins with =, +, -, @,
// or a wide form of these, a tab, a carriage return or a line feed. A negative number such as -12.5 stays a number.
func Safe(s string) string {
	first, _ := utf8.DecodeRuneInString(s)
	if s == "" || !strings.ContainsRune("=+-@＝＋－＠\t\r\n", first) || first == '-' && isNumber(s[1:]) {
		return s
	}
	return "'" + s
}

// isNumber reports whether s is a decimal number without a sign, such as 12, 12.5 or 1e-7.
func isNumber(s string) bool {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, hasFraction := strings.Cut(mantissa, ".")
	exponent = strings.TrimPrefix(strings.TrimPrefix(exponent, "-"), "+")
	return isDigits(whole) && isDigits(fraction) == hasFraction && isDigits(exponent) == hasExponent
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Append appends s as a field of RFC 4180, in quotes if it needs them, and returns the extended slice.
func Append(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") && (s == "" || s[0] != ' ' && s[0] != '\t') {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}
