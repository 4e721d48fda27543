package track

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

const (
	maxProperties     = 50
	maxPropertyKey    = 128
	maxPropertiesText = 32 << 10
	maxPropertyDepth  = 64
)

// properties returns an optional object as compact JSON with sorted keys; "" when it is
// empty. Text that holds an object is taken for one.
func (f *fields) properties() string {
	v, name := f.get("properties")
	if s, ok := v.(string); ok {
		if strings.TrimSpace(s) == "" {
			return ""
		}
		if _, values := count([]byte(s)); values > maxValues { // the text was one value of the body
			f.fail(name, "too_big", "at most %d values", maxValues)
			return ""
		}
		if o, err := decode([]byte(s)); err == nil {
			v = o
		}
	}
	if v == nil {
		return ""
	}
	o, ok := v.(object)
	switch {
	case !ok:
		f.fail(name, "invalid_type", "expected an object")
		return ""
	case len(o) == 0:
		return ""
	case len(o) > maxProperties:
		f.fail(name, "too_big", "at most %d keys", maxProperties)
		return ""
	}
	for k := range o {
		if units(k) > maxPropertyKey {
			f.fail(name, "too_big", "keys of at most %d characters", maxPropertyKey)
			return ""
		}
	}
	plain, ok := storable(o, maxPropertyDepth)
	if !ok {
		f.fail(name, "invalid_value", "numbers that no database holds, or more than %d levels", maxPropertyDepth)
		return ""
	}
	text, err := compact(plain)
	if err != nil || units(text) > maxPropertiesText {
		f.fail(name, "too_big", "at most %d characters as JSON", maxPropertiesText)
		return ""
	}
	return text
}

// storable returns v without what databases choke on: it drops NUL from texts, and
// says no to numbers beyond a 64-bit float and to nesting deeper than depth. Numbers are
// spelled as JavaScript spells them, so that 1.50 and 1.5 are one value of a property.
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
			return v, err == nil // a whole number keeps all its digits
		}
		return x + 0, err == nil // not -0
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

func compact(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
