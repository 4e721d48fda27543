package dialect

import "strings"

// Databases spell the numbers of JSON anew when they take it apart: 1.50 becomes 1.5, 1e5
// becomes 100000 or 100000.0, and one of many digits loses some or cannot be read. So
// where a text may hold a number that would change, each of its numbers is first made a
// string between two marks, which come off again with its quotes. The marks are
// noncharacters of Unicode, which no text has that is meant for others.
const (
	// oddNumber finds what may be a number that is spelled anew, in strings too.
	oddNumber = `[0-9][eE]|-0|\.00000|\.[0-9]*0[^0-9]|[0-9.]{16}`
	// stringOrNumber finds strings, whole, and numbers, as its second group.
	stringOrNumber = `("(?:[^"\\]|\\.)*")|(-?[0-9][-+.0-9eE]*)`
)

// readableDuckDB and readableClickHouse are the JSON object $1 with its odd numbers between marks.
var (
	readableDuckDB = "CASE WHEN NOT json_valid($1) THEN '{}' WHEN regexp_matches($1, '" + oddNumber + "')" +
		" THEN replace(regexp_replace($1, '" + stringOrNumber + `', '\1"` + "\uFDD0" + `\2` + "\uFDD1\"', 'g'), '\"\uFDD0\uFDD1\"', '') ELSE $1 END"
	readableClickHouse = "if(match($1, '" + twice(oddNumber) + "')," +
		" replaceAll(replaceRegexpAll($1, '" + twice(stringOrNumber) + `', '\\1"` + "\uFDD0" + `\\2` + "\uFDD1\"'), '\"\uFDD0\uFDD1\"', ''), $1)"
)

// twice doubles the backslashes of a pattern, for ClickHouse, where they escape in texts.
func twice(pattern string) string { return strings.ReplaceAll(pattern, `\`, `\\`) }

// unescaped is JSON as ClickHouse writes it but for the two line separators, which it
// escapes and other databases do not. Escaped backslashes are out of the way meanwhile,
// as a byte that JSON cannot hold.
func unescaped(json string) string {
	return `replaceAll(replaceAll(replaceAll(replaceAll(` + json + `, '\\\\', '\x01'),` +
		` '\\u2028', '` + "\u2028" + `'), '\\u2029', '` + "\u2029" + `'), '\x01', '\\\\')`
}
