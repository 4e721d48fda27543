package dialect

import "strings"

// The SQL of JSONDecimal works on the text of a number, since a floating-point number does not have all of its digits.
// The text is taken apart into sign, digits before and behind the point, and exponent. The first digits of both, up to
// the fifth behind the point of the value, are a whole number of hundred-thousandths, and its last digit decides about
// rounding.
const (
	// decimalParts matches a number as [readableDuckDB] gives it.
	decimalParts = `^(-?)([0-9]+)[.]?([0-9]*)(?:[eE]([-+]?)0*([0-9]*))?$`
	// decimalText matches a string that is taken for a number; its group is the number.
	decimalText = `^[ \t\r\n]*(-?[0-9]{1,9}(?:[.][0-9]+)?)[ \t\r\n]*$`
	// shortDecimal matches a number of whole ten-thousandths and without an exponent, far from the greatest.
	shortDecimal = `^-?[0-9]{1,8}(?:[.][0-9]{1,4})?$`
	// markedNumber matches a number between the marks; its group is the number.
	markedNumber = "^\uFDD0(.*)\uFDD1$"
	// mostDecimal is the largest number of hundred-thousandths that is rounded to no more than 999 999 999.
	mostDecimal = "99999999900004"
	// moreDigits is the largest number of zeros that are added behind the digits: with more, a value is beyond
	// mostDecimal.
	moreDigits = "15"
)

// pointerDuckDB is the JSON pointer of the member $2.
const pointerDuckDB = "concat('/', replace(replace($2, '~', '~0'), '/', '~1'))"

// extractedDuckDB is the text of the member $2 of valid JSON. It is null for an absent member and for null. Numbers may
// be spelled differently.
const extractedDuckDB = "json_extract_string($1, " + pointerDuckDB + ")"

// decimalDuckDB computes decimals of few digits first, since that takes a tenth of the time. A number whose spelling
// would change has more digits, or the same value. Nothing but a text that begins like a number can be another decimal.
var decimalDuckDB = "CASE WHEN json_valid($1) THEN coalesce((try_cast(regexp_extract(" + extractedDuckDB + ", '" +
	dollars(shortDecimal) + "') AS DECIMAL(12, 4)) * 10000)::BIGINT," +
	" CASE WHEN regexp_matches(" + extractedDuckDB + `, '^[ \t\r\n]*-?[0-9]') THEN ` + anyDecimalDuckDB + " END) END"

var anyDecimalDuckDB = "list_transform(list_transform(list_transform([" + readableDuckDB +
	"], lambda object: regexp_extract(" +
	"CASE json_type(object, " + pointerDuckDB + ")" +
	" WHEN 'VARCHAR' THEN CASE WHEN starts_with(json_extract_string(object, " + pointerDuckDB + "), '\uFDD0')" +
	" THEN regexp_extract(json_extract_string(object, " + pointerDuckDB + "), '" + dollars(markedNumber) + "', 1)" +
	" ELSE regexp_extract(json_extract_string(object, " + pointerDuckDB + "), '" + dollars(decimalText) + "', 1) END" +
	" WHEN 'UBIGINT' THEN json_extract_string(object, " + pointerDuckDB +
	") WHEN 'BIGINT' THEN json_extract_string(object, " + pointerDuckDB + ")" +
	" WHEN 'DOUBLE' THEN json_extract_string(object, " + pointerDuckDB + ") ELSE '' END," +
	" '" + dollars(decimalParts) + "', ['sign', 'whole', 'fraction', 'down', 'exponent']))," +
	" lambda part: CASE WHEN part.whole <> '' THEN try_cast(concat(part.sign, '0', rpad(concat(part.whole, part.fraction)," +
	" greatest(0, least(length(part.whole) + length(part.fraction) + " + moreDigits + ", length(part.whole) + 5 +" +
	" CASE WHEN part.down = '-' THEN -1 ELSE 1 END * coalesce(try_cast(left(part.exponent, 6) AS BIGINT), 0)))::INTEGER, '0')) AS BIGINT) END)," +
	" lambda small: CASE WHEN small BETWEEN -" + mostDecimal + " AND " + mostDecimal +
	" THEN CASE WHEN small < 0 THEN -((5 - small) // 10) ELSE (small + 5) // 10 END END)[1]"

var decimalClickHouse = "arrayMap(small -> if(abs(small) <= " + mostDecimal +
	", sign(small) * intDiv(abs(small) + 5, 10), NULL)," +
	" arrayMap(digits -> if(length(digits) > 0 AND length(digits[2]) <= 14, toInt64OrNull(concat(digits[1], '0', digits[2])), NULL)," +
	" arrayMap(part -> if(empty(part), [], [part[1], replaceRegexpOne(rightPad(concat(part[2], part[3])," +
	" greatest(0, least(length(part[2]) + length(part[3]) + " + moreDigits + ", toInt64(length(part[2])) + 5 +" +
	" if(part[4] = '-', -1, 1) * toInt64OrZero(substring(part[5], 1, 6)))), '0'), '^0+', '')])," +
	" arrayMap(object -> extractGroups(multiIf(" +
	"JSONType(object, $2) IN ('Int64', 'UInt64', 'Double'), JSONExtractRaw(object, $2)," +
	" JSONType(object, $2) != 'String', ''," +
	" startsWith(JSONExtractString(object, $2), '\uFDD0'), extract(JSONExtractString(object, $2), '" +
	dollars(markedNumber) + "')," +
	" extract(JSONExtractString(object, $2), '" + dollars(twice(decimalText)) + "')), '" + dollars(decimalParts) +
	"'), [" + readableClickHouse + "]))))[1]"

// dollars doubles the dollar signs of SQL, which stand for operands in a template.
func dollars(sql string) string { return strings.ReplaceAll(sql, "$", "$$") }
