package docgen

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxLine is the length that a line of JSON on a page may reach before its object or array is broken into lines.
const maxLine = 200

// layout returns js, which is valid JSON, with an object or an array on one line where it fits.
func layout(js []byte) []byte {
	return appendLaid(nil, bytes.TrimSpace(js), "")
}

// appendLaid appends js, whose first line follows on indent.
func appendLaid(b, js []byte, indent string) []byte {
	line := spaced(js)
	if len(indent)+len(line) <= maxLine || js[0] != '{' && js[0] != '[' {
		return append(b, line...)
	}
	inner := indent + "  "
	before := js[0]
	for _, part := range elements(js) {
		b = append(append(b, before), "\n"+inner...)
		before = ','
		if part.name != nil {
			b = append(append(b, part.name...), ": "...)
		}
		b = appendLaid(b, part.value, inner)
	}
	return append(append(b, "\n"+indent...), js[len(js)-1])
}

// An element is a value of an array, or a member of an object with its quoted name.
type element struct{ name, value json.RawMessage }

// elements returns the parts of js, an object or an array, in their order.
func elements(js []byte) (all []element) {
	d := json.NewDecoder(bytes.NewReader(js))
	_, _ = d.Token() // js is valid, so nothing here fails
	for d.More() {
		var e element
		if js[0] == '{' {
			token, _ := d.Token()
			e.name, _ = json.Marshal(token)
		}
		_ = d.Decode(&e.value)
		all = append(all, e)
	}
	return all
}

// spaced returns JSON on one line, with a blank after each comma and colon.
func spaced(js []byte) []byte {
	var laid bytes.Buffer
	if json.Indent(&laid, js, "", "") != nil {
		return js
	}
	return []byte(unbroken.Replace(laid.String()))
}

// unbroken takes out the line ends that json.Indent writes. A text has none, since JSON escapes them.
var unbroken = strings.NewReplacer("{\n", "{", "\n}", "}", "[\n", "[", "\n]", "]", ",\n", ", ")
