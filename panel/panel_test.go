package panel_test

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/panel"
)

// TestFiles follows all references from the page and reads every file, as a browser would below a prefix.
func TestFiles(t *testing.T) {
	page, err := panel.New(panel.Config{API: "/api"})
	if err != nil {
		t.Fatal(err)
	}
	host := http.StripPrefix("/stats", page)
	const limit = 200 << 10 // of all files together, compressed
	reference := regexp.MustCompile(`(?:src="|stylesheet" href="|from "\./|from "|import\("\./)([\w/.-]+\.(?:js|css))"`)
	weight, seen, next := 0, map[string]bool{}, []string{"/stats/"}
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, at, http.NoBody)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		host.ServeHTTP(w, r)
		if w.Code != http.StatusOK ||
			!strings.Contains(w.Header().Get("Content-Security-Policy"), "require-trusted-types-for 'script'") {
			t.Fatalf("%s: status %d, header %v", at, w.Code, w.Header())
		}
		weight += w.Body.Len()
		text := unpacked(t, w.Body)
		if immutable := strings.Contains(w.Header().Get("Cache-Control"), "immutable"); immutable == (at == "/stats/") {
			t.Errorf("%s: Cache-Control %q", at, w.Header().Get("Cache-Control"))
		}
		if at == "/stats/" && !strings.Contains(text, `name="sightline-api" content="/api"`) {
			t.Errorf("the page does not name the API: %s", text)
		}
		for _, found := range reference.FindAllStringSubmatch(text, -1) {
			next = append(next, path.Join(path.Dir(at+"x"), found[1]))
		}
		r.Header.Set("If-None-Match", w.Header().Get("ETag"))
		again := httptest.NewRecorder()
		if host.ServeHTTP(again, r); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s: a request with its ETag gets status %d", at, again.Code)
		}
	}
	var all []string
	err = fs.WalkDir(os.DirFS("files"), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all = append(all, name)
		}
		return err
	})
	if err != nil || len(seen) != len(all) {
		t.Errorf("the page uses %d of %d files: %v, %v", len(seen), len(all), seen, err)
	}
	if weight > limit {
		t.Errorf("the page weighs %d bytes, more than %d", weight, limit)
	}
}

func unpacked(t *testing.T, from io.Reader) string {
	t.Helper()
	r, err := gzip.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMount(t *testing.T) {
	mux := http.NewServeMux()
	if err := panel.Mount(mux, panel.Config{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, at string
		status     int
	}{
		{http.MethodGet, "/", http.StatusOK},
		{http.MethodHead, "/panel/app.js", http.StatusOK},
		{http.MethodPost, "/", http.StatusMethodNotAllowed},
		{http.MethodGet, "/panel/another-version/app.js", http.StatusOK},
		{http.MethodGet, "/panel/none.js", http.StatusNotFound},
		{http.MethodGet, "/panel/", http.StatusNotFound},
		{http.MethodGet, "/v1/query", http.StatusNotFound},
	} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), c.method, c.at, http.NoBody))
		if w.Code != c.status {
			t.Errorf("%s %s: status %d, want %d", c.method, c.at, w.Code, c.status)
		}
	}
}
