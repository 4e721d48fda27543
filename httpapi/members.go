package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/sightline-analytics/sightline/internal/fieldpath"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query"
)

// decodeInto decodes the valid JSON js into v. Its error describes the first mistake in terms of JSON. field is the
// place of js in the body; empty for the body itself.
func decodeInto(field string, js []byte, v any, strict bool) *query.Error {
	wrong, err := mistake.Decode(field, js, v, strict)
	if err == nil {
		return nil
	}
	return invalid(wrong, err)
}

// repeatedMembers returns members of objects in the valid JSON js whose names occur twice in one object, regardless of
// case. encoding/json would use the last of them.
func repeatedMembers(js []byte) (bad query.Errors) {
	walkMembers(json.NewDecoder(bytes.NewReader(js)), "", func(field string) {
		if len(bad) < maxUnknown {
			bad = append(bad, &query.Error{Code: query.Invalid, Field: field, Message: "must be given once, not twice"})
		}
	})
	return bad
}

// walkMembers reads the next value of d, which is at field, and calls found for each repeated member in it.
func walkMembers(d *json.Decoder, field string, found func(field string)) {
	token, _ := d.Token()
	opening, ok := token.(json.Delim)
	if !ok {
		return
	}
	seen := map[string]bool{}
	for i := 0; d.More(); i++ {
		at := fmt.Sprintf("%s[%d]", field, i)
		if opening == '{' {
			token, _ := d.Token()
			name, _ := token.(string)
			at = strings.TrimPrefix(field+"."+name, ".")
			if key := strings.Map(leastFold, name); seen[key] {
				found(at)
			} else {
				seen[key] = true
			}
		}
		walkMembers(d, at, found)
	}
	_, _ = d.Token() // the closing bracket
}

// leastFold returns the smallest rune that equals r regardless of case.
func leastFold(r rune) rune {
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}

// A memberReader decodes the member name of an object, and returns its mistakes.
type memberReader func(name string, js []byte) query.Errors

// readMembers reads the JSON object in the body of r into the members of into. It returns the names of those that are
// there, and all mistakes. err is an error of the body as a whole.
func (a *api) readMembers(r *front.Request, into map[string]memberReader,
	synonyms mistake.Synonyms) (given map[string]bool, bad query.Errors, err error) {
	js, err := a.readJSON(r)
	if err != nil {
		return nil, nil, err
	}
	var members map[string]json.RawMessage
	if err := decodeInto("", js, &members, false); err != nil {
		return nil, nil, query.Errors{err}
	}
	given, bad = map[string]bool{}, repeatedMembers(js)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		read, known := into[name]
		if !known {
			message, suggestion := mistake.Unknown(name, slices.Sorted(maps.Keys(into)), synonyms)
			bad = append(bad, &query.Error{Code: query.Invalid, Field: name, Message: message, Suggestion: suggestion})
			continue
		}
		given[name] = true
		bad = append(bad, read(name, members[name])...)
	}
	return given, bad, nil
}

// oneOf returns a reader for one value.
func oneOf[T any](into *T) memberReader {
	return func(name string, js []byte) query.Errors {
		if err := decodeInto(name, js, into, true); err != nil {
			return query.Errors{err}
		}
		return nil
	}
}

// eachOf returns a reader for an array, item by item.
func eachOf[T any](into *[]T) memberReader {
	return func(name string, js []byte) (bad query.Errors) {
		var items []json.RawMessage
		if bad = oneOf(&items)(name, js); len(bad) > 0 {
			return bad
		}
		*into = make([]T, len(items))
		for i, item := range items {
			wrong := oneOf(&(*into)[i])(fmt.Sprintf("%s[%d]", name, i), item)
			if len(bad) < maxUnknown {
				bad = append(bad, wrong...)
			}
		}
		return bad
	}
}

// addTo adds the mistakes in more, except for fields that already have one: it may be the cause of the others.
func addTo(bad query.Errors, more ...*query.Error) query.Errors {
	before := bad
	for _, e := range more {
		if !slices.ContainsFunc(before,
			func(known *query.Error) bool { return fieldpath.Overlap(known.Field, e.Field) }) {
			bad = append(bad, e)
		}
	}
	return bad
}
