//go:build cgo

package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// Command lines that touch no data. Those that do are in internal/e2e.
func TestRun(t *testing.T) {
	for _, row := range []struct {
		name     string
		args     string
		code     int
		out, err string // parts; empty means that nothing is written there
	}{
		{"help of the program", "help", 0, "  websites add ", ""},
		{"help of serve is that of the program's flags", "-h", 0, "-track-addr", ""},
		{"help of serve", "serve --help", 0, "-trusted-proxy", ""},
		{"help of adding a website", "websites add -h", 0, "-domain", ""},
		{"a command that is none", "import x", 2, "", `unknown command "import"`},
		{"websites without a command", "websites", 2, "", "websites list"},
		{"help of copying", "copy -h", 0, "-verify", ""},
		{"copying to nowhere", "copy", 2, "", "--to is required"},
		{"copying less than nothing", "copy --to clickhouse://h/d --rows -1", 2, "", "--rows is negative"},
		{"copying before a day that is none", "copy --to clickhouse://h/d --before 2026-02-30", 2, "", "2026-02-30"},
		{"copying what is not there", "copy --to clickhouse://h/d --data /nowhere", 1, "", "no data: there is no /nowhere/analytics.duckdb"},
		{"ClickHouse without a command", "clickhouse", 2, "", "clickhouse migrate"},
		{"the tables", "clickhouse schema", 0, "CREATE TABLE IF NOT EXISTS events (", ""},
		{"the tables of a cluster", "clickhouse schema --cluster east", 0, "ON CLUSTER `east`", ""},
		{"the tables, for some days", "clickhouse schema --retention 400d", 0, "toIntervalDay(400)", ""},
		{"days that are none", "clickhouse schema --retention 2w", 2, "", "not a number of days like 400d"},
		{"making tables nowhere", "clickhouse migrate", 2, "", "--clickhouse is required"},
		{"a flag without its value", "--addr", 2, "", "needs an argument"},
		{"a truth that is none", "--demo=perhaps", 2, "", "perhaps"},
		{"an empty data folder", "--data=", 2, "", "--data is empty"},
		{"an empty address", "--addr=", 2, "", "--addr is empty"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out, errs strings.Builder
			code := run(t.Context(), strings.Fields(row.args), streams{&out, &errs})
			if code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			for part, text := range map[string]string{row.out: out.String(), row.err: errs.String()} {
				if (part == "") != (text == "") || !strings.Contains(text, part) {
					t.Errorf("it wrote %q, want something with %q", text, part)
				}
			}
			if strings.Count(errs.String(), "\n") > 1 {
				t.Errorf("more than one line: %q", errs.String())
			}
		})
	}
}

func TestExplain(t *testing.T) {
	cause := errors.New("the cause")
	for _, row := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("%w: %w", store.ErrLocked, cause), "f is in use by another process; end that one, or choose another --data"},
		{fmt.Errorf("%w: %w", store.ErrNewerSchema, cause), "f was written by a newer version of this program; nothing was changed"},
		{fmt.Errorf("%w: %w", store.ErrCorrupt, cause), "f is damaged, or no file of this program; nothing was changed (store: corrupt: the cause)"},
		{fmt.Errorf("%w: %w", store.ErrFull, cause), "f: the disk is full (store: disk full: the cause)"},
		{errors.Join(cause, cause), "f: the cause; the cause"},
	} {
		if got := oneLine(explain("f", row.err)); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}
