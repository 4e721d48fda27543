//go:build cgo

package command

import (
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/golden"
)

const scalePage = "../../../docs/scale.md"

// docs/scale.md shows tables that the command prints.
func TestGoldenScale(t *testing.T) {
	page := read(t, scalePage)
	page = between(t, page, "<!-- tables: ", "<!-- end of tables -->",
		statements(t, "clickhouse schema", "events", "receipts"))
	page = between(t, page, "<!-- tables of a cluster: ", "<!-- end of tables of a cluster -->",
		statements(t, "clickhouse schema --cluster east", "visits_local", "visits"))
	golden.Check(t, scalePage, []byte(page))
}

// statements returns the statements of a command's output that create tables, as a block.
func statements(t *testing.T, command string, tables ...string) string {
	t.Helper()
	var out, errs strings.Builder
	if code := Run(t.Context(), strings.Fields(command), &out, &errs); code != 0 {
		t.Fatalf("%s: %s", command, errs.String())
	}
	var shown []string
	for _, table := range tables {
		for _, s := range strings.SplitAfter(out.String(), ";\n") {
			if s = strings.TrimSpace(s); strings.HasPrefix(s, "CREATE TABLE IF NOT EXISTS "+table+" ") {
				shown = append(shown, s)
			}
		}
	}
	if len(shown) != len(tables) {
		t.Fatalf("%s creates %d of %v", command, len(shown), tables)
	}
	return "\n```sql\n" + strings.Join(shown, "\n\n") + "\n```\n\n"
}

// between replaces the text between the line that begins with from, and to.
func between(t *testing.T, page, from, to, text string) string {
	t.Helper()
	head, rest, found := strings.Cut(page, from)
	line, rest, ended := strings.Cut(rest, "\n")
	_, tail, closed := strings.Cut(rest, to)
	if !found || !ended || !closed {
		t.Fatalf("%s has no text between %q and %q", scalePage, from, to)
	}
	return head + from + line + "\n" + text + to + tail
}

// The commands in docs/scale.md exist, with all their options.
func TestScaleShowsCommandsThatExist(t *testing.T) {
	commands := 0
	for line := range strings.Lines(read(t, scalePage)) {
		line, isCommand := strings.CutPrefix(strings.TrimSpace(line), "sightline ")
		if !isCommand {
			continue
		}
		commands++
		line, _, _ = strings.Cut(line, " #")
		var out, errs strings.Builder
		if code := Run(t.Context(), append(strings.Fields(line), "-h"), &out, &errs); code != 0 ||
			!strings.HasPrefix(out.String(), "Usage: sightline") {
			t.Errorf("sightline %s: exit code %d, %s", line, code, errs.String())
		}
	}
	if commands < 5 {
		t.Errorf("%d commands were found", commands)
	}
}
