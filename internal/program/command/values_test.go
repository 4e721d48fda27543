//go:build cgo

package command

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
)

func TestParseFilter(t *testing.T) {
	for _, row := range []struct {
		text   string
		field  string
		op     string
		values []string
	}{
		{"country:eq:DE", "country", "eq", []string{"DE"}},
		{"country:in:DE", "country", "in", []string{"DE"}},
		{"country:not_in:DE,AT", "country", "not_in", []string{"DE", "AT"}},
		{`text:in:"a,b",c`, "text", "in", []string{"a,b", "c"}},
		{"text:eq:a,b", "text", "eq", []string{"a,b"}},
		{"href:starts_with:https://a:8/", "href", "starts_with", []string{"https://a:8/"}},
		{"path:eq:", "path", "eq", []string{""}},
	} {
		var got filter
		err := got.UnmarshalText([]byte(row.text))
		if diff := cmp.Diff(filter{Field: row.field, Op: row.op, Values: row.values}, got); diff != "" || err != nil {
			t.Errorf("%s: %v%s", row.text, err, diff)
		}
	}
	var group filter
	want := filter{Or: []auth.Filter{{Field: "path", Op: "eq", Values: []string{"/"}},
		{Not: &auth.Filter{Field: "path", Op: "eq", Values: []string{"/a"}}}}}
	err := group.UnmarshalText([]byte(`{"or":[{"field":"path","op":"eq","values":["/"]},{"not":{"field":"path","op":"eq","values":["/a"]}}]}`))
	if diff := cmp.Diff(want, group); diff != "" || err != nil {
		t.Errorf("a group in JSON: %v%s", err, diff)
	}
	var did filter
	if err := did.UnmarshalText([]byte(`{"did":{"event":"signup","filters":[{"field":"property:plan","op":"eq","values":["pro"]}]}}`)); err != nil ||
		did.Did == nil || did.Did.Event.Values[0] != "signup" || did.Did.Filters[0].Field != "property:plan" {
		t.Errorf("did: %+v, %v", did, err)
	}
	for _, text := range []string{`{"did":{"event":{"is":"signup"}}}`, `{"xor":[]}`, `{"or":`, "", "country",
		"country:eq", ":eq:DE", "country:is:DE", "country:in:", `text:in:"a`} {
		if err := new(filter).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: want an error", text)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]size{
		"1MiB": 1 << 20, "512MiB": 512 << 20, "2GiB": 2 << 30, "8589934591GiB": math.MaxInt64 - 1<<30 + 1,
		"": 0, "512": 0, "MiB": 0, "0MiB": 0, "-1GiB": 0, "1.5GiB": 0, "512MB": 0, "1 GiB": 0, "8589934592GiB": 0,
	} {
		var got size
		if err := got.UnmarshalText([]byte(text)); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

// All commands can read the address of a database from a file.
func TestDSNOfAFile(t *testing.T) {
	in := installed{}
	file := in.file(t, " postgres://name:secret@host/database\n")
	var all commands
	p, err := newParser(&all, kong.Bind(environment{now: time.Now}))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args string
		got  *dsn
	}{
		{"serve --meta", &all.Serve.Meta},
		{"serve --clickhouse", &all.Serve.Clickhouse},
		{"serve --redis", &all.Serve.Redis},
		{"keys revoke k --meta", &all.Keys.Revoke.Meta},
		{"keys revoke k --redis", &all.Keys.Revoke.Redis},
		{"clickhouse migrate --clickhouse", &all.Clickhouse.Migrate.Clickhouse},
		{"copy --to", &all.Copy.To},
		{"mcp --key", &all.Mcp.Key},
	} {
		for typed, want := range map[string]dsn{"postgres://host/db": "postgres://host/db",
			"postgres://host/line\n": "postgres://host/line", "@" + file: "postgres://name:secret@host/database"} {
			_, err := p.Parse(append(strings.Fields(row.args), typed))
			if err != nil || *row.got != want {
				t.Errorf("%s %s: %q, %v; want %q", row.args, typed, *row.got, err, want)
			}
		}
	}
	for typed, fault := range map[string]string{"@" + file + "2": "no such file", "@" + in.file(t, "\n"): "is empty",
		"@": "no such file"} {
		if _, err := p.Parse([]string{"serve", "--meta", typed}); err == nil ||
			!strings.Contains(err.Error(), "--meta") || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v, want %q", typed, err, fault)
		}
	}
}

func TestParseInstant(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.FixedZone("", 3600))
	for _, row := range []struct {
		text string
		back bool
		want string // empty: an error
	}{
		{"2026-11-01", true, "2026-11-01T00:00:00Z"},
		{"2026-11-01T05:00:00+02:00", false, "2026-11-01T03:00:00Z"},
		{"2d", true, "2026-11-19T11:00:00Z"},
		{"2d", false, "2026-11-23T11:00:00Z"},
		{"1h30m", false, "2026-11-21T12:30:00Z"},
		{"0d", false, "2026-11-21T11:00:00Z"},
		{"2026-02-30", true, ""},
		{"-1d", true, ""},
		{"-1h", true, ""},
		{"106752d", true, ""}, // more than the largest duration
		{"tomorrow", true, ""},
		{"", true, ""},
	} {
		var i instant
		err, text := i.UnmarshalText([]byte(row.text)), ""
		switch {
		case err == nil && row.back:
			text = i.before(now).Format(time.RFC3339)
		case err == nil:
			text = i.after(now).Format(time.RFC3339)
		}
		if text != row.want {
			t.Errorf("%q: %q, %v; want %q", row.text, text, err, row.want)
		}
	}
}

// Control characters in stored texts do not reach a terminal.
func TestTablesAreClean(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "-",
		"plain":                "plain",
		"Zürich 🎉":             "Zürich 🎉",
		"a\x1b[31mred\x07":     "a\uFFFD[31mred\uFFFD",
		"two\nlines\tand tabs": "two\uFFFDlines\uFFFDand tabs",
		"left \u202eto right":  "left \uFFFDto right",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q shows as %q, want %q", text, got, want)
		}
	}
}
