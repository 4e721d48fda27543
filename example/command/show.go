//go:build cgo

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// A cell is one value of a row for people, and the title of its column.
type cell struct{ title, text string }

// A view is what a command shows: as JSON to programs, as cells to people.
type view interface{ cells() []cell }

// showAll writes rows for who asked: a program or a person.
func showAll[T view](to io.Writer, asJSON bool, rows []T) error {
	if asJSON {
		return writeJSON(to, rows)
	}
	return table(to, rows)
}

// showOne writes a row for who asked.
func showOne[T view](to io.Writer, asJSON bool, row T) error {
	if asJSON {
		return writeJSON(to, row)
	}
	return table(to, []T{row})
}

// table writes rows for people, titles first.
func table[T view](to io.Writer, rows []T) error {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	var zero T
	var b strings.Builder
	for i, c := range zero.cells() {
		b.WriteString(tab(i) + c.title)
	}
	for _, row := range rows {
		b.WriteString("\n")
		for i, c := range row.cells() {
			b.WriteString(tab(i) + clean(c.text))
		}
	}
	if _, err := io.WriteString(t, b.String()+"\n"); err != nil {
		return err
	}
	return t.Flush()
}

// tab is what stands before the i-th cell of a line.
func tab(i int) string {
	if i == 0 {
		return ""
	}
	return "\t"
}

// sheet writes one row for people, a line per cell.
func sheet(to io.Writer, cells []cell) error {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, c := range cells {
		if _, err := fmt.Fprintf(t, "%s\t%s\n", c.title, clean(c.text)); err != nil {
			return err
		}
	}
	return t.Flush()
}

// clean is text without what would break a table or control a terminal: some of what is
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

// or is t for people, or what no instant means.
func or(t *time.Time, none string) string {
	if t == nil {
		return none
	}
	return at(*t)
}

// maybe is t for JSON, where an instant that is none is null.
func maybe(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// mapped is f of each of all: never nil, which JSON would call null.
func mapped[R, T any](all []R, f func(R) T) []T {
	out := make([]T, len(all))
	for i, r := range all {
		out[i] = f(r)
	}
	return out
}

func joined[T ~string](all []T) string {
	return strings.Join(mapped(all, func(t T) string { return string(t) }), ", ")
}
