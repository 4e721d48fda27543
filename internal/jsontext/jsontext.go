// Package jsontext writes JSON as this module does everywhere: compact, without escapes for HTML, and with instants in
// UTC with milliseconds:
//
//	text, err := jsontext.Append(nil, map[string]string{"a": "<b>"})    // {"a":"<b>"}
//	line, err := jsontext.AppendLine(nil, map[string]string{"a": "<b>"}) // the same with a newline
//	at := time.Now().UTC().Format(jsontext.Instant)                     // 2026-03-29T12:00:00.000Z
package jsontext

import (
	"bytes"
	"encoding/json"
)

// Instant is the layout of instants in UTC: ISO 8601 with milliseconds.
const Instant = "2006-01-02T15:04:05.000Z"

// AppendLine appends v as JSON and a newline to b. After an error it returns nil.
func AppendLine(b []byte, v any) ([]byte, error) {
	buffer := bytes.NewBuffer(b)
	enc := json.NewEncoder(buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}

// Append is like AppendLine, without the newline.
func Append(b []byte, v any) ([]byte, error) {
	b, err := AppendLine(b, v)
	return bytes.TrimSuffix(b, []byte("\n")), err
}
