package docgen

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Answers are shown with the first elements of each array and the beginnings of long texts. An object with more
// than maxFields fields is a map, of which one entry is shown.
const (
	maxElements = 2
	maxFields   = 30
	maxText     = 120 // bytes
)

// shorten returns js, which is valid JSON, cut to these lengths. Fields keep their order.
func shorten(js []byte) []byte {
	js = bytes.TrimSpace(js)
	var parts [][]byte
	switch js[0] {
	case '[':
		var all []json.RawMessage
		_ = json.Unmarshal(js, &all)
		for _, element := range all[:min(len(all), maxElements)] {
			parts = append(parts, shorten(element))
		}
		return slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]"))
	case '{':
		d := json.NewDecoder(bytes.NewReader(js))
		_, _ = d.Token()
		for d.More() {
			token, _ := d.Token()
			var value json.RawMessage
			_ = d.Decode(&value)
			name, _ := json.Marshal(token)
			parts = append(parts, slices.Concat(name, []byte(":"), shorten(value)))
		}
		if len(parts) > maxFields {
			parts = parts[:1]
		}
		return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}"))
	case '"':
		var text string
		if _ = json.Unmarshal(js, &text); len(text) > maxText {
			cut, _ := json.Marshal(strings.ToValidUTF8(text[:maxText], "") + "…")
			return cut
		}
	}
	return js
}
