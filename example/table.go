//go:build cgo

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// A column of a table for people.
type column[T any] struct {
	title string
	cell  func(T) string
}

// table writes rows for people.
func table[T any](to io.Writer, columns []column[T], rows []T) error {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	var b strings.Builder
	line := func(cell func(column[T]) string) {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = clean(cell(c))
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	line(func(c column[T]) string { return c.title })
	for _, row := range rows {
		line(func(c column[T]) string { return c.cell(row) })
	}
	if _, err := io.WriteString(t, b.String()); err != nil {
		return err
	}
	return t.Flush()
}

// sheet writes one row for people, a line per column.
func sheet[T any](to io.Writer, columns []column[T], row T) error {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, c := range columns {
		if _, err := fmt.Fprintf(t, "%s\t%s\n", c.title, clean(c.cell(row))); err != nil {
			return err
		}
	}
	return t.Flush()
}

// clean is text without what would break a table or talk to a terminal: some of what is
// shown was chosen by strangers. An empty cell shows as a dash.
func clean(text string) string {
	if text == "" {
		return "-"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

func writeJSON(to io.Writer, v any) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// at shows an instant to people, in UTC.
func at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// maybe is t for JSON, where an instant that is none is null.
func maybe(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
