package track

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/internal/jsontext"
)

const (
	maxProperties     = 50
	maxPropertyKey    = 128
	maxPropertiesText = 32 << 10
	maxPropertyDepth  = 64
)

// properties returns an optional object as compact JSON with sorted keys; empty if there are no properties. An object
// in a text is parsed. Properties with a long key or an invalid value are left out. If there are too many or they
// are too large, all are left out.
func (f *fields) properties() string {
	v, name := f.get("properties")
	if s, ok := v.(string); ok {
		v = propertiesIn(s)
		if v == nil && strings.TrimSpace(s) != "" {
			f.drop(name)
		}
	}
	if v == nil {
		return ""
	}
	o, ok := v.(object)
	if !ok || len(o) > maxProperties {
		f.drop(name)
		return ""
	}
	plain := make(object, len(o))
	for _, key := range slices.Sorted(maps.Keys(o)) {
		value, ok := storable(o[key], maxPropertyDepth-1)
		if !ok || units(key) > maxPropertyKey {
			f.drop(name + "." + key)
			continue
		}
		plain[strings.ReplaceAll(key, "\x00", "")] = value
	}
	if len(plain) == 0 {
		return ""
	}
	js, err := jsontext.Append(nil, plain)
	if text := string(js); err == nil && units(text) <= maxPropertiesText {
		return text
	}
	f.drop(name)
	return ""
}

// propertiesIn returns the JSON value in s, or nil. The body counted s as one value, so the limit on values is checked
// again.
func propertiesIn(s string) any {
	if _, values := count([]byte(s)); values > maxValues {
		return nil
	}
	v, err := decode([]byte(s))
	if err != nil {
		return nil
	}
	return v
}

// storable returns v in a form that every database accepts: it removes NUL from texts. ok is false for numbers beyond a
// 64-bit float and for nesting deeper than depth. Numbers are formatted like in JavaScript, so that 1.50 and 1.5 are
// one value.
func storable(v any, depth int) (any, bool) {
	if depth < 0 {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", ""), true
	case json.Number:
		x, err := strconv.ParseFloat(v.String(), 64)
		if x != 0 && !strings.ContainsAny(v.String(), ".eE") {
			return v, err == nil // whole numbers keep all digits
		}
		return x + 0, err == nil // converts -0 to 0
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			y, ok := storable(x, depth-1)
			if !ok {
				return nil, false
			}
			list[i] = y
		}
		return list, true
	case object:
		o := make(object, len(v))
		for k, x := range v {
			y, ok := storable(x, depth-1)
			if !ok {
				return nil, false
			}
			o[strings.ReplaceAll(k, "\x00", "")] = y
		}
		return o, true
	}
	return v, true // true, false, null
}
