// Package mistake formats messages about mistakes of callers, so that one kind of mistake has one wording everywhere:
//
//	mistake.Sentence("limit", "must be at least 1, not 0")       // limit must be at least 1, not 0
//	mistake.JSON([]byte("{'a':1}"))                              // The body is not valid JSON: unexpected ' at byte 2; …
//	types := []string{"summary", "device_types"}
//	also := mistake.Synonyms{"devices": {"device_types"}}
//	mistake.Choice(`unknown query type "devices"`, "devices", types, also) // …; did you mean "device_types"?
package mistake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// verbs are the first words of messages that need the field as their subject.
var verbs = []string{"belongs", "cannot", "has", "is", "may", "must", "needs"}

// Sentence returns a message with its field, as a sentence if the message begins with a verb.
func Sentence(field, message string) string {
	verb, _, _ := strings.Cut(message, " ")
	switch {
	case field == "":
		return message
	case slices.Contains(verbs, strings.TrimRight(verb, ":;")):
		return field + " " + message
	}
	return field + ": " + message
}

// Type returns the message for a JSON value of the wrong type: "must be true or false, not a string".
func Type(err *json.UnmarshalTypeError) string {
	return Want(wanted(err.Type), found(err.Value))
}

// wanted returns the JSON name of the type t.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

// found returns the JSON name of a value that encoding/json describes: its type, and for a number also its text.
func found(value string) string {
	kind, text, _ := strings.Cut(value, " ")
	switch {
	case kind == "bool":
		return "a boolean"
	case kind == "array", kind == "object":
		return "an " + kind
	case text != "":
		return fmt.Sprintf("%.64s", text)
	default:
		return "a " + kind
	}
}

// Kind returns the type of js, which is valid JSON without leading spaces.
func Kind(js []byte) string {
	switch js[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// JSON returns why and where body is not JSON in UTF-8; empty if it is valid.
func JSON(body []byte) string {
	switch {
	case !utf8.Valid(body):
		return "The body is not valid UTF-8"
	case len(bytes.TrimSpace(body)) == 0:
		return "The body is empty"
	case json.Valid(body):
		return ""
	}
	return "The body is not valid JSON: " + brokenAt(body)
}

// brokenAt returns why and where the UTF-8 text body is not JSON.
func brokenAt(body []byte) string {
	var raw json.RawMessage
	syntax, _ := errors.AsType[*json.SyntaxError](json.Unmarshal(body, &raw))
	switch {
	case syntax == nil || syntax.Offset < 1 || syntax.Offset > int64(len(body)) ||
		strings.Contains(syntax.Error(), "unexpected end"):
		return fmt.Sprintf("it ends too early, at byte %d", len(body))
	case strings.Contains(syntax.Error(), "max depth"):
		return fmt.Sprintf("it is nested too deeply, at byte %d", syntax.Offset)
	}
	r, _ := utf8.DecodeRune(body[syntax.Offset-1:])
	text := fmt.Sprintf("unexpected %s at byte %d", strings.Trim(fmt.Sprintf("%q", r), "'"), syntax.Offset)
	if r == '\'' {
		text = fmt.Sprintf("unexpected ' at byte %d; JSON strings need double quotes", syntax.Offset)
	}
	return text
}
