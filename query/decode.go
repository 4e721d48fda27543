package query

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// DefaultBatch is the largest number of queries in one body, where a host sets no other.
const DefaultBatch = 20

// Decoded is one query of a body: a request, and what is wrong with it. While Errors
// is not empty the request is incomplete; its ID and the names of its parameters are
// there as far as they could be read.
type Decoded struct {
	Request Request
	Errors  Errors // nil when the request is well-formed
}

// Decode reads the body of a query: an object is one request, an array of objects a
// batch of at most maxBatch (0 means DefaultBatch), which the bool reports. The error
// is an *Error about the body as a whole: it is no JSON, or no object or array of
// objects. Everything else that can be known without the catalogue and the clock is
// told per request, all of it. Decode takes any bytes and never panics; bounding
// their number is the caller's part.
func Decode(body []byte, maxBatch int) ([]Decoded, bool, error) {
	if err := checkJSON(body); err != nil {
		return nil, false, err
	}
	r := &reader{dec: json.NewDecoder(bytes.NewReader(body))}
	r.dec.UseNumber()
	switch token := r.next(); token {
	case json.Delim('{'):
		return []Decoded{r.query()}, false, nil
	case json.Delim('['):
		all, err := r.batch(maxBatch)
		return all, true, err
	default:
		return nil, false, bodyError(Invalid, "the body must be a query object or an array of query objects, not %s", kindOfToken(token))
	}
}

func checkJSON(body []byte) error {
	if !utf8.Valid(body) {
		return bodyError(InvalidJSON, "the body is not valid UTF-8")
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return bodyError(InvalidJSON, "the body is empty")
	}
	var raw json.RawMessage
	err := json.Unmarshal(body, &raw)
	if err == nil {
		return nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return bodyError(InvalidJSON, "the body is not valid JSON: %s, at byte %d", syntax, syntax.Offset)
	}
	return bodyError(InvalidJSON, "the body is not valid JSON")
}

func bodyError(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// A reader reads a body that is known to be valid JSON, token by token, so that
// nothing is kept of what is too much or not understood.
type reader struct {
	dec *json.Decoder
	issues
}

// next is the next token. The JSON was checked, so that there is one.
func (r *reader) next() json.Token {
	token, err := r.dec.Token()
	if err != nil {
		return nil
	}
	return token
}

// skip reads over the rest of the value that began with token.
func (r *reader) skip(token json.Token) {
	depth := 0
	for {
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth <= 0 {
			return
		}
		var err error
		if token, err = r.dec.Token(); err != nil {
			return
		}
	}
}

// batch reads the rest of an array of queries.
func (r *reader) batch(most int) ([]Decoded, error) {
	if most <= 0 {
		most = DefaultBatch
	}
	var all []Decoded
	count := 0
	for ; r.dec.More(); count++ {
		token := r.next()
		if token != json.Delim('{') {
			return nil, bodyError(Invalid, "item %d of the batch must be a query object, not %s", count, kindOfToken(token))
		}
		if count >= most {
			r.skip(token)
			continue
		}
		all = append(all, r.query())
	}
	switch {
	case count == 0:
		return nil, bodyError(Invalid, "a batch needs at least one query")
	case count > most:
		return nil, bodyError(Invalid, "a batch may have at most %d queries, not %d", most, count)
	}
	return all, nil
}

// query reads the rest of a query object.
func (r *reader) query() Decoded {
	r.issues = issues{}
	var req Request
	readObject(r, requestMembers, fieldPath{index: -1}, &req)
	checkRequest(&req, &r.issues)
	return Decoded{Request: req, Errors: r.sorted()}
}

// A member is one field of an object and how it is read.
type member[T any] struct {
	name string
	read func(r *reader, at fieldPath, into *T)
}

// readObject reads the rest of an object into *into. at is the object's place; that of
// a query has no field.
func readObject[T any](r *reader, members []member[T], at fieldPath, into *T) {
	var seen uint64
	for r.dec.More() {
		name, _ := r.next().(string)
		i := 0
		for i < len(members) && members[i].name != name {
			i++
		}
		here := at
		if at.field == "" {
			here = inField(name)
		} else {
			here.part = name
		}
		switch {
		case i == len(members):
			if !r.full() { // looking for suggestions takes time
				r.add(cutPath(here), unknown(Invalid, "field", name, memberNames(members)))
			}
			r.skip(r.next())
		case seen&(1<<i) != 0:
			r.addf(here, "is given twice")
			r.skip(r.next())
		default:
			seen |= 1 << i
			members[i].read(r, here, into)
		}
	}
	r.next() // the closing brace
}

func memberNames[T any](members []member[T]) []string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	return names
}

// cutPlace bounds the name of a field that a caller made up.
func cutPath(p fieldPath) fieldPath {
	p.field, p.part = cut(p.field), cut(p.part)
	return p
}

// kindOfToken says what a value that begins with token is.
func kindOfToken(token json.Token) string {
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return "an object"
		}
		return "an array"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "a boolean"
	}
	return "null"
}
