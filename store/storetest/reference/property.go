package reference

import (
	"bytes"
	"encoding/json"
)

// compact is properties as an object without blanks; none are {}.
func compact(properties string) string {
	var b bytes.Buffer
	if properties == "" || json.Compact(&b, []byte(properties)) != nil {
		return "{}"
	}
	return b.String()
}

// propertiesOf are the keys of an object, and the text of each: of a string what it
// says, of anything else its JSON without blanks.
func propertiesOf(properties string) map[string]string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(compact(properties)), &object) != nil {
		return nil
	}
	list := map[string]string{}
	for key, value := range object {
		list[key] = string(value)
		var said string
		if value[0] == '"' && json.Unmarshal(value, &said) == nil {
			list[key] = said
		}
	}
	return list
}

// eventProperties counts events by name, key and value. The string "1" and the
// number 1 are one value.
func (a *asking) eventProperties() *table {
	var g groups[int]
	for _, r := range a.among((*row).named) {
		for key, value := range propertiesOf(r.properties) {
			g.open(a.combination(r), r.name, key, value).tally++
		}
	}
	t := a.ordered("count", "name", "property_key", "property_value")
	for _, one := range g.list {
		t.rows = append(t.rows, append(append(texts(one.combination), texts(one.key)...), count(one.tally)))
	}
	return t
}
