// Package body reads the JSON objects in bodies of requests. Each field of an object is a row, which says how it is
// read, what else people call it, and how it is documented:
//
//	var fields = body.Of(
//		body.Value("name", func(k *auth.Key) *string { return &k.Name }).Shaped(openapi.Text("")),
//		body.List("scopes", func(k *auth.Key) *[]auth.Scope { return &k.Scopes }).Called("permissions"),
//	)
//	patch, mistakes := fields.Read([]byte(`{"scopes":["read:data"],"nam":1}`))
//	// nam: unknown field "nam"; did you mean "name"?
//	patch.Apply(&key) // sets key.Scopes and nothing else
//
// So one list of rows serves for new records and for changes, which set the given fields and leave out the others.
package body

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// A Field is a row for one field of the JSON form of T.
type Field[T any] struct {
	name   string
	words  []string
	schema *openapi.Schema
	read   func(at string, js []byte, into *T) mistake.List
	set    func(from, to *T)
}

// Value returns the row for a field whose place in T is given by of. Null is the zero value.
func Value[T, V any](name string, of func(*T) *V) Field[T] {
	return Custom(name, of, func(at string, js []byte, into *V) mistake.List { return Item(at, js, into) })
}

// List returns the row for an array. Its items are decoded one by one, so that each has its own mistakes. Items that
// are objects must have the fields in need. Null is an empty list.
func List[T, V any](name string, of func(*T) *[]V, need ...string) Field[T] {
	f := Custom(name, of, func(at string, js []byte, into *[]V) mistake.List { return Items(at, js, into, need...) })
	f.set = func(from, to *T) { *of(to) = slices.Clone(*of(from)) }
	return f
}

// Custom returns the row for a field that read decodes. at is the place of js in the body.
func Custom[T, V any](name string, of func(*T) *V, read func(at string, js []byte, into *V) mistake.List) Field[T] {
	return Field[T]{
		name: name,
		read: func(at string, js []byte, into *T) mistake.List { return read(at, js, of(into)) },
		set:  func(from, to *T) { *of(to) = *of(from) },
	}
}

// Called adds words that people use instead of the name: in lower case, without separators.
func (f Field[T]) Called(words ...string) Field[T] {
	f.words = append(slices.Clip(f.words), words...)
	return f
}

// Shaped sets the schema that documents the field.
func (f Field[T]) Shaped(s *openapi.Schema) Field[T] {
	f.schema = s
	return f
}

// NotNull makes null a mistake.
func (f Field[T]) NotNull() Field[T] {
	read := f.read
	f.read = func(at string, js []byte, into *T) mistake.List {
		if string(js) == "null" {
			return mistake.One(at, "must not be null")
		}
		return read(at, js, into)
	}
	return f
}

// Item decodes js, which is at a place of the body. Unknown fields of objects in it are mistakes.
func Item(at string, js []byte, into any) mistake.List {
	if wrong, err := mistake.Decode(at, js, into, true); err != nil {
		return mistake.List{wrong}
	}
	return nil
}

// NotEmpty makes an empty list, and null, a mistake. without says what to do instead.
func NotEmpty[T, V any](name string, of func(*T) *[]V, without string) Field[T] {
	f := List(name, of)
	read := f.read
	f.read = func(at string, js []byte, into *T) mistake.List {
		bad := read(at, js, into)
		if len(bad) == 0 && len(*of(into)) == 0 {
			return mistake.One(at, "must not be empty; "+without)
		}
		return bad
	}
	return f
}

// Items decodes an array, item by item. Items that are objects must have the fields in need.
func Items[V any](at string, js []byte, into *[]V, need ...string) (all mistake.List) {
	var items []json.RawMessage
	if all = Item(at, js, &items); all != nil {
		return all
	}
	*into = make([]V, len(items))
	for i, item := range items {
		here := fmt.Sprintf("%s[%d]", at, i)
		wrong := Item(here, item, &(*into)[i])
		for _, name := range need {
			var given map[string]json.RawMessage
			if json.Unmarshal(item, &given) == nil && given[name] == nil {
				wrong = append(wrong, mistake.One(here+"."+name, mistake.Required)...)
			}
		}
		if len(all) < mistake.Most {
			all = append(all, wrong...)
		}
	}
	return all
}

// Fields are the fields of an object, in the order in which they are documented.
type Fields[T any] struct {
	rows  []Field[T]
	words mistake.Synonyms
}

// Of returns the fields of an object.
func Of[T any](rows ...Field[T]) Fields[T] {
	f := Fields[T]{rows: rows, words: mistake.Synonyms{}}
	for _, row := range rows {
		for _, word := range row.words {
			f.words[word] = append(f.words[word], row.name)
		}
	}
	return f
}

// Schema returns the schema of the object.
func (f Fields[T]) Schema(about string) *openapi.Schema {
	members := make([]openapi.Property, len(f.rows))
	for i, row := range f.rows {
		members[i] = openapi.Member(row.name, row.schema)
	}
	return openapi.Object(about, members...)
}

// names returns the names of all fields, sorted.
func (f Fields[T]) names() []string {
	all := make([]string, len(f.rows))
	for i, row := range f.rows {
		all[i] = row.name
	}
	slices.Sort(all)
	return all
}

// row returns the row of a field, or nil.
func (f Fields[T]) row(is func(name string) bool) *Field[T] {
	if i := slices.IndexFunc(f.rows, func(row Field[T]) bool { return is(row.name) }); i >= 0 {
		return &f.rows[i]
	}
	return nil
}

// Read reads a JSON object. It returns its fields, and all mistakes: first of names that are given twice, then by the
// names of the fields. Members with a mistake count as given. js must be valid JSON without leading spaces.
func (f Fields[T]) Read(js []byte) (Patch[T], mistake.List) {
	members, bad := object(js)
	bad = append(bad, repeated(js)...)
	p := Patch[T]{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		row := f.row(func(known string) bool { return known == name })
		if row == nil {
			message, suggestion := mistake.Unknown(name, f.names(), f.words)
			bad = append(bad, mistake.FieldError{Field: name, Message: message, Suggestion: suggestion})
			continue
		}
		p.given = append(p.given, row)
		bad = append(bad, row.read(name, members[name], &p.value)...)
	}
	return p, bad[:min(len(bad), mistake.Most)]
}

// ReadKnown is Read for callers with a fixed protocol of their own: it ignores unknown fields, the case of names and
// repetitions.
func (f Fields[T]) ReadKnown(js []byte) (Patch[T], mistake.List) {
	members, bad := object(js)
	p := Patch[T]{}
	for _, sent := range slices.Sorted(maps.Keys(members)) {
		row := f.row(func(known string) bool { return strings.EqualFold(known, sent) })
		if row == nil {
			continue
		}
		p.given = append(p.given, row)
		bad = append(bad, row.read(row.name, members[sent], &p.value)...)
	}
	return p, bad[:min(len(bad), mistake.Most)]
}

// object returns the members of a JSON object.
func object(js []byte) (members map[string]json.RawMessage, bad mistake.List) {
	if kind := mistake.Kind(js); kind != "an object" {
		return nil, mistake.One("", mistake.Body("The body", kind))
	}
	return members, Item("", js, &members)
}

// A Patch has the fields of T that a body gives.
type Patch[T any] struct {
	value T
	given []*Field[T]
}

// Gives reports whether the body has a field.
func (p *Patch[T]) Gives(name string) bool {
	return slices.ContainsFunc(p.given, func(f *Field[T]) bool { return f.name == name })
}

// Empty reports whether the body has no field.
func (p *Patch[T]) Empty() bool { return len(p.given) == 0 }

// Only reports whether the body has no other field.
func (p *Patch[T]) Only(name string) bool {
	return len(p.given) == 1 && p.given[0].name == name
}

// Apply sets the given fields of to. Of two spellings of a name the later one in the order of names counts.
func (p *Patch[T]) Apply(to *T) {
	for _, f := range p.given {
		f.set(&p.value, to)
	}
}

// New returns a T with the given fields. The others are zero.
func (p *Patch[T]) New() (value T) {
	p.Apply(&value)
	return value
}
