package sqlite

import (
	"cmp"
	sqldriver "database/sql/driver"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// This file has the functions that read and write JSON. Package dialect says how JSON is spelled.

const upperHex = "0123456789ABCDEF"

// appendQuoted appends s as a JSON string with the escapes that JSON requires, and no others.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[done:i]...)
		done = i + 1
		if short := strings.IndexByte("\"\\\b\f\n\r\t", c); short >= 0 {
			b = append(b, '\\', `"\bfnrt`[short])
		} else {
			b = append(b, '\\', 'u', '0', '0', upperHex[c>>4], upperHex[c&15])
		}
	}
	return append(append(b, s[done:]...), '"')
}

// quotedList returns the JSON array that an argument of kind Texts is bound as. Equal texts are spelled equally.
func quotedList(list []string) string {
	b := []byte{'['}
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, s)
	}
	return string(append(b, ']'))
}

// stringEnd returns the end of the JSON string that begins at s[i].
func stringEnd(s string, i int) int {
	for i++; s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// unquoted returns the text of a valid JSON string.
func unquoted(s string) string {
	if !strings.Contains(s, `\`) {
		return s[1 : len(s)-1]
	}
	var text string
	_ = json.Unmarshal([]byte(s), &text) // s is valid
	return text
}

// appendSpelled appends a valid JSON value without blanks, with numbers as they are and strings as appendQuoted
// writes them.
func appendSpelled(b []byte, s string) []byte {
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '"':
			end := stringEnd(s, i)
			b = appendQuoted(b, unquoted(s[i:end]))
			i = end
			continue
		case ' ', '\t', '\n', '\r':
		default:
			b = append(b, c)
		}
		i++
	}
	return b
}

// eachMember calls visit for the members of a JSON object, in order, until visit returns false. key and value are
// JSON. If object is not a valid JSON object, eachMember does nothing.
func eachMember(object string, visit func(key, value string) bool) {
	object = strings.Trim(object, " \t\r\n")
	if !strings.HasPrefix(object, "{") || !json.Valid([]byte(object)) {
		return
	}
	for i := skipBlanks(object, 1); object[i] == '"'; {
		end := stringEnd(object, i)
		key := object[i:end]
		begin := skipBlanks(object, skipBlanks(object, end)+1) // after the colon
		end = valueEnd(object, begin)
		if !visit(key, strings.TrimRight(object[begin:end], " \t\r\n")) || object[end] == '}' {
			return
		}
		i = skipBlanks(object, end+1)
	}
}

func skipBlanks(s string, i int) int {
	for strings.IndexByte(" \t\r\n", s[i]) >= 0 {
		i++
	}
	return i
}

// valueEnd returns the position of the comma or brace after the value of a member that begins at s[i].
func valueEnd(s string, i int) int {
	for depth := 0; ; i++ {
		switch s[i] {
		case '"':
			i = stringEnd(s, i) - 1
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
}

// jsonText returns the text of the first member with a name.
func jsonText(args []sqldriver.Value) (sqldriver.Value, error) {
	value, err := memberOf(args)
	if err != nil || value == "" {
		return "", err
	}
	switch value[0] {
	case '"':
		return strings.Clone(unquoted(value)), nil // the object is only valid during the call
	case 't', 'f':
		return strings.Clone(value), nil
	}
	return "", nil
}

// members returns an object with the members of object, whose values are texts: of strings their content, of
// other values their JSON.
func members(object string) string {
	b := []byte{'{'}
	eachMember(object, func(key, value string) bool {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(appendQuoted(b, unquoted(key)), ':')
		if value[0] == '"' {
			b = appendQuoted(b, unquoted(value))
		} else {
			b = appendQuoted(b, string(appendSpelled(nil, value)))
		}
		return true
	})
	return string(append(b, '}'))
}

// indexIn returns the index of a text in a list that quotedList wrote, or -1. It compares the JSON strings.
func indexIn(list, text string) int {
	want := string(appendQuoted(nil, text))
	n := 0
	for i := 1; list[i] == '"'; n++ {
		end := stringEnd(list, i)
		if list[i:end] == want {
			return n
		}
		if i = end; list[i] == ',' {
			i++
		}
	}
	return -1
}

// elementOf returns the text with index n of a list that quotedList wrote, or an empty text.
func elementOf(list string, n int) string {
	for i := 1; list[i] == '"'; n-- {
		end := stringEnd(list, i)
		if n == 0 {
			return strings.Clone(unquoted(list[i:end]))
		}
		if i = end; list[i] == ',' {
			i++
		}
	}
	return ""
}

func position(args []sqldriver.Value) (sqldriver.Value, error) {
	if args[0] == nil {
		return nil, nil
	}
	text, err := textOf(args[0])
	if err != nil {
		return nil, err
	}
	list, err := textOf(args[1])
	if err != nil {
		return nil, err
	}
	if n := indexIn(list, text); n >= 0 {
		return int64(n + 1), nil
	}
	return nil, nil
}

func lookup(args []sqldriver.Value) (sqldriver.Value, error) {
	at, err := position(args)
	if err != nil {
		return nil, err
	}
	if n, ok := at.(int64); ok {
		texts, err := textOf(args[2])
		return elementOf(texts, int(n-1)), err
	}
	return kept(args[3]), nil
}

// zip returns a JSON array of the triples of three lists of whole numbers with the same length.
func zip(args []sqldriver.Value) (sqldriver.Value, error) {
	var lists [3][]int64
	for i := range lists {
		text, err := textOf(args[i])
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(text), &lists[i]); err != nil {
			return nil, err
		}
	}
	triples := make([][3]int64, min(len(lists[0]), len(lists[1]), len(lists[2])))
	for i := range triples {
		triples[i] = [3]int64{lists[0][i], lists[1][i], lists[2][i]}
	}
	text, err := json.Marshal(triples)
	return string(text), err
}

// jsonValue returns the text of the first member called name of an object: of a string its content, of null and of no
// member nothing, of other values their JSON.
func jsonHas(args []sqldriver.Value) (sqldriver.Value, error) {
	value, err := memberOf(args)
	if err != nil {
		return nil, err
	}
	return truth(value != "" && value != "null"), nil
}

func jsonValue(args []sqldriver.Value) (sqldriver.Value, error) {
	value, err := memberOf(args)
	switch {
	case err != nil:
		return nil, err
	case value == "" || value == "null":
		return "", nil
	case value[0] == '"':
		return strings.Clone(unquoted(value)), nil
	}
	return string(appendSpelled(nil, value)), nil
}

// memberOf returns the JSON of the first member of an object with a name, or an empty text. It is valid as long
// as the object.
func memberOf(args []sqldriver.Value) (found string, _ error) {
	object, err := textOf(args[0])
	if err != nil {
		return "", err
	}
	name, err := textOf(args[1])
	if err != nil {
		return "", err
	}
	eachMember(object, func(key, value string) bool {
		if unquoted(key) != name {
			return true
		}
		found = value
		return false
	})
	return found, nil
}

var (
	// decimalText matches a string that is taken for a number; its group is the number.
	decimalText = regexp.MustCompile(`^[ \t\r\n]*(-?[0-9]{1,9}(?:[.][0-9]+)?)[ \t\r\n]*$`)
	// decimalParts matches a number: its sign, the digits before and behind the point, and the exponent.
	decimalParts = regexp.MustCompile(`^(-?)([0-9]+)(?:[.]([0-9]*))?(?:[eE]([-+]?[0-9]+))?$`)
)

// mostDecimal is the largest number of hundred-thousandths that is rounded to no more than 999 999 999.
const mostDecimal = 99_999_999_900_004

// jsonDecimal returns the number in a member of an object, in ten-thousandths; null if it has none.
func jsonDecimal(args []sqldriver.Value) (sqldriver.Value, error) {
	value, err := memberOf(args)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(value, `"`) {
		found := decimalText.FindStringSubmatch(unquoted(value))
		if found == nil {
			return nil, nil
		}
		value = found[1]
	}
	part := decimalParts.FindStringSubmatch(value)
	if part == nil {
		return nil, nil
	}
	exponent, err := strconv.Atoi(cmp.Or(part[4], "0"))
	if err != nil { // beyond all bounds
		exponent = math.MaxInt32
		if part[4][0] == '-' {
			exponent = -exponent
		}
	}
	// The digits up to the fifth behind the point. With more zeros than that a value is beyond mostDecimal.
	digits := part[2] + part[3]
	last := min(len(part[2])+5+exponent, len(digits)+15)
	digits = strings.TrimLeft((digits + strings.Repeat("0", 15))[:max(last, 0)], "0")
	if len(digits) > 14 {
		return nil, nil
	}
	small, _ := strconv.ParseInt(cmp.Or(digits, "0"), 10, 64) // at most 14 digits
	if small > mostDecimal {
		return nil, nil
	}
	number := (small + 5) / 10
	if part[1] == "-" {
		number = -number
	}
	return number, nil
}
