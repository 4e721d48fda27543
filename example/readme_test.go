//go:build cgo

package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/example/demo"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

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
	if diff := cmp.Diff(code, block(t, read(t, "../README.md"), "go", "")); diff != "" {
		t.Errorf("the code of mount_test.go and of the README differ:\n%s", diff)
	}
}

// readmeDay is when the README's answer was taken.
var readmeDay = time.Date(2026, time.November, 21, 18, 0, 0, 0, time.UTC)

// The README's first question has the answer that it shows. What it leaves out of the
// answer is not looked at; what it shows is all there.
func TestReadmeAnswerIsReal(t *testing.T) {
	readme := read(t, "../README.md")
	command := strings.Split(block(t, readme, "sh", "/v1/query?"), "'")
	address, body := command[1], command[len(command)-2]
	var shown any
	if err := json.Unmarshal([]byte(block(t, readme, "json", "")), &shown); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, address, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	handler, secret := demoAPI(t)
	r.Header.Set("Authorization", "Bearer "+secret)
	handler.ServeHTTP(w, r)
	var got any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, %s, %v", w.Code, w.Body, err)
	}
	if diff := cmp.Diff(shown, within(got, shown)); diff != "" {
		t.Errorf("the README's answer (-) and the real one (+) differ:\n%s\nall of it: %s", diff, w.Body)
	}
}

// demoAPI is the API over a demo that runs up to readmeDay, and a key to it.
func demoAPI(t *testing.T) (http.Handler, string) {
	t.Helper()
	now := func() time.Time { return readmeDay }
	f, _ := testFiller(t)
	f.website, f.traffic = demoWebsite, demo.New(demo.Config{Seed: demoSeed, Website: demoWebsite, Domain: demoDomain})
	if err := f.fill(t.Context(), readmeDay); err != nil {
		t.Fatal(err)
	}
	pepper := []byte("a secret of the host's")
	secret, secretErr := auth.NewSecret(nil, "")
	keys := hostKeys{secret.Digest(pepper): {Owner: "acme", All: true, Scopes: []auth.Scope{auth.ReadData}}}
	engine, engineErr := query.New(query.Config{Store: f.store, Now: now})
	callers, keysErr := auth.Keys(auth.KeysConfig{Store: keys, Pepper: pepper})
	sites := &store.MemoryDirectory{}
	siteErr := sites.AddWebsite(store.Website{ID: demoWebsite, Owner: "acme", Domain: demoDomain})
	if err := errors.Join(secretErr, engineErr, keysErr, siteErr); err != nil {
		t.Fatal(err)
	}
	api, err := httpapi.New(httpapi.Config{
		Engine: engine, Directory: sites, Auth: callers, Limiter: auth.Unlimited, Audit: auth.Discard, Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return api, secret.Reveal()
}

// within is got without the fields that shown does not have.
func within(got, shown any) any {
	switch shown := shown.(type) {
	case map[string]any:
		all, _ := got.(map[string]any)
		kept := map[string]any{}
		for name := range shown {
			if value, ok := all[name]; ok {
				kept[name] = within(value, shown[name])
			}
		}
		return kept
	case []any:
		all, _ := got.([]any)
		if len(all) != len(shown) {
			return got
		}
		kept := make([]any, len(all))
		for i := range all {
			kept[i] = within(all[i], shown[i])
		}
		return kept
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

// block is the content of the one fenced block of a language that holds some text.
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
