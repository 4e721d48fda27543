package importer

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
)

// separatorOf returns what separates the fields of CSV with this header: a comma, a semicolon or a tab, whichever the
// first line has most of outside quotes.
func separatorOf(header []byte) byte {
	header, _, _ = bytes.Cut(header, []byte("\n"))
	var count [256]int
	quoted := false
	for _, c := range header {
		if c == '"' {
			quoted = !quoted
		} else if !quoted {
			count[c]++
		}
	}
	separator := byte(',')
	for _, other := range []byte(";\t") {
		if count[other] > count[separator] {
			separator = other
		}
	}
	return separator
}

// csvLine returns the fields of a record.
func csvLine(text []byte, separator byte) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = rune(separator), -1, true
	return r.Read()
}

// A sheet finds the columns of CSV by name. Its first record has the names.
type sheet struct {
	columns   map[string]int
	names     []string // of the columns
	fields    []string // of the current record
	separator byte
}

// read reads a record. The first one is the header: read returns errHeader.
func (h *sheet) read(text []byte) error {
	if h.columns == nil {
		h.separator = separatorOf(text)
	}
	fields, err := csvLine(text, h.separator)
	if err != nil {
		return malformed(err.Error())
	}
	if h.columns == nil {
		h.columns, h.names = map[string]int{}, fields
		for i, name := range fields {
			if _, twice := h.columns[strings.TrimSpace(name)]; !twice {
				h.columns[strings.TrimSpace(name)] = i
			}
		}
		return errHeader
	}
	if len(fields) < len(h.names) {
		return malformed("fewer fields than names in the header")
	}
	if len(fields) > len(h.names) && strings.Join(fields[len(h.names):], "") != "" {
		return malformed("more fields than names in the header")
	}
	if slices.Equal(fields, h.names) {
		return errHeader // of a file that was appended to this one
	}
	h.fields = fields
	return nil
}

// get returns a field of the current record; empty if no such column exists.
func (h *sheet) get(name string) string {
	i, ok := h.columns[name]
	if !ok || i >= len(h.fields) {
		return ""
	}
	value := strings.TrimSpace(h.fields[i])
	if value == `\N` || value == "NULL" {
		return "" // as clients of MySQL write an absent value
	}
	return value
}

// hasColumns reports whether a line is a header of CSV with these columns.
func hasColumns(line []byte, names ...string) bool {
	fields, err := csvLine(line, separatorOf(line))
	if err != nil {
		return false
	}
	h := sheet{columns: map[string]int{}}
	for i, f := range fields {
		h.columns[strings.TrimSpace(f)] = i
	}
	for _, name := range names {
		if _, ok := h.columns[name]; !ok {
			return false
		}
	}
	return true
}
