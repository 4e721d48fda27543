package storetest

import (
	"strconv"

	"github.com/sightline-analytics/sightline/store/dialect"
)

func (p *templateWriter) texts() []templateCase {
	const whole, text = dialect.Int, dialect.Text
	var (
		address = p.text("address", "HTTPS://u:p@www.BÜCHER.example.:8080/x")
		odd     = p.text("odd", "/\"\\\t\u2028\\u2028")
	)
	return []templateCase{
		{"Contains has no wildcards", whole, p.holds(dialect.Contains, "'/100x'", "'100%'"), "", "0"},
		{"Contains", whole, p.holds(dialect.Contains, "'a_ü%b'", "'ü%'"), "", "1"},
		{"Contains nothing", whole, p.holds(dialect.Contains, "''", "''"), "", "1"},
		{"StartsWith has no wildcards", whole, p.holds(dialect.StartsWith, "'axb'", "'a_'"), "", "0"},
		{"StartsWith", whole, p.holds(dialect.StartsWith, "'a_b'", "'a_'"), "", "1"},
		{"EndsWith has no wildcards", whole, p.holds(dialect.EndsWith, "'axb'", "'_b'"), "", "0"},
		{"EndsWith", whole, p.holds(dialect.EndsWith, "'a_b'", "'_b'"), "", "1"},
		{"EndsWith nothing", whole, p.holds(dialect.EndsWith, "''", "''"), "", "1"},
		{"Matches", whole, p.holds(dialect.Matches, "'/docs/12'", p.text("pattern", `/\x{64}[c-o]+s/[0-9]{2}$`)), "",
			"1"},
		{"Matches does not match another case", whole, p.holds(dialect.Matches, "'/Docs'", "'docs'"), "", "0"},
		{"Matches has no wildcards of LIKE", whole, p.holds(dialect.Matches, "'axb'", "'a_b|%'"), "", "0"},
		{"Matches with flags", whole, p.holds(dialect.Matches, p.text("lines", "a\nb"), "'(?m:^)b(?-m:$)'"), "", "1"},
		{"Matches any character", whole, p.holds(dialect.Matches, p.text("lines", "a\nb"), "'^(?s:.)*$'"), "", "1"},
		{"Matches characters of one line", whole, p.holds(dialect.Matches, p.text("lines", "a\nb"), "'^(?-s:.)*$'"), "",
			"0"},
		{"Matches at the edge of a word", whole, p.holds(dialect.Matches, "'ü b'", p.text("edge_of_word", `\bb\z`)), "",
			"1"},
		{"Matches no edge inside a word", whole, p.holds(dialect.Matches, "'ab'", p.text("inside_of_word", `\bb\z`)),
			"", "0"},
		{"Matches classes and repetitions", whole,
			p.holds(dialect.Matches, "'d]]-'", p.text("class_of_signs", `\A[^\n\]a-c]{1,2}?[\]\x{2028}]{2,}[+\-]\z`)),
			"", "1"},
		{"Matches with flags inside of flags", whole,
			p.holds(dialect.Matches, p.text("lines", "a\nb"), p.text("nested_flags", `(?s:a.(?m:^)(?:b|))(?-m:$)`)), "",
			"1"},
		{"Matches whole characters", whole, p.holds(dialect.Matches, "'ü'", "'^(?-s:.)$'"), "", "1"},
		{"Lower", text, p.call(dialect.Lower, "'ÄΣ İ'"), "", "äσ i"},
		{"Concat", text, p.call(dialect.Concat, "'a'", "''", "'b'"), "", "ab"},
		{"URLHost", text, p.call(dialect.URLHost, address), "", "bücher.example"},
		{"URLHost without a scheme", text, p.call(dialect.URLHost, "'//cdn.example.org:8080/x'"), "",
			"cdn.example.org"},
		{"URLHost of an IPv6 address", text, p.call(dialect.URLHost, "'http://[::1]:8080/'"), "", "[::1]"},
		{"URLHost with two www.", text, p.call(dialect.URLHost, "'https://www.www.example.org'"), "",
			"www.example.org"},
		{"URLHost with another address behind it", text,
			p.call(dialect.URLHost, "'https://a.example?next=https://b@c.example/'"), "", "a.example"},
		{"URLHost of a host alone", text, p.call(dialect.URLHost, "'example.org/x'"), "", ""},
		{"URLHost without a host", text, p.call(dialect.URLHost, "'mailto:a@example.org'"), "", ""},
		{"TextToJSON", text, p.call(dialect.TextToJSON, odd), "", `"/\"\\\t` + "\u2028" + `\\u2028"`},
		{"TextToJSON writes control characters as upper-case \\u001F", text,
			p.call(dialect.TextToJSON, p.text("controls", "\x01\x1f\x7f\b\f\n\r")), "", `"\u0001\u001F` + "\x7f" +
				`\b\f\n\r"`},
		{"JSONText", text, p.call(dialect.JSONText,
			p.text("member", `{"a":"x\u00fc","a":"y","n":123456789012345678901234567890}`), "'a'"), "", "xü"},
		{"JSONText of true", text, p.call(dialect.JSONText, p.text("truth", `{"a":true}`), "'a'"), "", "true"},
		{"JSONText of a number", text, p.call(dialect.JSONText, p.text("digits", `{"a":1}`), "'a'"), "", ""},
		{"JSONText of a number with an exponent", text, p.call(dialect.JSONText, p.text("power", `{"a":1e5}`), "'a'"),
			"", ""},
		{"JSONText of a list", text, p.call(dialect.JSONText, p.text("bracket", `{"a":["x"]}`), "'a'"), "", ""},
		{"JSONText of nothing", text, p.call(dialect.JSONText, p.text("vacant", ``), "'a'"), "", ""},
		// the MD5 is 9f84badb3704dc401f9eb880366c160a
		{"MD5High", whole, p.call(dialect.MD5High, "'sightline'"), "", "169241654"},
		{"MD5Low", whole, p.call(dialect.MD5Low, "'sightline'"), "", "2159582751"},
	}
}

func (p *templateWriter) lists() []templateCase {
	const whole, text = dialect.Int, dialect.Text
	xy, names, empty := p.list("xy", "x", "y"), p.list("names", "1", "2"), p.arg("empty", dialect.Texts, []string(nil))
	return []templateCase{
		{"InList", whole, p.holds(dialect.InList, "'y'", xy), "", "1"},
		{"not InList of an empty list", whole,
			p.call(dialect.If, "(NOT "+p.call(dialect.InList, "'y'", empty)+")", "1", "0"), "", "1"},
		{"Lookup", text, p.call(dialect.Lookup, "'y'", xy, names, "'?'"), "", "2"},
		{"Lookup of a missing text", text, p.call(dialect.Lookup, "'z'", xy, names, "'?'"), "", "?"},
		{"ListPosition", whole, p.call(dialect.ListPosition, "'y'", xy), "", "2"},
		{"ListPosition of a missing text", whole, p.call(dialect.ListPosition, "'z'", xy), "", "null"},
	}
}

func (p *templateWriter) windows() []templateCase {
	const whole = dialect.Int
	inOrder := p.few + " ORDER BY n"
	return []templateCase{
		{"RowNumber", whole, p.call(dialect.RowNumber, "x", "n"), inOrder, "1|1|2|1"},
		{"Lag", whole, p.call(dialect.Lag, "n", "x", "n"), inOrder, "null|null|1|null"},
		{"Lead", whole, p.call(dialect.Lead, "n", "x", "n"), inOrder, "3|null|null|null"},
		{"SumWithin", whole, p.call(dialect.SumWithin, "n", "x"), inOrder, "4|2|4|4"},
		{"MaxBefore", whole, p.call(dialect.MaxBefore, "o", "1", "n"), inOrder, "null|3|3|3"},
		{"MaxBefore of a partition", whole, p.call(dialect.MaxBefore, "n", "x", "n"), inOrder, "null|null|1|null"},
		{"MaxBefore excludes nulls", whole, p.call(dialect.MaxBefore, p.call(dialect.NullIf, "n", "1"), "1", "n"),
			inOrder, "null|null|2|3"},
		{"RunningMax", whole, p.call(dialect.RunningMax, "o", "1", "n"), inOrder, "3|3|3|3"},
		{"RunningMax of a partition", whole, p.call(dialect.RunningMax, "n", "x", "n"), inOrder, "1|2|3|4"},
		{"RunningMax includes equal rows", whole, p.call(dialect.RunningMax, "n", "1", "n % 2"), inOrder, "4|4|4|4"},
	}
}

// sequences returns cases of operations that order rows.
func (p *templateWriter) sequences() []templateCase {
	less := func(a, b [5]string) string {
		return p.call(dialect.If, p.call(dialect.SortKey, a[:]...)+" < "+p.call(dialect.SortKey, b[:]...), "1", "0")
	}
	return []templateCase{
		{"SortKey goes by the instant first", dialect.Int,
			less([5]string{"2", "0", "'a'", "0", "0"}, [5]string{"10", "0", "'a'", "0", "0"}), "", "1"},
		{"SortKey before 1970", dialect.Int,
			less([5]string{"-2", "0", "'a'", "0", "0"}, [5]string{"-1", "0", "'a'", "0", "0"}), "", "1"},
		{"SortKey then goes by rank", dialect.Int,
			less([5]string{"2", "1", "'a'", "0", "0"}, [5]string{"2", "0", "'b'", "0", "0"}), "", "0"},
		{"SortKey then goes by text", dialect.Int,
			less([5]string{"2", "1", "'ab'", "0", "0"}, [5]string{"2", "1", "'a'", "4", "0"}), "", "0"},
		{"SortKey then goes by number", dialect.Int,
			less([5]string{"2", "1", "'a'", "3", "0"}, [5]string{"2", "1", "'a'", "4", "0"}), "", "1"},
		{"SortKey goes by the last number at the end", dialect.Int,
			less([5]string{"2", "1", "'a'", "3", "1"}, [5]string{"2", "1", "'a'", "3", "0"}), "", "0"},
	}
}

// tables returns cases of operations that produce rows.
func (p *templateWriter) tables() []templateCase {
	whole := func(name string, values ...int64) string { return p.arg(name, dialect.Ints, values) }
	zip := p.call(dialect.ZipBuckets, whole("bucket", 1, 2), whole("since", 3, 4), whole("until", 5, 6))
	members := func(name, object string) string {
		return " FROM (SELECT " + p.text(name, object) + " AS p) AS t " + p.call(dialect.JSONEach, "t.p") +
			" AS q ORDER BY v"
	}
	// chosen has a value of an expression for each of the few rows, t, beside a relation named chosen with one row.
	chosen := func(value string) string {
		return " FROM (WITH chosen AS (SELECT 1 AS o, 2 AS n) SELECT t.n AS n, " + value + " AS v" + p.few +
			") AS u ORDER BY u.n"
	}
	member := p.call(dialect.Concat, "q.key", "'='", "q.value")
	return []templateCase{
		{"ZipBuckets", dialect.Int, "z.bucket + z.since * z.until", " FROM " + zip + " AS z ORDER BY v", "16|26"},
		{"Among", dialect.Int, "u.v", chosen(p.holds(dialect.Among, "t.n", "chosen.o", "chosen")), "1|0|0|0"},
		{"Among of two", dialect.Int, "u.v", chosen(p.holds(dialect.Among, "t.o, t.n", "chosen.o, chosen.n", "chosen")),
			"0|1|0|0"},
		{"OnlyRow", dialect.Int, "u.v", chosen(p.call(dialect.OnlyRow, "chosen.n", "chosen")), "2|2|2|2"},
		{"RunOnce", dialect.Int, "w.o", " FROM (WITH w " + p.call(dialect.RunOnce, "SELECT 5 AS o") +
			" SELECT w.o AS o FROM w) AS w", "5"},
		{"Unnest", dialect.Text, "u.value", " FROM " + p.call(dialect.Unnest, p.list("letters", "b", "a")) +
			" AS u ORDER BY v", "a|b"},
		{"JSONEach keeps the spelling of numbers", dialect.Text, member,
			members("numbers", `{"a":1.50,"b":[-0,1e5,123456789012345678901234567890],"a":"1.50"}`),
			"a=1.50|a=1.50|b=[-0,1e5,123456789012345678901234567890]"},
		{"JSONEach escapes only what it must", dialect.Text, member,
			members("signs", `{"a":{"x":"\u2028\\u2028\/"},"b":"\u2028\/","c":"it's \"x\""}`),
			"a={\"x\":\"\u2028\\\\u2028/\"}|b=\u2028/|c=it's \"x\""},
		{"JSONEach leaves out blanks, and writes control characters as upper-case \\u001F", dialect.Text, member,
			members("blanks", "{ \"a\" : [ 1, {\"b\" :\t\"\\u001f \\u0001\"} ],\n\"b\": true }"),
			`a=[1,{"b":"\u001F \u0001"}]|b=true`},
		{"JSONEach of an invalid object", dialect.Text, member, members("nothing", "no object"), ""},
	}
}

// members returns cases of the values of members of JSON objects.
func (p *templateWriter) members() []templateCase {
	var cases []templateCase
	add := func(op dialect.Op, kind dialect.Kind, what, object, name, want string) {
		number := strconv.Itoa(len(p.args))
		cases = append(cases, templateCase{op.String() + " of " + what, kind,
			p.call(op, p.text("object_"+number+"_", object), p.text("name_"+number+"_", name)), "", want})
	}
	for _, c := range []struct{ what, object, name, want string }{
		{"a string", `{"a":"x\u00fc\n\"","a":"y"}`, "a", "xü\n\""},
		{"an empty string", `{"a":""}`, "a", ""},
		{"a boolean", `{"a":false}`, "a", "false"},
		{"a number", `{"a":12.50}`, "a", "12.50"},
		{"a number with an exponent", `{"a":1E+5}`, "a", "1E+5"},
		{"a number with many digits", `{"a":123456789012345678901234567890.10}`, "a",
			"123456789012345678901234567890.10"},
		{"a list", `{"a":["ü",1.0,{"b":null}]}`, "a", `["ü",1.0,{"b":null}]`},
		{"null", `{"a":null}`, "a", ""},
		{"an absent member", `{"b":1}`, "a", ""},
		{"no object", ``, "a", ""},
		{"a name that is a path elsewhere", `{"$.a":"dollar","a":"x"}`, "$.a", "dollar"},
		{"a name like a pointer", `{"/a~1/b":"slash"}`, "/a~1/b", "slash"},
		{"a name like an index", `{"0":"zero"}`, "0", "zero"},
		{"a name with quotes", `{"it's \"a\"":"quoted"}`, `it's "a"`, "quoted"},
		{"a name with wildcards", `{"ab":"x","a*":"star"}`, "a*", "star"},
	} {
		add(dialect.JSONValue, dialect.Text, c.what, c.object, c.name, c.want)
		has := "1"
		if c.want == "" && c.what != "an empty string" {
			has = "0"
		}
		number := strconv.Itoa(len(p.args))
		cases = append(cases, templateCase{dialect.JSONHas.String() + " of " + c.what, dialect.Int,
			p.holds(dialect.JSONHas, p.text("object_"+number+"_", c.object), p.text("name_"+number+"_", c.name)), "",
			has})
	}
	for _, c := range []struct{ what, value, want string }{
		{"a whole number", `7`, "70000"},
		{"decimals", `9.90`, "99000"},
		{"more decimals than count", `0.12344999999999999999999999`, "1234"},
		{"a half", `0.12345`, "1235"},
		{"a negative half", `-0.00005`, "-1"},
		{"less than a negative half", `-0.000049999999999999999`, "0"},
		{"zero", `0`, "0"},
		{"minus zero", `-0`, "0"},
		{"an exponent", `1.5e3`, "15000000"},
		{"a negative exponent", `125E-3`, "1250"},
		{"an exponent of leading zeros", `0.00001e+0005`, "10000"},
		{"zero with a great exponent", `0e999999999999999999999`, "0"},
		{"a great exponent", `1e999999999999999999999`, "null"},
		{"a very small number", `1e-999999999999999999999`, "0"},
		{"the greatest number", `999999999`, "9999999990000"},
		{"what is rounded to the greatest", `999999999.000049`, "9999999990000"},
		{"beyond the greatest", `999999999.00005`, "null"},
		{"beyond the greatest by tenths", `999999999.9`, "null"},
		{"a text beyond the greatest", `"-999999999.9"`, "null"},
		{"eight digits and four decimals", `"-99999999.9999"`, "-999999999999"},
		{"the least number", `-999999999`, "-9999999990000"},
		{"many digits", `123456789012345678901234567890`, "null"},
		{"a string", `"12.5"`, "125000"},
		{"a string with blanks", `" \t-3.00005\r\n"`, "-30001"},
		{"a string with leading zeros", `"000000001"`, "10000"},
		{"a string of ten digits", `"0000000001"`, "null"},
		{"a string with an exponent", `"1e3"`, "null"},
		{"a string with a plus", `"+1"`, "null"},
		{"a string without digits after the point", `"1."`, "null"},
		{"a string with a currency", `"5 EUR"`, "null"},
		{"a string with two lines", `"1\n2"`, "null"},
		{"an empty string", `""`, "null"},
		{"a boolean", `true`, "null"},
		{"null", `null`, "null"},
		{"a list", `[1]`, "null"},
		{"an object", `{"a":1}`, "null"},
	} {
		add(dialect.JSONDecimal, dialect.Int, c.what, `{"x":1,"a":`+c.value+`,"a":5}`, "a", c.want)
	}
	add(dialect.JSONDecimal, dialect.Int, "an absent member", `{"b":1}`, "a", "null")
	add(dialect.JSONDecimal, dialect.Int, "no object", ``, "a", "null")
	add(dialect.JSONDecimal, dialect.Int, "a name that is a path elsewhere", `{"$.a":2,"a":1}`, "$.a", "20000")
	return cases
}
