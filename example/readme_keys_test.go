//go:build cgo

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// asProgram is the variable that has the test's own executable be the program: see TestMain.
const asProgram = "SIGHTLINE_TEST_IS_EXAMPLE"

// chain is the name of a chain of the audit trail, random.
var chain = regexp.MustCompile(`\d{8}T\d{6}Z-[0-9a-z]{12}`)

// The README's section on keys runs as it is printed, in a shell, beside a server; what it
// says of status codes holds, and so does the audit trail that it shows.
func TestReadmeKeys(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	readme := read(t, "../README.md")
	script := block(t, readme, "sh", "keys create")
	folder := t.TempDir()
	in := install{dir: filepath.Join(folder, filepath.Base(defaultData))}
	p := in.serve(t)
	in.do(t, "websites", "add", "--id", demoWebsite, "--domain", demoDomain)

	var want []string
	for _, code := range regexp.MustCompile(`(?m)^ask .*# (\d+)`).FindAllStringSubmatch(script, -1) {
		want = append(want, code[1])
	}
	out := shell(t, folder, strings.ReplaceAll(script, "http://127.0.0.1:8080", p.Address))
	var got []string
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); len(line) == 3 {
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 7 {
		t.Errorf("status codes that the README promises (-) and the real ones (+): %s\n%s", diff, out)
	}
	if !strings.Contains(out, "verified: 7 entries") {
		t.Errorf("the trail is not verified: %s", out)
	}
	shown := masked(block(t, readme, "text", "OUTCOME"))
	if !strings.Contains(masked(out), shown) {
		t.Errorf("the README's trail\n%s\nis not in the real one\n%s", shown, masked(out))
	}
}

func masked(text string) string {
	text = chain.ReplaceAllString(text, "CHAIN")
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.as)
	}
	return text
}

// shell runs a script as somebody would who sits in folder, where go run ./example is this
// program, and returns what it wrote to stdout.
func shell(t *testing.T, folder, script string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	instead := fmt.Sprintf("#!/bin/sh\n[ \"$1 $2\" = 'run ./example' ] || exit 9\nshift 2\nexec '%s' \"$@\"\n", program)
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
