package command

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/sightline-analytics/sightline/internal/jsontext"
)

// A cell is one field of a row in a table, with the title of its column.
type cell struct{ title, text string }

// A view is one row in the result of a command. It is encoded as JSON, or printed as cells.
type view interface{ cells() []cell }

// showAll writes rows as JSON or as a table.
func showAll[T view](to io.Writer, asJSON bool, rows []T) error {
	if asJSON {
		return writeJSON(to, rows)
	}
	return table(to, rows)
}

// showOne writes a row as JSON or as a table.
func showOne[T view](to io.Writer, asJSON bool, row T) error {
	if asJSON {
		return writeJSON(to, row)
	}
	return table(to, []T{row})
}

// table writes rows as a table, with the titles in the first line.
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

// tab returns the separator before the i-th cell of a line.
func tab(i int) string {
	if i == 0 {
		return ""
	}
	return "\t"
}

// sheet writes one row with a line for each cell.
func sheet(to io.Writer, cells []cell) error {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, c := range cells {
		if _, err := fmt.Fprintf(t, "%s\t%s\n", c.title, clean(c.text)); err != nil {
			return err
		}
	}
	return t.Flush()
}

// clean returns text without characters that break a table or control a terminal, because strangers chose some
// of the texts. An empty text becomes a dash.
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
	line, err := jsontext.AppendLine(nil, v)
	if err != nil {
		return err
	}
	_, err = to.Write(line)
	return err
}

// at formats an instant for a cell, in UTC.
func at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// or formats t for a cell. It returns none if t is nil.
func or(t *time.Time, none string) string {
	if t == nil {
		return none
	}
	return at(*t)
}

// maybe returns t for JSON, with nil for the zero time.
func maybe(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// mapped applies f to each element. It never returns nil, which would be null in JSON.
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
