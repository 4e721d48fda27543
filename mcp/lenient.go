package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
)

// A shape is the part of a JSON schema that says which type a value has.
type shape struct {
	Type       oneOrMore        `json:"type"`
	Items      *shape           `json:"items"`
	Properties map[string]shape `json:"properties"`
}

// oneOrMore is the name of a type, or a list of them.
type oneOrMore []string

// UnmarshalJSON implements json.Unmarshaler.
func (o *oneOrMore) UnmarshalJSON(js []byte) error {
	var one string
	if json.Unmarshal(js, &one) == nil {
		*o = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(js, (*[]string)(o))
}

func (s *shape) may(kind string) bool { return slices.Contains(s.Type, kind) }

// read returns js with the values that s describes. Assistants write numbers, booleans, lists and objects as texts, a list
// of one as its only entry, and null for what they leave out. What cannot be read stays as it is: the API explains it.
func (s *shape) read(js json.RawMessage) json.RawMessage {
	js = s.unquote(bytes.TrimSpace(js))
	switch {
	case len(js) == 0 || len(s.Type) == 0:
		return js
	case js[0] != '[' && s.may("array") && !s.may("string") && (js[0] == '"' || js[0] == '{'):
		return s.list([]json.RawMessage{js})
	case js[0] == '[' && s.may("array"):
		var list []json.RawMessage
		if json.Unmarshal(js, &list) != nil {
			return js
		}
		return s.list(list)
	case js[0] == '{' && len(s.Properties) > 0:
		return s.members(js)
	}
	return js
}

// unquote returns the value in a text, if it has a type of s.
func (s *shape) unquote(js json.RawMessage) json.RawMessage {
	var text string
	if len(js) == 0 || js[0] != '"' || json.Unmarshal(js, &text) != nil {
		return js
	}
	inner := bytes.TrimSpace([]byte(text))
	if !json.Valid(inner) {
		return js
	}
	kinds := []string{"integer", "number"}
	switch inner[0] {
	case '[':
		kinds = []string{"array"}
	case '{':
		kinds = []string{"object"}
	case 't', 'f':
		kinds = []string{"boolean"}
	case '"', 'n':
		return js
	}
	// What may be a text is one, unless it can only be an object.
	if slices.ContainsFunc(kinds, s.may) && (!s.may("string") || inner[0] == '{') || inner[0] == '{' && s.listsObjects() {
		return inner
	}
	return js
}

func (s *shape) listsObjects() bool { return s.may("array") && s.Items != nil && s.Items.may("object") }

func (s *shape) list(list []json.RawMessage) json.RawMessage {
	for i := range list {
		if s.Items != nil {
			list[i] = s.Items.read(list[i])
		}
	}
	return marshalled(list)
}

func (s *shape) members(js json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(js, &members) != nil {
		return js
	}
	for name, value := range members {
		if string(value) == "null" {
			delete(members, name)
		} else if inner, known := s.Properties[name]; known {
			members[name] = inner.read(value)
		}
	}
	return marshalled(members)
}

func marshalled(v any) json.RawMessage {
	js, err := json.Marshal(v)
	if err != nil {
		return nil // cannot happen: v came from valid JSON
	}
	return js
}

// shapeOf returns the shape of a tool's arguments. Entries of parameters may have the options of a question, too.
func shapeOf(input string) (*shape, error) {
	s := &shape{}
	if err := json.Unmarshal([]byte(input), s); err != nil {
		return nil, err
	}
	if parameters, ok := s.Properties["parameters"]; ok {
		options := map[string]shape{"totals": {Type: oneOrMore{"boolean"}}}
		for _, name := range []string{"metrics", "dimensions", "steps", "goals"} {
			options[name] = shape{Type: oneOrMore{"array"}}
		}
		for name, inner := range s.Properties {
			if name != "parameters" && name != subject {
				options[name] = inner
			}
		}
		parameters.Items.Properties = options
	}
	return s, nil
}
