package rowjson

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/jsontext"
	"github.com/sightline-analytics/sightline/store/schema"
)

// The names of members that are not columns, and of columns with a form of their own.
const (
	tableMember   = "table"
	samplesMember = "samples"
	timeColumn    = "time"
	objectColumn  = "properties"
)

// Append appends the line of an item to b, with its newline. It ignores r.Sample: the line of a vital has all its
// samples. Texts must be valid UTF-8, as every stored text is.
func Append(b []byte, table schema.TableID, r schema.Row) []byte {
	t := schema.Tables()[table]
	b = append(b, `{"`+tableMember+`":`...)
	b = appendText(b, table.String())
	b = appendMember(b, string(table.Of()))
	b = appendText(b, t.Subject(r))
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Exported() && !c.OfSample() {
			b = appendColumn(b, c, r)
		}
	}
	if table == schema.Vitals {
		b = appendSamples(b, &t, r)
	}
	return append(b, "}\n"...)
}

func appendSamples(b []byte, t *schema.Table, r schema.Row) []byte {
	b = appendMember(b, samplesMember)
	b = append(b, '[')
	for r.Sample = range t.Rows(r.Batch, r.Item) {
		if r.Sample > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		start := len(b)
		for i := range t.Columns {
			if c := &t.Columns[i]; c.OfSample() {
				b = appendColumn(b, c, r)
			}
		}
		if len(b) > start {
			b = append(b[:start], b[start+1:]...) // the comma before the first member
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendColumn appends a column of r, unless its value is the one that an absent member means.
func appendColumn(b []byte, c *schema.Column, r schema.Row) []byte {
	if c.Kind.IsText() {
		text := c.Text(r)
		if text == "" {
			return b
		}
		b = appendMember(b, c.Name)
		if c.Name == objectColumn && isObject(text) {
			return append(b, text...)
		}
		return appendText(b, text)
	}
	v := c.Number(r)
	if !v.Valid || v.V == 0 && c.Kind != schema.Measure && c.Kind != schema.Instant {
		return b
	}
	b = appendMember(b, c.Name)
	if c.Name == timeColumn {
		return append(time.UnixMilli(v.V).UTC().AppendFormat(append(b, '"'), jsontext.Instant), '"')
	}
	return strconv.AppendInt(b, v.V, 10)
}

// isObject reports whether text can be a part of a line as it is: an object in JSON without line breaks.
func isObject(text string) bool {
	return strings.HasPrefix(text, "{") && !strings.ContainsAny(text, "\r\n") && json.Valid([]byte(text))
}

func appendMember(b []byte, name string) []byte { return append(appendText(append(b, ','), name), ':') }

// appendText appends s as a JSON string. Unlike encoding/json, it escapes only what JSON requires.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			_, n := utf8.DecodeRuneInString(s[i:])
			b = append(b, s[i:i+n]...)
			i += n
			continue
		}
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			const hex = "0123456789abcdef"
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
		i++
	}
	return append(b, '"')
}
