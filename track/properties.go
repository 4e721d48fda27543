package track

import (
	"maps"
	"slices"
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
	return intake.Properties(f.named(o, name), func(key string) {
		if key == "" {
			f.drop(name)
			return
		}
		f.drop(name + "." + key)
	})
}

// named returns o without the properties whose names the website may not have today. name is the field of o.
func (f *fields) named(o object, name string) object {
	if f.mayName == nil || len(o) > intake.MaxProperties { // such an event has none at all
		return o
	}
	f.names = slices.Sorted(maps.Keys(o))
	may := f.mayName(f.names)
	if len(may) == len(f.names) {
		return o
	}
	f.crowded = true
	left := make(object, len(may))
	for _, key := range may {
		left[key] = o[key]
	}
	for _, key := range f.names {
		if _, ok := left[key]; !ok {
			f.drop(name + "." + key)
		}
	}
	f.names = may
	return left
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
