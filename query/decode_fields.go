package query

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// A fieldValue is one field as it was sent: valid JSON in a body, or text in an address.
type fieldValue struct {
	json json.RawMessage // nil: text
	text string
}

// kind says what JSON v is.
func (v fieldValue) kind() string {
	switch v.json[0] {
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

// items are those of v, when it is an array.
func (v fieldValue) items() []fieldValue {
	var raw []json.RawMessage
	if v.json[0] != '[' || json.Unmarshal(v.json, &raw) != nil {
		return nil
	}
	items := make([]fieldValue, len(raw))
	for i := range raw {
		items[i].json = raw[i]
	}
	return items
}

// str is the text of v, when it is a string.
func (v fieldValue) str() (s string, ok bool) {
	ok = v.json[0] == '"' && json.Unmarshal(v.json, &s) == nil
	return s, ok
}

// scalar is the text of a string, a number or a boolean, the latter two as written.
func (v fieldValue) scalar() (string, bool) {
	switch v.kind() {
	case "a string":
		return v.str()
	case "a number", "a boolean":
		return string(v.json), true
	}
	return "", false
}

// A reader reads fields, and gathers what is wrong with them.
type reader struct{ issues }

// A member is one field of an object and how it is read.
type member[T any] struct {
	name string
	read read[T]
}

type read[T any] func(r *reader, at fieldPath, v fieldValue, into *T)

// reading is how the member called name is read; nil when there is none.
func reading[T any](members []member[T], name string) read[T] {
	for _, m := range members {
		if m.name == name {
			return m.read
		}
	}
	return nil
}

// text reads a string into a field.
func text[T any](field func(*T) *string) read[T] {
	return func(r *reader, at fieldPath, v fieldValue, into *T) { *field(into) = r.text(at, v) }
}

// requestMembers are the fields of a query, in a body and in an address.
// TestRequestFields holds them against requestFields.
var requestMembers = []member[Request]{
	{"id", text(func(q *Request) *string { return &q.ID })},
	{"parameters", func(r *reader, at fieldPath, v fieldValue, q *Request) { q.Parameters = r.parameters(at, v) }},
	{"startDate", text(func(q *Request) *string { return &q.StartDate })},
	{"endDate", text(func(q *Request) *string { return &q.EndDate })},
	{"preset", text(func(q *Request) *string { return &q.Preset })},
	{"timeZone", text(func(q *Request) *string { return &q.TimeZone })},
	{"limit", func(r *reader, at fieldPath, v fieldValue, q *Request) { q.Limit = r.whole(at, v) }},
	{"page", func(r *reader, at fieldPath, v fieldValue, q *Request) { q.Page = r.page(at, v) }},
	{"filters", func(r *reader, at fieldPath, v fieldValue, q *Request) { q.Filters = r.filters(at, v) }},
	{"granularity", text(func(q *Request) *string { return &q.Granularity })},
	{"groupBy", func(r *reader, at fieldPath, v fieldValue, q *Request) { q.GroupBy = r.groupBy(at, v) }},
	{"sortBy", text(func(q *Request) *string { return &q.SortBy })},
	{"sortOrder", text(func(q *Request) *string { return &q.SortOrder })},
}

var parameterMembers = []member[Parameter]{
	{"name", text(func(p *Parameter) *string { return &p.Name })},
	{"id", text(func(p *Parameter) *string { return &p.ID })},
	{"start_date", text(func(p *Parameter) *string { return &p.StartDate })},
	{"end_date", text(func(p *Parameter) *string { return &p.EndDate })},
	{"granularity", text(func(p *Parameter) *string { return &p.Granularity })},
}

// readObject reads v, an object, into *into. at is its path; that of a query has no field.
// It goes by tokens, since maps and structs do not tell that a field is given twice.
func readObject[T any](r *reader, members []member[T], at fieldPath, v fieldValue, into *T) {
	dec := json.NewDecoder(bytes.NewReader(v.json))
	_, _ = dec.Token() // the brace; v was checked to be JSON
	seen := map[string]bool{}
	for dec.More() {
		token, _ := dec.Token()
		name, _ := token.(string)
		var sent fieldValue
		if dec.Decode(&sent.json) != nil {
			return
		}
		here := at
		if at.field == "" {
			here = inField(name)
		} else {
			here.part = name
		}
		read := reading(members, name)
		switch {
		case read == nil:
			if !r.full() { // looking for suggestions takes time
				r.add(cutPath(here), unknown(Invalid, "field", name, memberNames(members)))
			}
		case seen[name]:
			r.addf(here, "is given twice")
		default:
			seen[name] = true
			read(r, here, sent, into)
		}
	}
}

func memberNames[T any](members []member[T]) []string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	return names
}

// cutPath bounds the name of a field that a caller made up.
func cutPath(p fieldPath) fieldPath {
	p.field, p.part = cut(p.field), cut(p.part)
	return p
}

// wrong tells that JSON of another kind was wanted. Null is nothing wrong: it says that
// the field is absent.
func (r *reader) wrong(at fieldPath, wanted string, v fieldValue) {
	if v.kind() != "null" {
		r.addf(at, "must be %s, not %s", wanted, v.kind())
	}
}

func (r *reader) text(at fieldPath, v fieldValue) string {
	if v.json == nil {
		return v.text
	}
	s, ok := v.str()
	if !ok {
		r.wrong(at, "a string", v)
	}
	return s
}

// whole reads a whole number, written without fraction and exponent.
func (r *reader) whole(at fieldPath, v fieldValue) *int {
	digits := v.text
	if v.json != nil {
		if v.kind() != "a number" {
			r.wrong(at, "a whole number", v)
			return nil
		}
		digits = string(v.json)
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		r.addf(at, "must be a whole number, not %s", cut(digits))
		return nil
	}
	return &n
}

// page reads a page. Its 0 must not pass for an absent one.
func (r *reader) page(at fieldPath, v fieldValue) int {
	n := r.whole(at, v)
	if n == nil {
		return 0
	}
	if *n < 1 {
		r.addf(at, "must be at least 1, not %d", *n)
	}
	return *n
}

func (list *issues) atMost(at fieldPath, what string, most, count int) {
	if count > most {
		list.addf(at, "may have at most %d %s, not %d", most, what, count)
	}
}
