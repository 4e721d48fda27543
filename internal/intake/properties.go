package intake

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/internal/jsontext"
)

const (
	// MaxPropertyKey is the maximum length of the name of a property.
	MaxPropertyKey = 128
	// MaxProperties is the maximum number of properties of an event.
	MaxProperties = 50

	maxPropertiesText = 32 << 10
	maxPropertyDepth  = 64
)

// Properties returns an object, decoded with json.Number, as compact JSON with sorted keys; empty if there are no
// properties. It leaves out properties with a long key or an invalid value, and calls drop with their names. If there
// are too many properties or they are too large, it leaves out all and calls drop with an empty name.
func Properties(o map[string]any, drop func(key string)) string {
	if len(o) > MaxProperties {
		drop("")
		return ""
	}
	plain := make(map[string]any, len(o))
	for _, key := range slices.Sorted(maps.Keys(o)) {
		value, ok := storable(o[key], maxPropertyDepth-1)
		if !ok || Units(key) > MaxPropertyKey {
			drop(key)
			continue
		}
		plain[strings.ReplaceAll(key, "\x00", "")] = value
	}
	if len(plain) == 0 {
		return ""
	}
	js, err := jsontext.Append(nil, plain)
	if text := string(js); err == nil && Units(text) <= maxPropertiesText {
		return text
	}
	drop("")
	return ""
}

// Number returns n in a form that every database accepts. ok is false for numbers beyond a 64-bit float. Numbers are
// formatted like in JavaScript, so that 1.50 and 1.5 are one value.
func Number(n json.Number) (plain any, ok bool) {
	x, err := strconv.ParseFloat(n.String(), 64)
	if x != 0 && !strings.ContainsAny(n.String(), ".eE") {
		return n, err == nil // whole numbers keep all digits
	}
	return x + 0, err == nil // converts -0 to 0
}

// storable returns v in a form that every database accepts: it removes NUL from texts. ok is false for numbers beyond a
// 64-bit float and for nesting deeper than depth.
func storable(v any, depth int) (any, bool) {
	if depth < 0 {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", ""), true
	case json.Number:
		return Number(v)
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
	case map[string]any:
		o := make(map[string]any, len(v))
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
