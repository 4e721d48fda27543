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
		all := elements(js)
		for _, e := range all[:min(len(all), maxElements)] {
			parts = append(parts, shorten(e.value))
		}
		return slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]"))
	case '{':
		for _, e := range elements(js) {
			parts = append(parts, slices.Concat(e.name, []byte(":"), shorten(e.value)))
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
