// Package body reads the JSON objects in bodies of requests. Each field of an object is a row, which says how it is
// read, what else people call it, and how it is documented:
//
//	var fields = body.Of(
//		body.Member("name", func(k *auth.Key) *string { return &k.Name }).Shaped(openapi.Text("")),
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
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// A Field is a row for one field of the JSON form of T.
type Field[T any] struct {
	name   string
	other  string // a second spelling; may be empty
	words  []string
	schema *openapi.Schema
	read   func(m Mistakes, at Path, v Value, into *T)
	set    func(from, to *T)
}

// Member returns the row for a field whose place in T is given by of. Null is the zero value.
func Member[T, V any](name string, of func(*T) *V) Field[T] {
	return Custom(name, of, func(m Mistakes, at Path, v Value, into *V) { v.Decode(m, at, into) })
}

// Text returns the row for a string, which may also be a query parameter.
func Text[T any](name string, of func(*T) *string) Field[T] {
	return Custom(name, of, func(m Mistakes, at Path, v Value, into *string) { *into = ReadText(m, at, v) })
}

// List returns the row for an array. Its items are decoded one by one, so that each has its own mistakes. Items that
// are objects must have the fields in need. Null is an empty list.
func List[T, V any](name string, of func(*T) *[]V, need ...string) Field[T] {
	f := Custom(name, of, func(m Mistakes, at Path, v Value, into *[]V) { Items(m, at, v, into, need...) })
	f.set = func(from, to *T) { *of(to) = slices.Clone(*of(from)) }
	return f
}

// NotEmpty is a List that must not be empty, and not null. without says what to do instead.
func NotEmpty[T, V any](name string, of func(*T) *[]V, without string) Field[T] {
	f := List(name, of)
	f.read = func(m Mistakes, at Path, v Value, into *T) {
		if Items(m, at, v, of(into)) && len(*of(into)) == 0 {
			m.Wrong(at, "must not be empty; "+without, "")
		}
	}
	return f
}

// Custom returns the row for a field that read decodes. at is the place of v in the body.
func Custom[T, V any](name string, of func(*T) *V, read func(m Mistakes, at Path, v Value, into *V)) Field[T] {
	return Field[T]{
		name: name,
		read: func(m Mistakes, at Path, v Value, into *T) { read(m, at, v, of(into)) },
		set:  func(from, to *T) { *of(to) = *of(from) },
	}
}

// Inside returns the row for a field of P in a T that has a P: of returns it.
func Inside[T, P any](f Field[P], of func(*T) *P) Field[T] {
	return Field[T]{
		name: f.name, other: f.other, words: f.words, schema: f.schema,
		read: func(m Mistakes, at Path, v Value, into *T) { f.read(m, at, v, of(into)) },
		set:  func(from, to *T) { f.set(of(from), of(to)) },
	}
}

// Name returns the name of the field.
func (f Field[T]) Name() string { return f.name }

// Schema returns the schema that documents the field, or nil.
func (f Field[T]) Schema() *openapi.Schema { return f.schema }

// Copy sets the field of to.
func (f Field[T]) Copy(from, to *T) { f.set(from, to) }

// Called adds words that people use instead of the name: in lower case, without separators.
func (f Field[T]) Called(words ...string) Field[T] {
	f.words = append(slices.Clip(f.words), words...)
	return f
}

// Also adds a second spelling of the name.
func (f Field[T]) Also(name string) Field[T] {
	f.other = name
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
	f.read = func(m Mistakes, at Path, v Value, into *T) {
		if v.Null() {
			m.Wrong(at, "must not be null", "")
			return
		}
		read(m, at, v, into)
	}
	return f
}

// Items decodes an array, item by item. Items that are objects must have the fields in need.
func Items[V any](m Mistakes, at Path, v Value, into *[]V, need ...string) (ok bool) {
	var items []json.RawMessage
	if !v.Decode(m, at, &items) {
		return false
	}
	ok = true
	*into = make([]V, len(items))
	for i, item := range items {
		if m.Full() {
			return false
		}
		here := at.Item(i)
		ok = JSON(item).Decode(m, here, &(*into)[i]) && ok
		for _, name := range need {
			var given map[string]json.RawMessage
			if json.Unmarshal(item, &given) == nil && given[name] == nil {
				m.Wrong(here.Member(name), mistake.Required, "")
				ok = false
			}
		}
	}
	return ok
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

// Nested has the fields of objects that may have objects of the same kind in them: a variable with these fields would
// depend on itself. Its zero value is ready.
type Nested[T any] struct {
	once   sync.Once
	fields Fields[T]
}

// Of returns the fields, which create makes at the first call.
func (n *Nested[T]) Of(create func() Fields[T]) Fields[T] {
	n.once.Do(func() { n.fields = create() })
	return n.fields
}

// Schema returns the schema of the object.
func (f Fields[T]) Schema(about string) *openapi.Schema {
	members := make([]openapi.Property, len(f.rows))
	for i, row := range f.rows {
		members[i] = openapi.Member(row.name, row.schema)
	}
	return openapi.Object(about, members...)
}

// Names returns the names of all fields.
func (f Fields[T]) Names() []string {
	all := make([]string, len(f.rows))
	for i, row := range f.rows {
		all[i] = row.name
	}
	return all
}

// Knowing adds words that people use instead of names of fields.
func (f Fields[T]) Knowing(words mistake.Synonyms) Fields[T] {
	f.words = words
	return f
}

// Has reports whether there is a field with this name.
func (f Fields[T]) Has(name string) bool { return f.row(name) != nil }

// row returns the row of a field, or nil.
func (f Fields[T]) row(name string) *Field[T] {
	for i := range f.rows {
		if f.rows[i].name == name || f.rows[i].other == name && name != "" {
			return &f.rows[i]
		}
	}
	return nil
}

// Into reads v, an object at a place of the body, into *into. Mistakes are added in the order of v.
func (f Fields[T]) Into(m Mistakes, at Path, v Value, into *T) {
	seen := make([]string, 0, 16) // more than most have
	for sent, value := range members(v.json) {
		name, _ := sent.Text()
		row := f.row(name)
		switch {
		case row == nil && m.Full(): // looking for suggestions takes time
		case row == nil && m.Elsewhere(at, name):
		case row == nil:
			f.unknown(m, at, name, f.Names())
		case slices.Contains(seen, name):
			m.Wrong(at.Member(name), twice, "")
		default:
			seen = append(seen, name)
			row.read(m, at.Member(name), value, into)
		}
	}
}

// Parameter reads a query parameter, and reports whether there is a field with its name.
func (f Fields[T]) Parameter(m Mistakes, name, text string, into *T) bool {
	row := f.row(name)
	if row != nil && text != "" {
		row.read(m, At(name), Parameter(text), into)
	}
	return row != nil
}

func (f Fields[T]) unknown(m Mistakes, at Path, name string, known []string) {
	message, suggestion := mistake.Unknown(name, known, f.words)
	m.Wrong(at.Member(mistake.Cut(name)), message, suggestion)
}

// A listed collects mistakes.
type listed struct{ mistake.List }

// Wrong implements Mistakes.
func (l *listed) Wrong(at Path, message, suggestion string) {
	if !l.Full() {
		l.List = append(l.List, mistake.FieldError{Field: at.String(), Message: message, Suggestion: suggestion})
	}
}

// Elsewhere implements Mistakes.
func (l *listed) Elsewhere(Path, string) bool { return false }

// Full implements Mistakes.
func (l *listed) Full() bool { return len(l.List) >= mistake.Most }

// Read reads a JSON object. It returns its fields, and all mistakes: first of names that are given twice, then by the
// names of the fields. Members with a mistake count as given. js must be valid JSON without leading spaces.
func (f Fields[T]) Read(js []byte) (Patch[T], mistake.List) {
	var m listed
	p := Patch[T]{}
	given := object(&m, js)
	known := slices.Sorted(slices.Values(f.Names()))
	repeated(&m, Path{}, JSON(js))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		row := f.row(name)
		if row == nil {
			f.unknown(&m, Path{}, name, known)
			continue
		}
		p.given = append(p.given, row)
		row.read(&m, At(name), given[name], &p.value)
	}
	return p, m.List
}

// ReadKnown is Read for callers with a fixed protocol of their own: it ignores unknown fields, the case of names and
// repetitions.
func (f Fields[T]) ReadKnown(js []byte) (Patch[T], mistake.List) {
	var m listed
	p := Patch[T]{}
	given := object(&m, js)
	for _, sent := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(f.rows, func(row Field[T]) bool { return strings.EqualFold(row.name, sent) })
		if i < 0 {
			continue
		}
		p.given = append(p.given, &f.rows[i])
		f.rows[i].read(&m, At(f.rows[i].name), given[sent], &p.value)
	}
	return p, m.List
}

// object returns the members of a JSON object. Of a name that is given twice it has the last one.
func object(m Mistakes, js []byte) map[string]Value {
	if kind := mistake.Kind(js); kind != "an object" {
		m.Wrong(Path{}, mistake.Body("The body", kind), "")
		return nil
	}
	all := map[string]Value{}
	for sent, value := range members(js) {
		name, _ := sent.Text()
		all[name] = value
	}
	return all
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
