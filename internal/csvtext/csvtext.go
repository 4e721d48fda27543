// Package csvtext has the rules for texts in CSV files that spreadsheets open:
//
//	line = csvtext.Append(line, csvtext.Safe(title)) // a title such as =1+1 stays a text
//
// Texts of events come from visitors, so they must not become formulas.
package csvtext

import "strings"

// Safe returns s with an apostrophe before it if a spreadsheet would run it as a formula: if it begins with =, +, -, @,
// a tab, a carriage return or a line feed. Use it for texts, not for numbers.
func Safe(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r\n", s[0]) >= 0 {
		return "'" + s
	}
	return s
}

// Append appends s as a field of RFC 4180, in quotes if it needs them, and returns the extended slice.
func Append(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") && (s == "" || s[0] != ' ' && s[0] != '\t') {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}
