package openapi

import (
	"bytes"
	"encoding/json"
	"slices"
)

// A Schema is a JSON Schema of the draft 2020-12, which OpenAPI 3.1 uses. Its zero value allows everything.
type Schema struct {
	Ref         string             `json:"$ref,omitempty"`
	Type        Types              `json:"type,omitempty"`
	Description string             `json:"description,omitempty"`
	Format      string             `json:"format,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Const       any                `json:"const,omitempty"`
	Enum        []any              `json:"enum,omitempty"`
	Default     any                `json:"default,omitempty"`
	Minimum     *int               `json:"minimum,omitempty"`
	Maximum     *int               `json:"maximum,omitempty"`
	MinLength   int                `json:"minLength,omitempty"` // in characters
	MaxLength   int                `json:"maxLength,omitempty"`
	MinItems    int                `json:"minItems,omitempty"`
	MaxItems    int                `json:"maxItems,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	Properties  Properties         `json:"properties,omitempty"`
	Patterned   map[string]*Schema `json:"patternProperties,omitempty"`
	Additional  *Schema            `json:"additionalProperties,omitempty"` // nil allows any further member
	Required    []string           `json:"required,omitempty"`
	AnyOf       []*Schema          `json:"anyOf,omitempty"`

	// ContentSchema is the schema of the JSON in a string. There is no contentMediaType, since oapi-codegen makes files
	// of strings that have one.
	ContentSchema *Schema `json:"contentSchema,omitempty"`
	// GoName is the name of the field in clients in Go, for a property whose name they would use twice.
	GoName string `json:"x-go-name,omitempty"`
}

// Types are the JSON type of a value, and "null" if it may be null. One type is encoded as a string. Values of several
// types refer to a component such as [Scalar], because many generators of clients cannot read lists of types.
type Types []string

// MarshalJSON implements json.Marshaler.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Properties are the members of an object, in the order in which they are documented.
type Properties []Property

// A Property is one member of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// MarshalJSON writes an object that has the members in their order.
func (all Properties) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	for i, p := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(p.Name)
		if err != nil {
			return nil, err
		}
		schema, err := json.Marshal(p.Schema)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(schema)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Named returns the schema of the property with this name, or nil.
func (all Properties) Named(name string) *Schema {
	if i := slices.IndexFunc(all, func(p Property) bool { return p.Name == name }); i >= 0 {
		return all[i].Schema
	}
	return nil
}

// Slot returns the place of the schema of the property with this name, to replace it; a place of its own if there is
// none.
func (all Properties) Slot(name string) **Schema {
	if i := slices.IndexFunc(all, func(p Property) bool { return p.Name == name }); i >= 0 {
		return &all[i].Schema
	}
	return new(*Schema)
}

// Ref returns a reference to the component with this name.
func Ref(name string) *Schema { return &Schema{Ref: "#/components/schemas/" + name} }

// Text returns the schema of a string.
func Text(about string) *Schema { return &Schema{Type: Types{"string"}, Description: about} }

// Day returns the schema of a date without a time.
func Day(about string) *Schema {
	return &Schema{Type: Types{"string"}, Format: "date", Description: about}
}

// Moment returns the schema of an instant, as in 2026-03-01T12:00:00.000Z.
func Moment(about string) *Schema {
	return &Schema{Type: Types{"string"}, Format: "date-time", Description: about}
}

// Truth returns the schema of true and false.
func Truth(about string) *Schema { return &Schema{Type: Types{"boolean"}, Description: about} }

// Decimal returns the schema of a number.
func Decimal(about string) *Schema { return &Schema{Type: Types{"number"}, Description: about} }

// Whole returns the schema of a whole number that is at least least. It has no upper bound if most is less than
// least.
func Whole(about string, least, most int) *Schema {
	s := &Schema{Type: Types{"integer"}, Description: about, Minimum: &least}
	if most >= least {
		s.Maximum = &most
	}
	return s
}

// The names of components for values of several JSON types. The usual type comes first.
const (
	TextOrNumber     = "TextOrNumber"
	NumberOrText     = "NumberOrText"
	Scalar           = "Scalar"
	ScalarOrNull     = "ScalarOrNull"
	NumberTextOrNull = "NumberTextOrNull"
)

// mixed returns the components for values of several types.
func mixed() map[string]*Schema {
	all := map[string]*Schema{}
	for name, types := range map[string][]string{
		TextOrNumber: {"string", "number"}, NumberOrText: {"number", "string"}, Scalar: {"string", "number", "boolean"},
		ScalarOrNull: {"string", "number", "boolean", "null"}, NumberTextOrNull: {"number", "string", "null"},
	} {
		all[name] = &Schema{}
		for _, t := range types {
			all[name].AnyOf = append(all[name].AnyOf, &Schema{Type: Types{t}})
		}
	}
	return all
}

// OneOf returns the schema of a string that is one of names.
func OneOf[T ~string](about string, names ...T) *Schema {
	s := Text(about)
	for _, name := range names {
		s.Enum = append(s.Enum, string(name))
	}
	return s
}

// List returns the schema of an array with at least least items. A most of 0 means no upper bound.
func List(about string, of *Schema, least, most int) *Schema {
	return &Schema{Type: Types{"array"}, Description: about, Items: of, MinItems: least, MaxItems: most}
}

// Any returns the schema of a value that matches at least one of all.
func Any(about string, all ...*Schema) *Schema { return &Schema{Description: about, AnyOf: all} }

// Object returns the schema of an object with these members.
func Object(about string, members ...Property) *Schema {
	return &Schema{Type: Types{"object"}, Description: about, Properties: members}
}

// Map returns the schema of an object whose members all match of.
func Map(about string, of *Schema) *Schema {
	return &Schema{Type: Types{"object"}, Description: about, Additional: of}
}

// Member returns a property.
func Member(name string, s *Schema) Property { return Property{name, s} }

// Members returns a property for each name, all with the schema s.
func Members(s *Schema, names ...string) []Property {
	all := make([]Property, len(names))
	for i, name := range names {
		all[i] = Property{name, s}
	}
	return all
}

// Needs returns a copy of s that requires these members, too.
func (s *Schema) Needs(names ...string) *Schema {
	with := *s
	with.Required = slices.Concat(s.Required, names)
	return &with
}

// About returns a copy of s with another description.
func (s *Schema) About(text string) *Schema {
	with := *s
	with.Description = text
	return &with
}

// OrNull returns the schema of values of s and null.
func (s *Schema) OrNull() *Schema {
	if len(s.Type) == 0 || s.Enum != nil || s.Const != nil {
		return &Schema{AnyOf: []*Schema{s, {Type: Types{"null"}}}}
	}
	with := *s
	with.Type = slices.Concat(s.Type, Types{"null"})
	return &with
}
