package openapi

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Types of Go by their JSON are described from their declarations, so that a field of an answer is written once. A
// Describer has the schemas that do not follow from a declaration, and collects the schemas of structs as components.
type Describer struct {
	// Known has the schemas of types that encode themselves, and of texts with a fixed set of values.
	Known map[reflect.Type]*Schema
	// Names has the names of components. Other structs with a name are called as in Go, without an ending in Endings,
	// and begin with Prefix.
	Names   map[reflect.Type]string
	Endings []string
	Prefix  string

	Components map[string]*Schema // filled by Of
}

// Of returns the schema of the JSON of values of T.
func Of[T any](d *Describer) *Schema { return d.of(reflect.TypeFor[T]()) }

var (
	timeType  = reflect.TypeFor[time.Time]()
	rawType   = reflect.TypeFor[json.RawMessage]()
	marshaler = reflect.TypeFor[json.Marshaler]()
	texter    = reflect.TypeFor[encoding.TextMarshaler]()
)

func (d *Describer) of(t reflect.Type) *Schema {
	if s := d.Known[t]; s != nil {
		return s
	}
	switch {
	case t.Kind() == reflect.Pointer: // before the methods of t, which are those of its element
		return d.of(t.Elem())
	case t == timeType:
		return Moment("")
	case t == rawType:
		return &Schema{}
	case t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Anonymous && t.Field(0).Type == timeType &&
		t.Implements(marshaler):
		return Moment("") // a time with its own form
	case t.Implements(texter):
		return Text("")
	}
	switch t.Kind() {
	case reflect.Struct:
		return d.structure(t)
	case reflect.Slice, reflect.Array:
		return List("", d.of(t.Elem()), 0, 0)
	case reflect.Map:
		return Map("", d.of(t.Elem()))
	case reflect.String:
		return Text("")
	case reflect.Bool:
		return Truth("")
	case reflect.Float32, reflect.Float64:
		return Decimal("")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &Schema{Type: Types{"integer"}}
	}
	return &Schema{} // any
}

// structure returns a reference to the component of a struct. A struct without a name has its schema in place.
func (d *Describer) structure(t reflect.Type) *Schema {
	name := d.name(t)
	if name != "" && d.Components[name] != nil {
		return Ref(name)
	}
	s := Object("")
	if name != "" {
		if d.Components == nil {
			d.Components = map[string]*Schema{}
		}
		d.Components[name] = s // before its fields, which may refer to it
	}
	d.fields(t, s)
	if name == "" {
		return s
	}
	return Ref(name)
}

func (d *Describer) name(t reflect.Type) string {
	name, ok := d.Names[t]
	if ok || t.Name() == "" {
		return name
	}
	name = t.Name()
	for _, ending := range d.Endings {
		if short := strings.TrimSuffix(name, ending); short != "" {
			name = short
		}
	}
	return d.Prefix + strings.ToUpper(name[:1]) + name[1:]
}

// fields adds the fields of t to s, as encoding/json encodes them. A field that is left out when it is empty is not
// required. Other pointers may be null.
func (d *Describer) fields(t reflect.Type, s *Schema) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		of, pointer := f.Type, f.Type.Kind() == reflect.Pointer
		if pointer {
			of = of.Elem()
		}
		if f.Anonymous && tag == "" && of.Kind() == reflect.Struct {
			before := len(s.Required)
			d.fields(of, s)
			if pointer { // an embedded pointer may be nil
				s.Required = s.Required[:before]
			}
			continue
		}
		if !f.IsExported() || tag == "-" {
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		empty := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		schema := d.of(f.Type)
		if pointer && !empty {
			schema = schema.OrNull()
		}
		if slices.ContainsFunc(s.Properties, func(p Property) bool { return p.Name != tag && sameName(p.Name, tag) }) {
			with := *schema
			with.GoName = f.Name
			schema = &with
		}
		s.set(tag, schema, !empty)
	}
}

// sameName reports whether generators make one name of two, such as outputFields and output_fields.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "_", ""), strings.ReplaceAll(b, "_", ""))
}

// set adds a member, or replaces the one with its name: a field of a struct hides those of structs embedded in it.
func (s *Schema) set(name string, schema *Schema, required bool) {
	for i := range s.Properties {
		if s.Properties[i].Name == name {
			s.Properties[i].Schema = schema
			return
		}
	}
	s.Properties = append(s.Properties, Property{name, schema})
	if required {
		s.Required = append(s.Required, name)
	}
}
