package golden

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder is a test that remembers its failures instead of failing.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func TestCheckComparesByteForByte(t *testing.T) {
	for _, tt := range []struct {
		name      string
		file, got string
		shows     []string // in the failure; none: the check passes
	}{
		{name: "the same text passes", file: "a\nb\n", got: "a\nb\n"},
		{name: "an empty file and nothing pass"},
		{name: "a changed line is shown with both texts", file: "a\nold\nc\n", got: "a\nnew\nc\n",
			shows: []string{"-", `"old\n"`, "+", `"new\n"`, "-update"}},
		{name: "a missing line feed at the end is a difference", file: "a\n", got: "a",
			shows: []string{`"a\n"`, `"a"`}},
		{name: "a carriage return is a difference", file: "a\n", got: "a\r\n", shows: []string{`"a\r\n"`}},
		{name: "an added line is shown", file: "a\n", got: "a\nb\n", shows: []string{"+", `"b\n"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.golden")
			write(t, path, tt.file)
			r := &recorder{TB: t}
			check(r, path, []byte(tt.got), bytes.Equal, false)
			if got, want := len(r.failures) > 0, len(tt.shows) > 0; got != want {
				t.Fatalf("failed = %v, want %v: %q", got, want, r.failures)
			}
			for _, s := range tt.shows {
				if !strings.Contains(r.failures[0], s) {
					t.Errorf("failure does not show %q:\n%s", s, r.failures[0])
				}
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != tt.file {
				t.Errorf("the file changed without -update: %q, %v", b, err)
			}
		})
	}
}

func TestCheckWithoutAFileFailsAndWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent.golden")
	r := &recorder{TB: t}
	check(r, path, []byte("a\n"), bytes.Equal, false)
	if len(r.failures) != 1 || !strings.Contains(r.failures[0], "-update") {
		t.Errorf("failures = %q, want one that says how to write the file", r.failures)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file exists now: %v", err)
	}
}

func TestUpdateWritesTheFileAndItsFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "er", "x.golden")
	check(t, path, []byte("a\n"), bytes.Equal, true)
	check(t, path, []byte("a\n"), bytes.Equal, false)
	check(t, path, []byte("b\n"), bytes.Equal, true)
	check(t, path, []byte("b\n"), bytes.Equal, false)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
