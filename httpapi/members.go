package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/sightline-analytics/sightline/query"
)

// decodeInto decodes js, which is valid JSON, into v. Its error tells of the first mistake in words of
// JSON; field is where js stands in the body, empty for the body itself.
func decodeInto(field string, js []byte, v any, strict bool) *query.Error {
	d := json.NewDecoder(bytes.NewReader(js))
	if strict {
		d.DisallowUnknownFields()
	}
	err := d.Decode(v)
	if err == nil {
		return nil
	}
	text := strings.TrimPrefix(err.Error(), "json: ") // of an unknown field
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field = strings.Trim(field+"."+wrong.Field, ".")
		text = "must be " + wordOf(wrong.Type) + ", not " + wordOfJSON(wrong.Value)
	}
	return &query.Error{Code: query.Invalid, Field: field, Message: text, Err: err}
}

// wordOf is what JSON calls a value of t.
func wordOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

// wordOfJSON is the same for what encoding/json found, which may be a number and its text.
func wordOfJSON(found string) string {
	switch kind, _, _ := strings.Cut(found, " "); kind {
	case "bool":
		return "a boolean"
	case "array", "object":
		return "an " + kind
	default:
		return "a " + kind
	}
}
