package track

import (
	"strings"

	"github.com/sightline-analytics/sightline/internal/intake"
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
	if !ok {
		f.drop(name)
		return ""
	}
	return intake.Properties(o, func(key string) {
		if key == "" {
			f.drop(name)
			return
		}
		f.drop(name + "." + key)
	})
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
