//go:build cgo

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/program/service"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// Go code in the documents is a part of an example, which is compiled and run. The part may be indented.
func TestDocumentsShowCodeThatRuns(t *testing.T) {
	for _, row := range []struct{ page, holds, source string }{
		{"embedding.md", "func serve(", "example_test.go"},
		{"embedding.md", "query.Definitions", "query/example_define_test.go"},
		{"embedding.md", "type counted", "store/embedded/example_test.go"},
		{"import.md", "importer.Run", "importer/example_test.go"},
	} {
		code := block(t, read(t, "../../../docs/"+row.page), "go", row.holds)
		indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(code, "\n"), "\n", "\n\t") + "\n"
		if source := read(t, "../../../"+row.source); !strings.Contains(source, code) &&
			!strings.Contains(source, indented) {
			t.Errorf("%s does not have this code of docs/%s:\n%s", row.source, row.page, code)
		}
	}
}

// The program of the README prints a key that works, stores its records where the commands find them, and ends in
// order.
func TestReadmeProgramRuns(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address, folder := l.Addr().String(), t.TempDir()
	program := strings.Replace(block(t, read(t, "../../../README.md"), "go", "func main"), "127.0.0.1:8080", address, 1)
	file, host := filepath.Join(folder, "main.go"), filepath.Join(folder, "host")
	if err := errors.Join(l.Close(), os.WriteFile(file, []byte(program), 0o600)); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", host, file)
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	first := runHost(t, host, address, folder, func(printed string) {
		p := process{}
		p.Address = "http://" + address + "/analytics"
		p.wants(t, "the first key", "shop", printed[strings.LastIndex(printed, " ")+1:], http.StatusOK)
		in := installed{dir: filepath.Join(folder, "sightline-data")}
		if out := in.do(t, "keys", "list"); !strings.Contains(out, "First key") {
			t.Errorf("keys list prints %q", out)
		}
	})
	if again := runHost(t, host, address, folder, func(string) {}); first == "" || again != "" {
		t.Errorf("the first start printed %q, the second one %q; want a key once", first, again)
	}
}

// runHost starts a program in folder, calls meanwhile when it listens at address, and interrupts it. It returns what
// the program has printed, as it gives it to meanwhile.
func runHost(t *testing.T, host, address, folder string, meanwhile func(printed string)) string {
	t.Helper()
	var out safeText
	cmd := exec.CommandContext(t.Context(), host)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = c.Close()
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("the program does not listen: %v", err)
		}
	}
	printed := strings.TrimSpace(out.String())
	meanwhile(printed)
	if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil {
		t.Errorf("the program ended with %v", err)
	}
	return printed
}

// readmeDay is the time of the README's answer.
var readmeDay = time.Date(2026, time.November, 21, 18, 0, 0, 0, time.UTC)

// The README's first query must return the answer in the README, which leaves out some fields.
func TestReadmeAnswerIsReal(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	readme := read(t, "../../../README.md")
	command := strings.Split(block(t, readme, "sh", "summary_metrics"), "'")
	address, body := command[1], command[len(command)-2]
	var shown, got any
	if err := json.Unmarshal([]byte(block(t, readme, "json", "")), &shown); err != nil {
		t.Fatal(err)
	}
	// the query is about seven days
	s := service.Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), Demo: true, DemoDays: 10, JSON: true}
	p := start(t, func(ctx context.Context, out, errs io.Writer) int {
		return report(errs, service.Serve(ctx, s, out, errs, func() time.Time { return readmeDay }))
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Address+
		strings.TrimPrefix(address, "http://127.0.0.1:8080"), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+p.Key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v, %v", answer.StatusCode, got, err)
	}
	if diff := cmp.Diff(shown, within(got, shown)); diff != "" {
		t.Errorf("the README's answer (-) and the real one (+) differ:\n%s", diff)
	}
}

// asProgram is an environment variable that makes the test's executable run as the program: see TestMain.
const asProgram = "SIGHTLINE_TEST_IS_PROGRAM"

// chain matches the random name of a chain of the audit trail.
var chain = regexp.MustCompile(`\d{8}T\d{6}Z-[0-9a-z]{12}`)

// TestKeysDocument runs the script of docs/keys.md in a shell, with a server, and compares its status codes and
// its audit trail.
func TestKeysDocument(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		testenv.Program(t, tool)
	}
	document := read(t, "../../../docs/keys.md")
	script := block(t, document, "sh", "keys add")
	folder := t.TempDir()
	in := installed{dir: filepath.Join(folder, "sightline-data")}
	p := in.serve(t)
	in.do(t, "websites", "add", "--id", "web_demo", "--domain", "notes.example")

	var want []string
	for _, code := range regexp.MustCompile(`(?m)^ask .*# (\d+)`).FindAllStringSubmatch(script, -1) {
		want = append(want, code[1])
	}
	// Equal uses within a second would share an entry of the trail, so the script sleeps between them.
	out := shell(t, folder, strings.NewReplacer("http://127.0.0.1:8080", p.Address, "NEW=",
		"sleep 1; NEW=").Replace(script))
	var got []string
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); len(line) == 3 {
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 7 {
		t.Errorf("status codes of docs/keys.md (-) and the real ones (+): %s\n%s", diff, out)
	}
	if !strings.Contains(out, "verified: 11 entries") {
		t.Errorf("the trail is not verified: %s", out)
	}
	shown := masked(block(t, document, "text", "OUTCOME"))
	if !strings.Contains(masked(out), shown) {
		t.Errorf("the trail of docs/keys.md\n%s\nis not in the real one\n%s", shown, masked(out))
	}
}

func masked(text string) string {
	text = chain.ReplaceAllString(text, "CHAIN")
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.as)
	}
	return text
}

// shell runs a script in folder and returns its stdout. In the script, go run ./cmd/sightline runs this program.
func shell(t *testing.T, folder, script string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	instead := fmt.Sprintf("#!/bin/sh\n[ \"$1 $2\" = 'run ./cmd/sightline' ] || exit 9\nshift 2\nexec '%s' \"$@\"\n",
		program)
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(instead), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), asProgram+"=1", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, out, errs.String())
	}
	return string(out)
}

// within returns got without the fields that shown does not have.
func within(got, shown any) any {
	switch shown := shown.(type) {
	case map[string]any:
		all, _ := got.(map[string]any)
		part := map[string]any{}
		for name := range shown {
			if value, ok := all[name]; ok {
				part[name] = within(value, shown[name])
			}
		}
		return part
	case []any:
		all, _ := got.([]any)
		if len(all) != len(shown) {
			return got
		}
		part := make([]any, len(all))
		for i := range all {
			part[i] = within(all[i], shown[i])
		}
		return part
	default:
		return got
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block returns the content of the only fenced block of a language that contains a text.
func block(t *testing.T, markdown, language, holds string) string {
	t.Helper()
	fence := "```"
	var found []string
	for _, part := range strings.Split(markdown, "\n"+fence+language+"\n")[1:] {
		content, _, ended := strings.Cut(part, "\n"+fence)
		if ended && strings.Contains(content, holds) {
			found = append(found, content+"\n")
		}
	}
	if len(found) != 1 {
		t.Fatalf("want one block of %s with %q, found %d", language, holds, len(found))
	}
	return found[0]
}
