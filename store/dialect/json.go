package dialect

import "strings"

// Databases change the spelling of JSON numbers when they parse JSON: 1.50 becomes 1.5, 1e5 becomes 100000 or
// 100000.0, and a number with many digits loses some or fails to parse. Therefore, if a text may hold such a
// number, each of its numbers is first turned into a string between two marks. Later the marks are removed
// together with the quotes. The marks are Unicode noncharacters, which do not occur in texts meant for
// exchange.
const (
	// oddNumber matches text that may be a number whose spelling would change, also inside strings.
	oddNumber = `[0-9][eE]|-0|\.00000|\.[0-9]*0[^0-9]|[0-9.]{16}`
	// stringOrNumber matches whole strings, and numbers as its second group.
	stringOrNumber = `("(?:[^"\\]|\\.)*")|(-?[0-9][-+.0-9eE]*)`
)

// readableDuckDB and readableClickHouse are SQL that puts marks around the numbers of the JSON object $1, if the
// database could change the spelling of one of them.
var (
	readableDuckDB = "CASE WHEN NOT json_valid($1) THEN '{}' WHEN regexp_matches($1, '" + oddNumber + "')" +
		" THEN replace(regexp_replace($1, '" + stringOrNumber + `', '\1"` + "\uFDD0" + `\2` +
		"\uFDD1\"', 'g'), '\"\uFDD0\uFDD1\"', '') ELSE $1 END"
	readableClickHouse = "if(match($1, '" + twice(oddNumber) + "')," +
		" replaceAll(replaceRegexpAll($1, '" + twice(stringOrNumber) + `', '\\1"` + "\uFDD0" + `\\2` +
		"\uFDD1\"'), '\"\uFDD0\uFDD1\"', ''), $1)"
)

// twice doubles the backslashes of a pattern, for ClickHouse, where they escape in texts.
func twice(pattern string) string { return strings.ReplaceAll(pattern, `\`, `\\`) }

// unescaped returns ClickHouse's JSON without escapes of the two line separators, which only ClickHouse
// escapes. Meanwhile, escaped backslashes are replaced by a byte that JSON cannot contain.
func unescaped(json string) string {
	return `replaceAll(replaceAll(replaceAll(replaceAll(` + json + `, '\\\\', '\x01'),` +
		` '\\u2028', '` + "\u2028" + `'), '\\u2029', '` + "\u2029" + `'), '\x01', '\\\\')`
}
