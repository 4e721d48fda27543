package answer

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/jsontext"
)

// Encode appends resp to b as encoding/json writes it, without HTML escapes, and returns the extended
// slice. It takes the results out of resp, so that each is let go as soon as it is written.
func (resp *Response) Encode(b []byte) []byte {
	data, size := resp.Data, 512 // of what comes around the results
	for i := range data {
		size += data[i].roomInJSON()
	}
	resp.Data = nil
	b = strconv.AppendBool(append(slices.Grow(b, size), `{"success":`...), resp.Success)
	if resp.QueryID != "" {
		b = appendText(append(b, `,"queryId":`...), resp.QueryID)
	}
	b = append(b, `,"data":[`...)
	for i := range data {
		if i > 0 {
			b = append(b, ',')
		}
		b = data[i].AppendJSON(b)
		data[i] = Result{}
	}
	return append(resp.Meta.appendJSON(append(b, `],"meta":`...)), '}')
}

// roomInJSON is about how many bytes r takes in JSON.
func (r *Result) roomInJSON() int {
	const around = 512
	size := around + r.Data.roomInJSON()
	for _, t := range []*Table{r.Previous, r.Changes} {
		if t != nil {
			size += t.roomInJSON()
		}
	}
	return size
}

func (m *Meta) appendJSON(b []byte) []byte {
	b = append(b, `{"parameters":`...)
	for i, name := range m.Parameters {
		lead := byte(',')
		if i == 0 {
			lead = '['
		}
		b = appendText(append(b, lead), name)
	}
	if m.Parameters == nil {
		b = append(b, "null"...)
	} else if len(m.Parameters) == 0 {
		b = append(b, "[]"...)
	} else {
		b = append(b, ']')
	}
	b = strconv.AppendInt(append(b, `,"total_parameters":`...), int64(m.TotalParameters), 10)
	for i, id := range m.WebsiteIDs {
		lead := `,`
		if i == 0 {
			lead = `,"website_ids":[`
		}
		b = appendText(append(b, lead...), id)
	}
	if len(m.WebsiteIDs) > 0 {
		b = append(b, ']')
	}
	for _, n := range []struct {
		name  string
		value int
	}{{`,"page":`, m.Page}, {`,"limit":`, m.Limit},
		{`,"filters_applied":`, m.FiltersApplied}} {
		b = strconv.AppendInt(append(b, n.name...), int64(n.value), 10)
	}
	for _, t := range []struct{ name, value string }{{`,"startDate":`, m.StartDate}, {`,"endDate":`, m.EndDate},
		{`,"timezone":`, m.Timezone}, {`,"granularity":`, m.Granularity}} {
		b = appendText(append(b, t.name...), t.value)
	}
	return append(b, '}')
}

// MarshalJSON is AppendJSON into new memory.
func (t Table) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// AppendJSON appends t to b as an array of objects, null for an absent one, and returns the extended
// slice. Texts are not escaped for HTML.
func (t Table) AppendJSON(b []byte) []byte {
	if t.encoded != nil {
		const more = 512 // the meta of a result comes after it, and the name of the next
		return append(slices.Grow(b, len(t.encoded)+more), t.encoded...)
	}
	columns := t.writers()
	b = append(b, '[')
	for row := range t.len {
		if row > 0 {
			b = append(b, ',')
		}
		b = appendRow(b, &t, columns, row)
	}
	return append(b, ']')
}

// appendRow appends a row of t, whose columns have these writers, as an object, or null if it is absent.
func appendRow(b []byte, t *Table, columns []cellWriter, row int) []byte {
	if t.Absent(row) {
		return append(b, "null"...)
	}
	for i := range columns {
		b = columns[i].append(b, row)
	}
	if len(columns) == 0 {
		b = append(b, '{')
	}
	return append(b, '}')
}

// AppendJSON appends r to b as encoding/json writes it, without HTML escapes, and returns the extended
// slice. It is faster and makes no copy of a table.
func (r *Result) AppendJSON(b []byte) []byte {
	b = appendText(append(b, `{"parameter":`...), r.Parameter)
	if r.ID != "" {
		b = appendText(append(b, `,"id":`...), r.ID)
	}
	b = strconv.AppendBool(append(b, `,"success":`...), r.Success)
	b = r.Data.AppendJSON(append(b, `,"data":`...))
	if r.Previous != nil {
		b = r.Previous.AppendJSON(append(b, `,"previous":`...))
	}
	if r.Changes != nil {
		b = r.Changes.AppendJSON(append(b, `,"changes":`...))
	}
	if r.Totals != nil {
		b = r.Totals.AppendJSON(append(b, `,"totals":`...))
	}
	if r.Error != "" {
		b = appendText(append(b, `,"error":`...), r.Error)
	}
	if r.Code != "" {
		b = appendText(append(b, `,"code":`...), string(r.Code))
	}
	if r.Meta != nil {
		b = r.Meta.appendJSON(append(b, `,"meta":`...))
	}
	return append(b, '}')
}

func (m *ResultMeta) appendJSON(b []byte) []byte {
	b = m.From.appendJSON(append(b, `{"from":`...))
	b = m.To.appendJSON(append(b, `,"to":`...))
	if m.Until != nil {
		b = m.Until.appendJSON(append(b, `,"until":`...))
	}
	if m.Partial {
		b = append(b, `,"partial":true`...)
	}
	if m.PartialFrom != "" {
		b = appendText(append(b, `,"partialFrom":`...), m.PartialFrom)
	}
	if m.PartialFirst {
		b = append(b, `,"partialFirst":true`...)
	}
	b = appendText(append(b, `,"timezone":`...), m.Timezone)
	b = appendText(append(b, `,"granularity":`...), m.Granularity)
	b = append(b, `,"limit":`...)
	if m.Limit == nil {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, int64(*m.Limit), 10)
	}
	b = strconv.AppendInt(append(b, `,"rows":`...), int64(m.Rows), 10)
	b = strconv.AppendBool(append(b, `,"hasMore":`...), m.HasMore)
	if o := m.Previous; o != nil {
		b = appendText(append(b, `,"previous":{"compare":`...), string(o.Compare))
		b = appendText(append(b, `,"startDate":`...), o.StartDate)
		b = appendText(append(b, `,"endDate":`...), o.EndDate)
		b = o.From.appendJSON(append(b, `,"from":`...))
		b = append(o.To.appendJSON(append(b, `,"to":`...)), '}')
	}
	b = appendTexts(b, "unequal", m.Unequal)
	if m.ExpiredBefore != nil {
		b = m.ExpiredBefore.appendJSON(append(b, `,"expiredBefore":`...))
	}
	if m.Identity != "" {
		b = appendText(append(b, `,"identity":`...), m.Identity)
	}
	return append(appendTexts(b, "notes", m.Notes), '}')
}

// appendTexts appends a member with a list of texts, unless it is empty.
func appendTexts(b []byte, name string, texts []string) []byte {
	if len(texts) == 0 {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":[`...)
	for i, text := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, text)
	}
	return append(b, ']')
}

func (t Instant) appendJSON(b []byte) []byte {
	return append(t.UTC().AppendFormat(append(b, '"'), jsontext.Instant), '"')
}

// appendJSON appends stored JSON without blanks. It appends a text that is not valid JSON as a string.
func appendJSON(b []byte, text string) []byte {
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) != nil {
		return appendText(b, text)
	}
	return append(b, compact.Bytes()...)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Rounded is x as answers show it, with at most that many decimals.
func Rounded(x float64, decimals int) float64 { return round(x, decimals) }

// round is x as appendRounded writes it.
func round(x float64, decimals int) float64 {
	rounded, err := strconv.ParseFloat(string(appendRounded(nil, x, decimals)), 64)
	if err != nil {
		return x
	}
	return rounded
}

// appendRounded appends x with at most that many decimals, rounded half away from zero, without trailing zeros. It
// appends null for infinities and for values that are not numbers.
//
// It rounds the shortest decimal that stands for x, since that is the number people see: 2.675 becomes 2.68, although
// the nearest double is slightly less. So a ratio that is exactly half way in decimals is rounded like one.
func appendRounded(b []byte, x float64, decimals int) []byte {
	if near, ok := appendNear(b, x, decimals); ok {
		return near
	}
	return appendShortest(b, x, decimals)
}

// appendShortest rounds the shortest decimal of x.
func appendShortest(b []byte, x float64, decimals int) []byte {
	if !finite(x) {
		return append(b, "null"...)
	}
	start := len(b)
	b = strconv.AppendFloat(b, x, 'f', -1, 64)
	point := start
	for point < len(b) && b[point] != '.' {
		point++
	}
	if len(b)-point-1 <= decimals {
		return withoutMinusZero(b, start)
	}
	up := b[point+1+decimals] >= '5'
	b = b[:point+1+decimals]
	if up {
		b = increment(b, start)
	}
	for b[len(b)-1] == '0' && hasPoint(b, start) {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	return withoutMinusZero(b, start)
}

// increment adds one in the last place to the decimal that begins at start.
func increment(b []byte, start int) []byte {
	for i := len(b) - 1; i >= start && b[i] != '-'; i-- {
		switch b[i] {
		case '.':
		case '9':
			b[i] = '0'
		default:
			b[i]++
			return b
		}
	}
	if b[start] == '-' {
		start++
	}
	b = append(b, 0)
	copy(b[start+1:], b[start:])
	b[start] = '1'
	return b
}

func hasPoint(b []byte, start int) bool {
	return slices.Contains(b[start:], '.')
}

func withoutMinusZero(b []byte, start int) []byte {
	if string(b[start:]) == "-0" {
		return append(b[:start], '0')
	}
	return b
}

const hexDigits = "0123456789ABCDEF"

// appendText writes s as a JSON string. Bytes that are not valid UTF-8 become U+FFFD.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	done, i := 0, plainLen(s)
	for i < len(s) && beside[s[i]] == 0 { // most texts have no more
		i++
	}
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			b = append(b, s[done:i]...)
			b = appendEscape(b, c)
			i++
			done = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			b = append(b, s[done:i]...)
			b = append(b, "\uFFFD"...)
			done = i + 1
		}
		i += size
	}
	b = append(b, s[done:]...)
	return append(b, '"')
}

// appendEscape escapes as databases do, whose JSON stands beside this in some columns.
func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
