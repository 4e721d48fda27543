package track

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// get requests the tracker from a handler.
func get(t testing.TB, method, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	(&world{}).handler(t).ServeHTTP(rec, r)
	return rec
}

func TestTracker(t *testing.T) {
	pinned := Tracker()
	plain := get(t, http.MethodGet, "/tracker.js")
	sum := sha512.Sum384(plain.Body.Bytes())
	if want := "sha384-" + base64.StdEncoding.EncodeToString(sum[:]); pinned.Integrity != want {
		t.Errorf("Integrity = %s, the served script has %s", pinned.Integrity, want)
	}
	for _, row := range []struct {
		name, method, path string
		header             []string
		status             int
		cache, encoding    string
	}{
		{"by its name", "GET", "/tracker.js", nil, 200, "public, max-age=3600", ""},
		{"below a prefix with a slash", "GET", "/tracker.js/", nil, 200, "public, max-age=3600", ""},
		{"by the name with its hash", "GET", pinned.Path, nil, 200, "public, max-age=31536000, immutable", ""},
		{"compressed", "GET", pinned.Path, []string{"Accept-Encoding", "br, gzip"}, 200,
			"public, max-age=31536000, immutable", "gzip"},
		{"without compression", "GET", "/tracker.js", []string{"Accept-Encoding", "gzip;q=0, br"}, 200,
			"public, max-age=3600", ""},
		{"without a body", "HEAD", "/tracker.js", nil, 200, "public, max-age=3600", ""},
		{"cached by the browser", "GET", "/tracker.js", []string{"If-None-Match", plain.Header().Get("ETag")}, 304,
			"public, max-age=3600", ""},
		{"a hash of another version", "GET", "/tracker/0000000000000000.js", nil, 404, "no-store", ""},
		{"an unsupported method", "POST", "/tracker.js", nil, 405, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			rec := get(t, row.method, row.path, append(row.header, "Origin", "https://shop.com")...)
			h := rec.Header()
			if rec.Code != row.status || h.Get("Cache-Control") != row.cache ||
				h.Get("Content-Encoding") != row.encoding || h.Get("Access-Control-Allow-Origin") != "*" {
				t.Fatalf("status %d, %v", rec.Code, h)
			}
			if row.status != 200 {
				return
			}
			body := rec.Body.Bytes()
			if row.encoding == "gzip" {
				z, err := gzip.NewReader(rec.Body)
				if err != nil {
					t.Fatal(err)
				}
				if body, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			if row.method == http.MethodHead && (len(body) > 0 || h.Get("Content-Length") == "0") ||
				row.method == http.MethodGet && !bytes.Equal(body, source) {
				t.Errorf("a body of %d bytes, %v", len(body), h)
			}
			if !strings.HasPrefix(h.Get("Content-Type"), "text/javascript") {
				t.Errorf("the type %s", h.Get("Content-Type"))
			}
		})
	}
	if n := len(get(t, http.MethodGet, "/tracker.js", "Accept-Encoding", "gzip").Body.Bytes()); n > 8<<10 {
		t.Errorf("the compressed script has %d bytes, want at most 8 KiB", n)
	}
	if got := get(t, http.MethodGet, "/tracker.js").Header().Get("Access-Control-Allow-Origin"); got != "*" {
		t.Errorf("a page that pins the script cannot use a cached copy of another page: %q", got)
	}
}
