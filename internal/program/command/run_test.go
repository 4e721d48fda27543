//go:build cgo

package command

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	time.Local = time.FixedZone("Asia/Kathmandu", 5*3600+45*60)
	if os.Getenv(asProgram) != "" {
		os.Exit(Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestRun runs command lines that use no data. internal/e2e tests the others.
func TestRun(t *testing.T) {
	for _, row := range []struct {
		name     string
		args     string
		code     int
		out, err string // parts of the output; empty means no output
	}{
		{"help", "--help", 0, "  websites add ", ""},
		{"help, as a word", "help", 0, "  websites add ", ""},
		{"help of a command", "help serve", 0, "--track-addr", ""},
		{"help shows variables", "serve -h", 0, "$SIGHTLINE_CLICKHOUSE)", ""},
		{"the version", "--version", 0, "dev", ""},
		{"an unknown command", "brew x", 2, "", `unknown command brew (help: sightline --help)`},
		{"a misspelt command", "server", 2, "", `did you mean "serve"?`},
		{"a verb of other programs", "keys create", 2, "",
			`unknown command create, did you mean "add"? (help: sightline keys --help)`},
		{"a verb that the command does not have", "audit delete", 2, "",
			`unknown command delete (help: sightline audit --help)`},
		{"websites without a command", "websites", 2, "",
			`"change", "remove", "tag" (help: sightline websites --help)`},
		{"an unknown flag", "keys list --ownr x", 2, "",
			`unknown flag --ownr, did you mean "--owner"? (help: sightline keys list --help)`},
		{"copying to nowhere", "copy", 2, "", "--to"},
		{"copying to an empty address", "copy --to=", 2, "", "--to is empty"},
		{"copying records that change", "copy --meta postgres://h/d --follow", 2, "", "leave out --follow and --before"},
		{"copying records of a missing folder", "copy --meta postgres://h/d --data /nowhere", 1, "", "does not exist"},
		{"copying a negative number of rows", "copy --to clickhouse://h/d --rows -1", 2, "", "--rows is negative"},
		{"copying before an invalid day", "copy --to clickhouse://h/d --before 2026-02-30", 2, "",
			"--before: not a day"},
		{"the last day before the first", "derived verify --from 2026-02-02 --to 2026-02-01", 2, "",
			"--to is before --from"},
		{"verifying a missing folder", "derived verify --data /nowhere", 1, "",
			"no data: /nowhere/analytics.duckdb does not exist"},
		{"copying a missing folder", "copy --to clickhouse://h/d --data /nowhere", 1, "",
			"no data: /nowhere/analytics.duckdb does not exist"},
		{"backing up a missing folder", "backup --data /nowhere /nowhere/backups", 1, "",
			"no data: /nowhere/analytics.duckdb does not exist"},
		{"keeping a negative number of backups", "backup --keep -1 /nowhere", 2, "", "--keep is negative"},
		{"backups every second", "serve --backup-every 1s", 2, "", "--backup-every must be at least 1m"},
		{"restoring from nowhere", "restore /nowhere --data /nowhere/data", 1, "", "/nowhere has no complete backup"},
		{"checking a missing folder", "doctor --data /nowhere", 1,
			"problem  folder      /nowhere does not exist; do: name the folder", "problems found: 1"},
		{"checking in JSON", "doctor --data /nowhere --json", 1,
			`[{"level":"problem","check":"folder","text":"/nowhere does not exist","do":"`, "problems found: 1"},
		{"the health of no server", "health --addr 127.0.0.1:1", 1, "",
			"http://127.0.0.1:1/health does not answer: "},
		{"the health of a server at no address", "health --addr nowhere", 2, "", `--addr "nowhere" is not a host:port`},
		{"the tables", "clickhouse schema", 0, "CREATE TABLE IF NOT EXISTS events (", ""},
		{"the tables of a cluster", "clickhouse schema --cluster east", 0, "ON CLUSTER `east`", ""},
		{"the tables with a retention", "clickhouse schema --retention 400d", 0, "toIntervalDay(400)", ""},
		{"an invalid number of days", "clickhouse schema --retention 2w", 2, "", "not a number of days like 400d"},
		{"days in hours", "clickhouse schema --retention 48h", 2, "", "not a number of days like 400d"},
		{"creating tables without an address", "clickhouse migrate", 2, "", "--clickhouse"},
		{"options without a command belong to serve", "--addr", 2, "", "help: sightline serve --help"},
		{"an invalid boolean", "--demo=perhaps", 2, "", "perhaps"},
		{"an empty data folder", "--data=", 2, "", "--data is empty"},
		{"an empty address", "--addr=", 2, "", "--addr is empty"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out, errs strings.Builder
			code := Run(t.Context(), strings.Fields(row.args), &out, &errs)
			if code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			for part, text := range map[string]string{row.out: out.String(), row.err: errs.String()} {
				if (part == "") != (text == "") || !strings.Contains(text, part) {
					t.Errorf("output %q, want %q in it", text, part)
				}
			}
			if strings.Count(errs.String(), "\n") > 1 {
				t.Errorf("more than one line: %q", errs.String())
			}
		})
	}
}

// Options of serve that are not on the command line come from the environment. Other commands read only variables
// of serve.
func TestVariables(t *testing.T) {
	for name, value := range map[string]string{
		"SIGHTLINE_CLICKHOUSE": "clickhouse://host/db", "SIGHTLINE_META": "postgres://host/db",
		"SIGHTLINE_REDIS": "redis://host",
		"SIGHTLINE_ADDR":  "127.0.0.1:1", "SIGHTLINE_DEMO": "false", "SIGHTLINE_LIMIT": "query=5,track=6",
		"SIGHTLINE_CLICKHOUSE_RETENTION": "30d", "SIGHTLINE_KEYS_ADD_LIMIT": "7", "SIGHTLINE_OWNER": "north",
	} {
		t.Setenv(name, value)
	}
	var all commands
	p, err := newParser(&all, kong.Bind(environment{now: time.Now}))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args string
		got  func() []any
		want []any
	}{
		{"serve --addr 127.0.0.1:2", func() []any {
			s := all.Serve.settings()
			return []any{s.Addr, s.Demo, s.Meta, s.Redis, s.ClickHouse.DSN, s.ClickHouse.Retention, len(s.Limits)}
		}, []any{"127.0.0.1:2", false, "postgres://host/db", "redis://host", "clickhouse://host/db", 30 * oneDay, 2}},
		{"keys add --all", func() []any {
			return []any{string(all.Keys.Add.Meta), all.Keys.Add.Limit,
				all.Keys.Add.Owner}
		}, []any{"postgres://host/db", 0, "local"}},
		{"keys revoke k", func() []any { return []any{string(all.Keys.Revoke.Redis)} }, []any{"redis://host"}},
		{"copy", func() []any { return []any{string(all.Copy.To), all.Copy.options("").Retention} },
			[]any{"clickhouse://host/db", 30 * oneDay}},
	} {
		if _, err := p.Parse(strings.Fields(row.args)); err != nil {
			t.Errorf("%s: %v", row.args, err)
		}
		if diff := cmp.Diff(row.want, row.got()); diff != "" {
			t.Errorf("%s: %s", row.args, diff)
		}
	}
	known := map[string]bool{}
	for _, command := range p.Model.Leaves(false) { // serve is the first
		for _, flag := range command.Flags {
			switch {
			case command.Path() == "serve":
				if len(flag.Envs) != 1 || !strings.HasPrefix(flag.Envs[0], "SIGHTLINE_") {
					t.Errorf("serve --%s: %v", flag.Name, flag.Envs)
				}
				known[strings.Join(flag.Envs, " ")] = true
			case command.Path() == "mcp": // it asks a server, and does not share the options of serve
			case len(flag.Envs) > 0 && !known[strings.Join(flag.Envs, " ")]:
				t.Errorf("%s --%s: %v is no variable of serve", command.Path(), flag.Name, flag.Envs)
			}
		}
	}
}

// TestVerbs checks that commands use one word for one thing: a command is named by a verb of all records, or it
// does something else.
func TestVerbs(t *testing.T) {
	p, err := newParser(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	verbs := []string{"add", "list", "show", "change", "remove"}
	others := []string{
		"serve", "backup", "restore", "doctor", "copy", "import files", "import undo", "export",
		"erase", "subject", "mcp", "help", "health",
		"websites tag", "definitions save", "keys rotate", "keys revoke", "keys disable", "keys enable", "keys token",
		"flags schedule",
		"flags evaluate", "flags history", "audit verify", "derived verify", "derived rebuild", "clickhouse schema",
		"clickhouse migrate", "notices test",
	}
	for _, command := range p.Model.Leaves(false) {
		path := command.Path()
		if !slices.Contains(verbs, command.Name) && !slices.Contains(others, path) {
			t.Errorf("%s: use one of %v, or add the command to the others", path, verbs)
		}
		others = slices.DeleteFunc(others, func(o string) bool { return o == path })
	}
	if len(others) > 0 {
		t.Errorf("these commands do not exist: %v", others)
	}
	for _, word := range []string{"create", "update", "delete", "ls", "get"} {
		if !slices.Contains(verbs, verbFor(word)) {
			t.Errorf("%s: no verb means the same", word)
		}
	}
}
