package ask

import (
	"bytes"
	"iter"
)

// This file splits JSON that was checked already. It neither checks it again nor copies it.

// members returns the names and values of an object, in their order.
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

// elements returns the values of an array.
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
