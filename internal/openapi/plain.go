package openapi

import (
	"encoding/json"
	"slices"
	"strings"
)

// Plain returns the document js without alternatives, for generators of clients that cannot choose between types by
// their members, such as ogen. The plain document allows what js allows, except that a request has the richest form of
// those that it may have: an object in place of its short text, and one item in place of a list of items.
//
//   - Alternatives that are objects become one object with the members of all. A member is required if all require it.
//   - Alternatives of several types are the object among them, else the list, else any value.
//   - Constants are any value of their type, and answers have only their form in JSON.
func Plain(js []byte) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(js, &doc); err != nil {
		return nil, err
	}
	p := plain{}
	if parts, ok := doc["components"].(map[string]any); ok {
		p.schemas, _ = parts["schemas"].(map[string]any)
	}
	return json.Marshal(p.walk(doc))
}

type plain struct{ schemas map[string]any }

// walk returns v with plain schemas.
func (p plain) walk(v any) any {
	switch v := v.(type) {
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = p.walk(v[i])
		}
		return all
	case map[string]any:
		if p.any(v) {
			return map[string]any{} // ogen sends an optional member that refers to any value even if it is not set
		}
		if one := p.choice(v); one != nil {
			return p.walk(one)
		}
		all := make(map[string]any, len(v))
		if names := goNames(v); names != nil {
			all["x-ogen-properties"] = names
		}
		if content, ok := v["content"].(map[string]any); ok && content[jsonType] != nil {
			v["content"] = map[string]any{jsonType: content[jsonType]}
		}
		for name, member := range v {
			switch name {
			case "example", "contentSchema":
			case "patternProperties":
				all["additionalProperties"] = true
			case "const":
			default:
				all[name] = p.walk(member)
			}
		}
		return all
	}
	return v
}

// any reports whether s refers to a component for any value.
func (p plain) any(s map[string]any) bool {
	ref, ok := s["$ref"].(string)
	if !ok {
		return false
	}
	target, _ := p.schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(map[string]any)
	one := p.choice(target)
	return p.any(target) || one != nil && one["type"] == nil && one["$ref"] == nil && one["oneOf"] == nil
}

// goNames returns the names of fields in Go that the members of an object have, as ogen reads them; nil if none has.
func goNames(s map[string]any) map[string]any {
	properties, _ := s["properties"].(map[string]any)
	var all map[string]any
	for name, of := range properties {
		member, _ := of.(map[string]any)
		if in, ok := member["x-go-name"]; ok {
			if all == nil {
				all = map[string]any{}
			}
			all[name] = map[string]any{"name": in}
		}
	}
	return all
}

// choice returns a schema in place of the alternatives of s, or nil if s has none.
func (p plain) choice(s map[string]any) map[string]any {
	list, ok := s["anyOf"].([]any)
	if !ok {
		return nil
	}
	kinds, null := p.kinds(list)
	var one map[string]any
	switch {
	case len(kinds["object"]) == 1:
		one = kinds["object"][0].given
	case len(kinds["object"]) > 0:
		one = p.merged(kinds["object"])
	case len(kinds["array"]) > 0:
		one = kinds["array"][0].given
	case len(kinds) == 1:
		for kind := range kinds {
			one = map[string]any{"type": kind}
		}
	default:
		one, null = map[string]any{}, false
	}
	if null {
		if _, ref := one["$ref"]; ref {
			return map[string]any{"oneOf": []any{one, map[string]any{"type": "null"}}}
		}
		if kind, ok := one["type"].(string); ok {
			one["type"] = []any{kind, "null"}
		}
	}
	if about, ok := s["description"]; ok && one["$ref"] == nil {
		one["description"] = about
	}
	return one
}

// An alternative is a schema as it was given, which may be a reference, and its target.
type alternative struct{ given, schema map[string]any }

// kinds returns the alternatives by their types, and whether null is one.
func (p plain) kinds(list []any) (kinds map[string][]alternative, null bool) {
	kinds = map[string][]alternative{}
	for _, one := range list {
		given, _ := one.(map[string]any)
		s := given
		for ref, ok := s["$ref"].(string); ok; ref, ok = s["$ref"].(string) {
			s, _ = p.schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(map[string]any)
		}
		if inner, ok := s["anyOf"].([]any); ok {
			more, orNull := p.kinds(inner)
			for kind, all := range more {
				kinds[kind] = append(kinds[kind], all...)
			}
			null = null || orNull
			continue
		}
		types, ok := s["type"].([]any)
		if _, truth := s["const"].(bool); truth {
			types = []any{"boolean"}
		} else if !ok {
			types = []any{s["type"]}
		}
		for _, t := range types {
			switch kind, _ := t.(string); kind {
			case "null":
				null = true
			case "integer":
				kinds["number"] = append(kinds["number"], alternative{given, s})
			default:
				kinds[kind] = append(kinds[kind], alternative{given, s})
			}
		}
	}
	return kinds, null
}

// merged returns one object with the members of all.
func (p plain) merged(all []alternative) map[string]any {
	members, required := map[string][]any{}, map[string]int{}
	var open any
	for _, one := range all {
		properties, _ := one.schema["properties"].(map[string]any)
		for name, s := range properties {
			members[name] = append(members[name], s)
		}
		names, _ := one.schema["required"].([]any)
		for _, name := range names {
			text, _ := name.(string)
			required[text]++
		}
		if more, ok := one.schema["additionalProperties"]; ok {
			open = more
		}
	}
	properties, needs := map[string]any{}, []any{}
	for name, list := range members {
		properties[name] = p.member(list)
		if required[name] == len(all) {
			needs = append(needs, name)
		}
	}
	slices.SortFunc(needs, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	s := map[string]any{"type": "object", "properties": properties}
	if len(needs) > 0 {
		s["required"] = needs
	}
	if open != nil {
		s["additionalProperties"] = open
	}
	return s
}

// member returns the schema of a member that several objects have: that of all if it is equal, and else its type alone.
func (p plain) member(list []any) any {
	if !slices.ContainsFunc(list, func(s any) bool { return !same(s, list[0]) }) {
		return list[0]
	}
	kinds, null := p.kinds(list)
	if len(kinds) != 1 {
		return map[string]any{}
	}
	for kind, all := range kinds {
		s := map[string]any{"type": kind}
		if null {
			s["type"] = []any{kind, "null"}
		}
		switch kind {
		case "object":
			s["additionalProperties"] = true
		case "array":
			s["items"] = p.member(itemsOf(all))
		}
		return s
	}
	return nil
}

// itemsOf returns the schemas of the items of lists, except of lists that are always empty.
func itemsOf(lists []alternative) (all []any) {
	for _, one := range lists {
		if items, ok := one.schema["items"].(map[string]any); ok && len(items) > 0 {
			all = append(all, items)
		}
	}
	if len(all) == 0 {
		all = append(all, map[string]any{})
	}
	return all
}

func same(a, b any) bool {
	one, _ := json.Marshal(a)
	two, _ := json.Marshal(b)
	return string(one) == string(two)
}
