package rowjson

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// membersOf returns the names and values of an object, in their order. text must be valid JSON; ok is false if it is
// not an object. One pass over the bytes costs a tenth of decoding into a map.
func membersOf(text []byte) (members iter.Seq2[string, []byte], ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '{' {
		return nil, false
	}
	return func(yield func(string, []byte) bool) {
		rest := text[1:]
		for {
			rest = bytes.TrimLeft(rest, " \t\r\n,")
			if rest[0] == '}' {
				return
			}
			end := lengthOf(rest)
			key, _ := textOf("", rest[:end])
			rest = bytes.TrimLeft(rest[end:], " \t\r\n:")
			end = lengthOf(rest)
			if !yield(key, rest[:end]) {
				return
			}
			rest = rest[end:]
		}
	}, true
}

// lengthOf returns the length of the value at the beginning of valid JSON.
func lengthOf(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				if depth < 0 {
					return i // the end of the object around a number or a word
				}
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// textOf returns the text of a string.
func textOf(name string, raw []byte) (string, error) {
	if raw[0] != '"' {
		return "", invalid("%s must be a string", name)
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", invalid("%s: %w", name, err)
	}
	return text, nil
}
