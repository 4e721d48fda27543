package query

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"
)

// What was checked to be JSON is taken apart here without being checked again, and without a copy.

// members are those of an object, in their order: name and value.
func members(object []byte) iter.Seq2[fieldValue, fieldValue] {
	return func(yield func(name, value fieldValue) bool) {
		for at := blank(object, 1); object[at] != '}'; at = blank(object, at) {
			if object[at] == ',' {
				at = blank(object, at+1)
			}
			end := valueEnd(object, at)
			name := fieldValue{json: object[at:end]}
			at = blank(object, blank(object, end)+1) // behind the colon
			end = valueEnd(object, at)
			if !yield(name, fieldValue{json: object[at:end]}) {
				return
			}
			at = end
		}
	}
}

// elements are those of an array.
func elements(array []byte) (all []fieldValue) {
	for at := blank(array, 1); array[at] != ']'; at = blank(array, at) {
		if array[at] == ',' {
			at = blank(array, at+1)
		}
		end := valueEnd(array, at)
		all = append(all, fieldValue{json: array[at:end]})
		at = end
	}
	return all
}

// blank is where the blanks that begin at at end.
func blank(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return at
}

// valueEnd is where the value that begins at at ends.
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

// stringEnd is where the string that begins at at ends.
func stringEnd(text []byte, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// checkJSON says, with the code InvalidJSON, why body is no JSON in UTF-8.
func checkJSON(body []byte) error {
	if !utf8.Valid(body) {
		return bodyError(InvalidJSON, "the body is not valid UTF-8")
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return bodyError(InvalidJSON, "the body is empty")
	}
	if json.Valid(body) {
		return nil
	}
	return bodyError(InvalidJSON, "the body is not valid JSON: %s", brokenAt(body))
}

// brokenAt says where and why body is no JSON.
func brokenAt(body []byte) string {
	var raw json.RawMessage
	syntax, _ := errors.AsType[*json.SyntaxError](json.Unmarshal(body, &raw))
	switch {
	case syntax == nil || syntax.Offset < 1 || syntax.Offset > int64(len(body)) || strings.Contains(syntax.Error(), "unexpected end"):
		return fmt.Sprintf("it ends too early, at byte %d", len(body))
	case strings.Contains(syntax.Error(), "max depth"):
		return fmt.Sprintf("it is nested too deeply, at byte %d", syntax.Offset)
	}
	found, _ := utf8.DecodeRune(body[syntax.Offset-1:])
	return fmt.Sprintf("%q is not expected, at byte %d", found, syntax.Offset)
}
