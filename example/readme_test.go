//go:build cgo

package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

// hostSites are the websites of the host of Example_host: none.
type hostSites struct{}

func (hostSites) Websites(context.Context, string) ([]store.Website, error) { return nil, nil }

func (hostSites) Website(context.Context, string) (store.Website, error) {
	return store.Website{}, store.ErrNotFound
}

func (hostSites) Owner(context.Context, store.Subject) (string, error) { return "", store.ErrNotFound }

// The README shows mount as it is compiled here, and as Example_host runs it.
func TestReadmeShowsCodeThatRuns(t *testing.T) {
	source := read(t, "mount_test.go")
	from := strings.Index(source, "// mount puts")
	code, _, found := strings.Cut(source[max(from, 0):], "\n}\n")
	if from < 0 || !found {
		t.Fatal("there is no function mount in mount_test.go")
	}
	code += "\n}\n"
	if n := strings.Count(code, "\n"); n >= 20 {
		t.Errorf("mounting takes %d lines; the README promises under 20", n)
	}
	if diff := cmp.Diff(code, block(t, read(t, "../README.md"), "go")); diff != "" {
		t.Errorf("the code of mount_test.go and of the README differ:\n%s", diff)
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

// block is the content of the one fenced block of a language in a text.
func block(t *testing.T, markdown, language string) string {
	t.Helper()
	fence := "```"
	parts := strings.Split(markdown, "\n"+fence+language+"\n")
	if len(parts) != 2 {
		t.Fatalf("want one block of %s, found %d", language, len(parts)-1)
	}
	content, _, found := strings.Cut(parts[1], "\n"+fence)
	if !found {
		t.Fatalf("the block of %s has no end", language)
	}
	return content + "\n"
}
