package docgen

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A document is the part of an OpenAPI document that the page about endpoints shows.
type document struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components components                      `json:"components"`
}

type components struct {
	Schemas map[string]*schema `json:"schemas"`
}

type operation struct {
	Description string      `json:"description"`
	Parameters  []parameter `json:"parameters"`
	RequestBody media       `json:"requestBody"`
}

type parameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description"`
	Required    bool   `json:"required"`

	Schema *schema `json:"schema"`
}

// media has the schemas of a value by content type.
type media struct {
	Content map[string]content `json:"content"`
}

type content struct {
	Schema *schema `json:"schema"`
}

type schema struct {
	Ref         string    `json:"$ref"`
	Type        jsonTypes `json:"type"`
	Description string    `json:"description"`
	Format      string    `json:"format"`
	Const       any       `json:"const"`
	Enum        []any     `json:"enum"`
	Minimum     *int      `json:"minimum"`
	Maximum     *int      `json:"maximum"`
	MaxLength   int       `json:"maxLength"`
	MinItems    int       `json:"minItems"`
	MaxItems    int       `json:"maxItems"`
	Items       *schema   `json:"items"`
	Properties  members   `json:"properties"`
	Required    []string  `json:"required"`
	AnyOf       []*schema `json:"anyOf"`

	ContentSchema *schema `json:"contentSchema"`
}

// jsonTypes are the types of a schema.
type jsonTypes []string

func (k *jsonTypes) UnmarshalJSON(js []byte) error {
	if js[0] == '"' {
		*k = jsonTypes{""}
		return json.Unmarshal(js, &(*k)[0])
	}
	return json.Unmarshal(js, (*[]string)(k))
}

// members are properties in their order.
type members []member

type member struct {
	name string
	of   *schema
}

func (m *members) UnmarshalJSON(js []byte) error {
	d := json.NewDecoder(bytes.NewReader(js))
	_, err := d.Token()
	for err == nil && d.More() {
		var name json.Token
		one := member{of: &schema{}}
		if name, err = d.Token(); err == nil {
			err = d.Decode(one.of)
		}
		one.name = fmt.Sprint(name)
		*m = append(*m, one)
	}
	return err
}
