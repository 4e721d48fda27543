package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/jsontext"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// UnmarshalJSON implements json.Unmarshaler: it reads an array of objects that all have the same members, and null for
// an absent row. It replaces t by a table with the same JSON.
//
// JSON does not say the formats of columns, so they follow from the values. Whole numbers are Integer, and other
// numbers Number. Texts are String, also dates. A column whose texts are all instants, as in 2026-03-01T12:00:00.000Z,
// is DateTime.
func (t *Table) UnmarshalJSON(b []byte) error {
	var rows []json.RawMessage
	if err := json.Unmarshal(b, &rows); err != nil {
		return fmt.Errorf("query: a table must be an array of objects: %w", err)
	}
	read := Table{len: len(rows)}
	var names []string
	var cells [][]json.RawMessage // by column and row; nil in absent rows
	for row, raw := range rows {
		if string(raw) == "null" {
			if read.absent == nil {
				read.absent = make([]bool, len(rows))
			}
			read.absent[row] = true
			continue
		}
		of, values, err := readMembers(raw)
		if err != nil {
			return fmt.Errorf("query: row %d of a table: %w", row, err)
		}
		if cells == nil {
			names, cells = of, make([][]json.RawMessage, len(of))
			for i := range cells {
				cells[i] = make([]json.RawMessage, len(rows))
			}
		}
		if strings.Join(of, "\n") != strings.Join(names, "\n") {
			return fmt.Errorf("query: row %d of a table has the columns %q, not %q as the rows before it", row, of,
				names)
		}
		for i, value := range values {
			cells[i][row] = value
		}
	}
	for i, name := range names {
		read.columns = append(read.columns, decodeColumn(name, cells[i]))
	}
	*t = read
	return nil
}

// readMembers returns the names and values of the members of an object, in their order.
func readMembers(object []byte) (names []string, values []json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, nil, fmt.Errorf("must be an object or null, not %s", object)
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		name, _ := token.(string) // the name of a member is a string
		if seen[name] {
			return nil, nil, fmt.Errorf("has two members called %q", name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, err
		}
		names, values = append(names, name), append(values, value)
	}
	return names, values, nil
}

// decodeColumn returns the column called name with these values, which are nil in absent rows.
func decodeColumn(name string, values []json.RawMessage) Cells {
	column := store.Column{Valid: make([]bool, len(values))}
	kinds := map[byte]bool{} // the first byte of the values, 0 for all numbers
	for i, value := range values {
		if column.Valid[i] = value != nil && string(value) != "null"; column.Valid[i] {
			kinds[kindOf(value)] = true
		}
	}
	c := Cells{Output: &catalog.Output{Name: name}, Column: column}
	switch {
	case len(kinds) > 1 || kinds['{'] || kinds['[']:
		c.decodeJSON(values)
	case kinds['"']:
		c.decodeTexts(values)
	case kinds['t']:
		c.Format, c.Kind, c.Ints = catalog.Boolean, dialect.Int, make([]int64, len(values))
		for i := range values {
			if string(values[i]) == "true" {
				c.Ints[i] = 1
			}
		}
	default:
		c.decodeNumbers(values)
	}
	return c
}

// kindOf returns a byte that tells the kinds of JSON values apart.
func kindOf(value json.RawMessage) byte {
	switch value[0] {
	case '"', '{', '[', 't':
		return value[0]
	case 'f':
		return 't'
	}
	return 0
}

// decodeJSON makes c a column of JSON.
func (c *Cells) decodeJSON(values []json.RawMessage) {
	c.Format, c.Kind, c.Texts, c.Valid = catalog.JSON, dialect.Text, make([]string, len(values)), nil
	for i := range values {
		c.Texts[i] = string(values[i])
	}
}

// decodeTexts makes c a column of texts, or of instants if all of them are.
func (c *Cells) decodeTexts(values []json.RawMessage) {
	c.Format, c.Kind, c.Texts = catalog.String, dialect.Text, make([]string, len(values))
	instants, areInstants := make([]int64, len(values)), true
	for i := range values {
		if !c.Valid[i] {
			continue
		}
		if json.Unmarshal(values[i], &c.Texts[i]) != nil {
			c.Texts[i] = "" // the decoder checked it
		}
		at, err := time.Parse(jsontext.Instant, c.Texts[i])
		areInstants = areInstants && err == nil && at.Format(jsontext.Instant) == c.Texts[i]
		instants[i] = at.UnixMilli()
	}
	if areInstants {
		c.Format, c.Kind, c.Ints, c.Texts = catalog.DateTime, dialect.Int, instants, nil
		return
	}
	for i := range values {
		if !c.Valid[i] && values[i] != nil { // only a column of JSON may have both texts and null
			c.decodeJSON(values)
			return
		}
	}
}

// decodeNumbers makes c a column of whole numbers, or of numbers with decimals if one has some.
func (c *Cells) decodeNumbers(values []json.RawMessage) {
	c.Format, c.Kind, c.Ints = catalog.Integer, dialect.Int, make([]int64, len(values))
	whole := true
	for i := range values {
		if c.Valid[i] {
			n, err := strconv.ParseInt(string(values[i]), 10, 64)
			whole = whole && err == nil
			c.Ints[i] = n
		}
	}
	if whole {
		return
	}
	c.Format, c.Kind, c.Floats, c.Ints = catalog.Number, dialect.Float, make([]float64, len(values)), nil
	for i := range values {
		if !c.Valid[i] {
			continue
		}
		x, err := strconv.ParseFloat(string(values[i]), 64)
		if err != nil {
			x = math.NaN() // beyond all floating-point numbers; shown as null
		}
		c.Floats[i] = x
		if text := strconv.FormatFloat(x, 'f', -1, 64); strings.Contains(text, ".") {
			c.Decimals = max(c.Decimals, len(text)-strings.IndexByte(text, '.')-1)
		}
	}
}

// resultFields has the fields of a Result without its methods.
type resultFields Result

// UnmarshalJSON implements json.Unmarshaler. It gives the tables the time zone of the answer: see [Table.Time].
func (r *Result) UnmarshalJSON(b []byte) error {
	var read resultFields
	if err := json.Unmarshal(b, &read); err != nil {
		return err
	}
	if read.Meta != nil {
		if zone, err := time.LoadLocation(read.Meta.Timezone); err == nil && read.Meta.Timezone != "" {
			read.Data.zone = zone
			for _, t := range []*Table{read.Previous, read.Changes} {
				if t != nil {
					t.zone = zone
				}
			}
			if read.Totals != nil {
				read.Totals.zone = zone
			}
		}
	}
	*r = Result(read)
	return nil
}
