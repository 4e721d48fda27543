package body

import (
	"bytes"
	"encoding/json"
	"iter"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A Value is one value as it was sent: JSON that was checked already, or the text of a query parameter.
type Value struct {
	json json.RawMessage // nil: text
	text string
}

// JSON returns the value with this valid JSON, which has no spaces around it.
func JSON(js []byte) Value { return Value{json: js} }

// Parameter returns the value of a query parameter.
func Parameter(text string) Value { return Value{text: text} }

// IsJSON reports whether v is JSON, and not the text of a query parameter.
func (v Value) IsJSON() bool { return v.json != nil }

// Raw returns the JSON of v, or the text of a query parameter.
func (v Value) Raw() []byte {
	if v.json == nil {
		return []byte(v.text)
	}
	return v.json
}

// Kind returns what JSON v is, as mistake.Kind does.
func (v Value) Kind() string { return mistake.Kind(v.json) }

// Null reports whether v is null.
func (v Value) Null() bool { return v.Kind() == "null" }

// Items returns the items of v, or nil if it is no array.
func (v Value) Items() []Value {
	if v.json[0] != '[' {
		return nil
	}
	return elements(v.json)
}

// Text returns the text of v, if it is a string.
func (v Value) Text() (string, bool) {
	switch {
	case v.json[0] != '"':
		return "", false
	case bytes.IndexByte(v.json, '\\') < 0: // it says what it is, which is valid UTF-8
		return string(v.json[1 : len(v.json)-1]), true
	}
	var s string
	ok := json.Unmarshal(v.json, &s) == nil
	return s, ok
}

// Scalar returns the text of a string, or a number or a boolean as it is written.
func (v Value) Scalar() (string, bool) {
	switch v.Kind() {
	case "a string":
		return v.Text()
	case "a number", "a boolean":
		return string(v.json), true
	}
	return "", false
}

// Decode decodes the JSON of v as encoding/json does. Unknown fields of objects in it are mistakes.
func (v Value) Decode(m Mistakes, at Path, into any) bool {
	wrong, err := mistake.Decode("", v.json, into, true)
	if err == nil {
		return true
	}
	if wrong.Field != "" {
		at = at.Member(wrong.Field)
	}
	m.Wrong(at, wrong.Message, "")
	return false
}

// What follows splits JSON that was checked already. It neither checks it again nor copies it.

// members returns the names and values of an object, in their order.
func members(object []byte) iter.Seq2[Value, Value] {
	return func(yield func(name, value Value) bool) {
		for at := blank(object, 1); object[at] != '}'; at = blank(object, at) {
			if object[at] == ',' {
				at = blank(object, at+1)
			}
			end := valueEnd(object, at)
			name := Value{json: object[at:end]}
			at = blank(object, blank(object, end)+1) // behind the colon
			end = valueEnd(object, at)
			if !yield(name, Value{json: object[at:end]}) {
				return
			}
			at = end
		}
	}
}

// elements returns the values of an array.
func elements(array []byte) (all []Value) {
	for at := blank(array, 1); array[at] != ']'; at = blank(array, at) {
		if array[at] == ',' {
			at = blank(array, at+1)
		}
		end := valueEnd(array, at)
		all = append(all, Value{json: array[at:end]})
		at = end
	}
	return all
}

// blank returns the end of the blanks that begin at at.
func blank(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return at
}

// valueEnd returns the end of the value that begins at at.
func valueEnd(text []byte, at int) int {
	switch text[at] {
	case '"':
		return stringEnd(text, at)
	case '{', '[':
		for depth := 0; ; at++ {
			switch text[at] {
			case '"':
				at = stringEnd(text, at) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
		}
	}
	if n := bytes.IndexAny(text[at:], ",]} \n\t\r"); n >= 0 {
		return at + n
	}
	return len(text)
}

// stringEnd returns the end of the string that begins at at.
func stringEnd(text []byte, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at + 1
}
