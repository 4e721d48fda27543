package reference

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// compact returns properties as an object without spaces. Empty properties become {}.
func compact(properties string) string {
	var b bytes.Buffer
	if properties == "" || json.Compact(&b, []byte(properties)) != nil {
		return "{}"
	}
	return b.String()
}

// A property is a member of an object, with its value as text.
type property struct{ key, value string }

// propertiesOf returns the members of an object, including repeated keys. The text of a string is its content.
// The text of another value is its JSON without spaces, with numbers in their original spelling and strings
// with only the necessary escapes.
func propertiesOf(properties string) []property {
	d := json.NewDecoder(strings.NewReader(properties))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') || !json.Valid([]byte(properties)) {
		return nil
	}
	var list []property
	for d.More() {
		key, _ := d.Token()
		name, _ := key.(string)
		value, err := d.Token()
		if err != nil {
			return nil
		}
		said, ok := value.(string)
		if !ok {
			said = spell(d, value)
		}
		list = append(list, property{name, said})
	}
	return list
}

// spell returns the JSON of the value that begins with the token first.
func spell(d *json.Decoder, first json.Token) string {
	switch v := first.(type) {
	case nil:
		return "null"
	case bool:
		if v {
			return "true"
		}
		return "false"
	case json.Number:
		return v.String()
	case string:
		return quoted(v)
	case json.Delim:
		return spellAll(d, v)
	}
	return ""
}

// spellAll returns the JSON of the array or object that begins with open.
func spellAll(d *json.Decoder, open json.Delim) string {
	var parts []string
	for d.More() {
		part := ""
		if open == '{' {
			key, _ := d.Token()
			part = spell(d, key) + ":"
		}
		value, err := d.Token()
		if err == io.EOF {
			break
		}
		parts = append(parts, part+spell(d, value))
	}
	_, _ = d.Token() // the closing token
	if open == '{' {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

type propertyKind int

const (
	noProperty propertyKind = iota // absent, or null
	stringProperty
	numberProperty
	otherProperty
)

// A propertyValue is the value of a property of a row: the text of a string, or the JSON of another value as
// propertiesOf writes it.
type propertyValue struct {
	kind propertyKind
	text string
}

// valuesOf returns the properties of an event by key. Of repeated keys, the first counts.
func valuesOf(properties string) map[string]propertyValue {
	values := map[string]propertyValue{}
	d := json.NewDecoder(strings.NewReader(properties))
	if open, err := d.Token(); err != nil || open != json.Delim('{') || !json.Valid([]byte(properties)) {
		return values
	}
	for d.More() {
		key, _ := d.Token()
		name, _ := key.(string)
		var one json.RawMessage
		if d.Decode(&one) != nil {
			break
		}
		if _, known := values[name]; !known {
			values[name] = valueOf(one)
		}
	}
	return values
}

func valueOf(one json.RawMessage) propertyValue {
	var b bytes.Buffer
	if json.Compact(&b, one) != nil {
		return propertyValue{}
	}
	switch c := b.String()[0]; {
	case c == 'n':
		return propertyValue{}
	case c == '"':
		var said string
		_ = json.Unmarshal(one, &said) // it is valid
		return propertyValue{stringProperty, said}
	case c == '-' || c >= '0' && c <= '9':
		return propertyValue{numberProperty, b.String()}
	}
	d := json.NewDecoder(&b)
	d.UseNumber()
	first, _ := d.Token() // it is valid
	return propertyValue{otherProperty, spell(d, first)}
}

// propertyKey returns the key of a field property:KEY, and whether the field is one.
func propertyKey(field string) (key string, ok bool) { return strings.CutPrefix(field, "property:") }

// eventProperties counts events by name, key and value. The string "1" and the number 1 are the same value.
func (a *evaluation) eventProperties() *table {
	g := tallies[int](a, 3)
	for _, r := range a.among((*row).named) {
		for _, p := range propertiesOf(r.properties) {
			g.open(a.combination(r), r.name, p.key, p.value).tally++
		}
	}
	t := a.ordered("count", "name", "property_key", "property_value")
	for _, one := range g.list {
		t.rows = append(t.rows, append(append(texts(one.combination), texts(one.key)...), count(one.tally)))
	}
	return t
}
