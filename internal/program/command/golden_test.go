//go:build cgo

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the test's own connection

	"github.com/sightline-analytics/sightline/internal/golden"
	"github.com/sightline-analytics/sightline/internal/pgtest"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// An installed program is a data folder and, with PostgreSQL, a schema.
type installed struct {
	dir, dsn string
}

// onEachStore runs a test on an install of every relational store: SQLite always,
// PostgreSQL when POSTGRES_DSN names a database in which schemas can be made.
func onEachStore(t *testing.T, test func(t *testing.T, in installed)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel() // commands mostly wait for the disk
		test(t, installed{dir: t.TempDir()})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, installed{t.TempDir(), pgtest.Schema(t)})
	})
}

// args returns a command with the options of the install.
func (in installed) args(command ...string) []string {
	args := slices.Concat(command, []string{"--data", in.dir})
	if in.dsn != "" {
		args = append(args, "--meta", in.dsn)
	}
	return args
}

// try runs a command to its end.
func (in installed) try(t *testing.T, command ...string) (out, errs string, code int) {
	t.Helper()
	var o, e strings.Builder
	code = Run(t.Context(), in.args(command...), &o, &e)
	return o.String(), e.String(), code
}

// do runs a command that must succeed, and returns its stdout.
func (in installed) do(t *testing.T, command ...string) string {
	t.Helper()
	out, errs, code := in.try(t, command...)
	if code != 0 {
		t.Fatalf("%v: exit code %d, %s", command, code, errs)
	}
	return out
}

// changing lists texts that differ between runs, and their replacements in transcripts. Replacements of cells
// have the same width.
var changing = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`slt_[\w-]{40,}`), "TOKEN"},
	{regexp.MustCompile(`sl_[0-9A-Za-z]{49}`), "SECRET"},
	{regexp.MustCompile(`sl_[0-9A-Za-z]{5}\b`), "sl_START"},
	{regexp.MustCompile(`(key|web|lnk|mon)_[0-9A-Za-z]{20}\b`), "${1}_IsMadeByTheProgram"},
	{regexp.MustCompile(`(web|lnk|mon|org)_[0-9A-Za-z]{26}\b`), "${1}_IsMadeByTheProgramAtRandom"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`),
		"01234567-89ab-7def-8123-456789abcdef"},
	{regexp.MustCompile(`20[2-4]\d-\d\d-\d\d \d\d:\d\d:\d\dZ`), "2026-11-21 12:00:00Z"},
	{regexp.MustCompile(`20[2-4]\d-\d\d-\d\dT[\d:]+(\.\d+)?Z`), "2026-11-21T12:00:00Z"},
	{regexp.MustCompile(`\d{8}T\d{6}Z-[a-z2-7]{12}`), "20261121T120000Z-ofthechain12"},
	{regexp.MustCompile(`"requestId":"[A-Z2-7]{26}"`), `"requestId":"IsMadeByTheProgramAtRandom"`},
	{regexp.MustCompile(`tracker/[0-9a-f]{16}\.js`), "tracker/HASH.js"},
	{regexp.MustCompile(`sha384-[\w+/]{64}`), "sha384-HASH"},
	{regexp.MustCompile(`\S*/Test\S*/\d+`), "DIR"},
}

// TestGoldenCommands compares the output of commands, for people and for programs, with golden files. Both
// stores give the same output.
func TestGoldenCommands(t *testing.T) {
	golden.OnlyUpdate(t)
	for _, file := range []string{"people", "programs", "mistakes"} {
		script := read(t, "testdata/"+file+".txt")
		onEachStore(t, func(t *testing.T, in installed) {
			golden.Check(t, "testdata/"+file+".golden", []byte(in.transcript(t, script)))
		})
	}
}

// transcript runs the lines of a script, without empty lines and comments.
func (in installed) transcript(t *testing.T, script string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		out, errs, code := in.try(t, words(line)...)
		fmt.Fprintf(&b, "$ sightline %s\n", line)
		for _, part := range []struct{ name, text string }{{"", out}, {"2> ", errs}} {
			for text := range strings.Lines(part.text) {
				b.WriteString(part.name + text)
			}
		}
		fmt.Fprintf(&b, "=> %d\n\n", code)
	}
	text := b.String()
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.as)
	}
	return text
}

// words splits a line at blanks outside quotes.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

// TestGoldenHelp compares the help of every command with a golden file.
func TestGoldenHelp(t *testing.T) {
	testenv.WithoutRace(t)
	t.Setenv("COLUMNS", "120")
	p, err := newParser(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	asked := [][]string{{"--help"}, {"keys", "-h"}}
	for _, c := range p.Model.Leaves(true) {
		asked = append(asked, append(strings.Fields(c.Path()), "-h"))
	}
	var b strings.Builder
	for _, args := range asked {
		var out, errs, same strings.Builder
		if code := Run(t.Context(), args, &out, &errs); code != 0 || errs.Len() > 0 {
			t.Errorf("%v: exit code %d, %s", args, code, errs.String())
		}
		fmt.Fprintf(&b, "$ sightline %s\n%s\n", strings.Join(args, " "), out.String())
		Run(t.Context(), append([]string{"help"}, args[:len(args)-1]...), &same, &errs)
		if same.String() != out.String() {
			t.Errorf("help %v differs from --help", args)
		}
	}
	golden.Check(t, "testdata/help.golden", []byte(b.String()))
}

// Commands that only read create no files.
func TestReadingCreatesNothing(t *testing.T) {
	t.Parallel()
	in := installed{dir: filepath.Join(t.TempDir(), "none")}
	for _, command := range []string{
		"owners list", "websites list", "websites change w", "websites remove w", "definitions list --website w",
		"definitions save goal g --website w --body {}", "definitions remove goal g --website w", "owners remove o",
		"links list", "links change l", "links remove l",
		"monitors list", "monitors change m", "monitors remove m", "keys list", "keys show k", "keys change k",
		"keys rotate k", "keys revoke k", "keys disable k", "keys enable k", "keys token k", "audit list",
		"audit verify",
		"flags list --client w", "flags add k --client w", "flags change k --client w", "flags remove k --client w",
		"flags evaluate --client w",
		"flags groups list --client w", "flags groups add --client w --name G --rules []",
		"flags groups change g --client w", "flags groups remove g --client w",
	} {
		out, errs, code := in.try(t, strings.Fields(command)...)
		if code != 1 || out != "" || !strings.Contains(errs, "no data: "+in.dir) || !strings.Contains(errs, "--data") {
			t.Errorf("%s: exit code %d, %q, %q", command, code, out, errs)
		}
	}
	if _, err := os.Stat(in.dir); !os.IsNotExist(err) {
		t.Errorf("the folder was created: %v", err)
	}
}
