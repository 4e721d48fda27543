package dataset

import "strings"

// properties lists JSON objects with values of every type: the string 1 and the number 1, keys and texts with
// special characters, numbers and texts with several spellings. Repeated keys only occur in one object, as a
// host might write them.
var properties = pool{
	"", "", "{}", `{"a":1}`, `{"a":"1"}`, `{"a":1,"plan":"pro"}`, `{"plan":"größe \"x\"","n":0}`, `{"":""}`,
	`{"a":null,"b":true,"n":-2}`, `{"a":"null","b":"true","plan":""}`, `{"b":false,"price":1.5,"n":12345678901}`,
	`{"nested":{"a":[1,"zwei",null],"ü":{}},"list":[]}`, `{ "a" : [ 1, 2 ], "nested" : { "b" : " c " } }`,
	`{"quo\"te":"it's","back\\slash":"a\\b","ключ":"🎉","a.b":"x","$c":"[1]"}`, `{"text":"two\nlines\t<b>&amp;","n":0}`,

	// Numbers that do not fit in 64 bits, or that a database spells differently.
	`{"a":123456789012345678901234567890,"b":18446744073709551616,"n":-9223372036854775809}`,
	`{"a":9223372036854775807,"b":18446744073709551615,"n":-9223372036854775808,"price":100000000000000000000}`,
	`{"a":1.50,"b":1e5,"n":1E-7,"price":-0,"c":10.0}`,
	`{"a":1e21,"b":1e+21,"n":0.0000001,"price":5e-324,"c":1.7976931348623157e+308}`,
	`{"nested":[1.0,{"a":-0.0,"b":1E+40},12345678901234567890123],"price":0.30000000000000004,"n":1.5}`,
	`{"price":0.1234567890123456789,"a":123456789.123456789,"b":-1.5,"n":"1.50 is no 1e5"}`,

	// Texts with escapes, and with characters that some writers escape.
	`{"text":"\u00fc\/\u0041","nested":{"\u00fc":"\u00fc\/\u0041","a":"\ud83c\udf89"}}`,
	`{"text":"\u2028\u2029","nested":["\u2028","\\u2028","\\\u2028\\"],"\u2028":1}`,
	"{\"text\":\"\u2028\",\"nested\":{\"a\":\"\u2028\u2029\"},\"\u2029\":2.50}",
	`{"text":"\u0001\b\f\u001f\u007f","nested":["\u0001\b\f\n\r\t\u001f\u007f"],"\t":"\t"}`,
	`{"text":"İẞΐ","nested":{"text":"it's \\' \"quoted\""},"a":"\\t","b":"\t"}`,

	// Repeated keys, depth, length.
	`{"a":1,"a":2,"a":"1","nested":{"a":1,"a":1}}`, `{"nested":{"nested":{"nested":[[[[{"a":[]}]]]]}}}`,
	`{"text":"` + veryLong + veryLong + `","nested":["` + veryLong + `"],"n":[` + strings.Repeat("1,", 500) + `1.0]}`,
}

// outcomes lists properties of events with outcomes of a flag, as clients send them and as other senders might.
var outcomes = pool{
	`{"flag_key":"new-ui","variant":"a","status":"success"}`,
	`{"flag_key":"new-ui","variant":"b","status":"failed","n":1.50}`, `{"flag_key":"new-ui","variant":"a"}`,
	`{"flag_key":"dark","variant":true,"status":"success"}`, `{"flag_key":"dark","variant":"x","status":"\u00fc\"\\"}`,
	`{"flag_key":"größe 🎉","variant":"\u00fc\"\\","status":""}`,
	`{"flag_key":"dark","variant":"","status":"success"}`, `{"flag_key":"dark","status":"success"}`,
	`{"flag_key":1,"variant":"a"}`, `{"variant":"a","status":"success"}`,
	`{"flag_key":"dark","variant":"a","status":200}`, `{"flag_key":"dark","variant":"a","status":true}`,
	`{"flag":"dark","variant":"a"}`,
}

const flagEvaluated = "$flag_evaluated"

// exposures lists properties of flagEvaluated, as clients send them and as other senders might.
var exposures = pool{
	`{"flag":"new-ui","variant":"a","enabled":true,"value":"A"}`,
	`{"flag":"new-ui","variant":"b","enabled":true,"value":2}`,
	`{"flag":"new-ui","variant":"a","enabled":true,"value":"A"}`, `{"flag":"dark","enabled":true,"value":true}`,
	`{"flag":"dark","enabled":false,"value":false}`,
	`{"flag":"größe 🎉","variant":"\u00fc\"\\","enabled":true,"value":123456789012345678901234567890}`,
	`{ "flag" : "dark" , "variant" : "" , "enabled" : true }`,
	`{"flag":"dark","variant":null,"enabled":"yes","value":1e5}`, `{"flag":"new-ui","flag":"dark","variant":"a"}`,
	`{"flag":"dark"}`,
	`{"flag":1,"variant":"a"}`, `{"flag":1.50,"variant":"a"}`, `{"flag":"new-ui","variant":1.50,"enabled":true}`,
	`{"flag":"","variant":"a"}`,
	`{"variant":"a"}`, `{"flag":{"flag":"x"}}`, `{}`, "",
}
