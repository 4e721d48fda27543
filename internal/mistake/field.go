package mistake

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// A FieldError is one mistake in a request or a record.
type FieldError struct {
	Field   string `json:"field"`   // its JSON name, as in "rules[1].operator"; empty for the whole request or record
	Message string `json:"message"` // what is wrong; safe to show to the caller
}

// Error returns the field and the message.
func (e FieldError) Error() string { return Sentence(e.Field, e.Message) }

// Most is the maximum length of a List, and of the mistakes that a body may have in an answer.
const Most = 100

// A List holds the mistakes that were found, at most 100.
type List []FieldError

// Add adds a mistake, unless the list is full.
func (l *List) Add(field, message string) {
	if len(*l) < Most {
		*l = append(*l, FieldError{field, message})
	}
}

// Decode decodes the valid JSON js, which is at field, into v. If strict, it rejects unknown fields. It returns the
// first mistake in terms of JSON, and the error of encoding/json as its cause, or nil.
func Decode(field string, js []byte, v any, strict bool) (FieldError, error) {
	d := json.NewDecoder(bytes.NewReader(js))
	if strict {
		d.DisallowUnknownFields()
	}
	err := d.Decode(v)
	if err == nil {
		return FieldError{}, nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return FieldError{strings.Trim(field+"."+wrong.Field, "."), Type(wrong)}, err
	}
	// an error without a type
	if _, ok := errors.AsType[*time.ParseError](err); ok || strings.HasPrefix(err.Error(), "Time.UnmarshalJSON") {
		return FieldError{field, "must have times like 2026-03-29T12:00:00Z"}, err
	}
	return FieldError{field, strings.TrimPrefix(err.Error(), "json: ")}, err // text of an unknown field
}
