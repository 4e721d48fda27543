package mistake

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// A FieldError is one mistake in a request or a record.
type FieldError struct {
	Field   string `json:"field"`   // its JSON name, as in "rules[1].operator"; empty for the whole request or record
	Message string `json:"message"` // what is wrong; safe to show to the caller
	// Suggestion is the value that was probably meant; empty if none is near.
	Suggestion string `json:"suggestion,omitempty"`
}

// Error returns the field and the message.
func (e FieldError) Error() string { return Sentence(e.Field, e.Message) }

// Most is the maximum length of a List, and of the mistakes that a body may have in an answer.
const Most = 100

// A List holds the mistakes that were found, at most 100. As an error it is never empty.
type List []FieldError

// One returns a list with one mistake.
func One(field, message string) List { return List{{Field: field, Message: message}} }

// Add adds a mistake, unless the list is full.
func (l *List) Add(field, message string) { l.add(FieldError{Field: field, Message: message}) }

func (l *List) add(more ...FieldError) {
	*l = append(*l, more[:max(0, min(len(more), Most-len(*l)))]...)
}

// AddNew adds the mistakes in more, except for fields that already have one: it may be the cause of the others.
func (l *List) AddNew(more ...FieldError) {
	before := *l
	for _, one := range more {
		if !slices.ContainsFunc(before, func(known FieldError) bool { return overlap(known.Field, one.Field) }) {
			l.add(one)
		}
	}
}

// Err returns l, or nil if l is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// ByField sorts the mistakes by their fields.
func (l List) ByField() List {
	slices.SortStableFunc(l, func(a, b FieldError) int { return strings.Compare(a.Field, b.Field) })
	return l
}

// Error returns the mistakes in one line.
func (l List) Error() string {
	texts := make([]string, len(l))
	for i, one := range l {
		texts[i] = one.Error()
	}
	return strings.Join(texts, "; ")
}

// Mistakes returns l.
func (l List) Mistakes() []FieldError { return l }

// In returns the mistakes that err lists, or nil: those of the first error in its tree with a method Mistakes.
func In(err error) []FieldError {
	if listed, ok := errors.AsType[Listed](err); ok {
		return listed.Mistakes()
	}
	return nil
}

// Listed is implemented by errors that list mistakes of a request or a record.
type Listed interface {
	error
	// Mistakes returns the mistakes, in the order in which callers should see them.
	Mistakes() []FieldError
}

// overlap reports whether two fields are the same, or one contains the other: resources[0] contains resources[0].kind,
// and resource does not contain resources.
func overlap(one, other string) bool { return has(one, other) || has(other, one) }

// has reports whether part is field or is in it.
func has(field, part string) bool {
	rest, ok := strings.CutPrefix(part, field)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
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
		return FieldError{Field: strings.Trim(field+"."+wrong.Field, "."), Message: Type(wrong)}, err
	}
	// an error without a type
	if _, ok := errors.AsType[*time.ParseError](err); ok || strings.HasPrefix(err.Error(), "Time.UnmarshalJSON") {
		return FieldError{Field: field, Message: "must have times like 2026-03-29T12:00:00Z"}, err
	}
	return FieldError{Field: field, Message: strings.TrimPrefix(err.Error(), "json: ")}, err // text of an unknown field
}
