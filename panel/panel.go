// Package panel is the web page that shows statistics, as a handler of embedded files.
//
//	mux.Handle("/api/", http.StripPrefix("/api", service.API()))
//	page, err := panel.New(panel.Config{API: "/api"})
//	if err != nil {
//		return err
//	}
//	mux.Handle("/stats/", http.StripPrefix("/stats", page))
//
// The page uses only the public API, with the key or panel token that a reader enters, and sends no request to other
// hosts. A host that has signed its readers in sends them to the page with a panel token: see [Link].
package panel

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed files
var files embed.FS

// policy allows requests to this server only. Trusted types prevent the page from parsing texts as HTML.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// ErrAPI reports a Config.API that is not a path.
var ErrAPI = errors.New("panel: API must be a path that starts with a single slash and does not end with one, such as /api")

// Config configures New.
type Config struct {
	// API is the path of the API on the same origin, such as "/api". The default is "", the root.
	API string
}

// file is one embedded file as it is served.
type file struct {
	kind, tag     string
	plain, packed []byte
}

// A Handler serves the page at "/" and its files below "/panel/". Addresses with the version in them never change, so
// browsers need not ask again. With any other version, files are served too: a server may be updated while a page
// loads.
type Handler struct {
	files   map[string]file // by path, without the version
	version string
}

// New returns the handler of the page. It answers GET and HEAD, and 404 for unknown paths. It returns ErrAPI for an API
// that is not a path.
func New(cfg Config) (*Handler, error) {
	if api := cfg.API; api != "" &&
		(api[0] != '/' || strings.HasPrefix(api, "//") || strings.HasSuffix(api, "/") || strings.Contains(api, `\`)) {
		return nil, ErrAPI
	}
	texts, all := map[string][]byte{}, sha256.New()
	err := fs.WalkDir(files, "files", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		texts[path.Base(name)], err = files.ReadFile(name)
		all.Write(texts[path.Base(name)])
		return err
	})
	if err != nil {
		return nil, err
	}
	p := &Handler{files: map[string]file{}, version: hex.EncodeToString(all.Sum(nil)[:8])}
	var modules strings.Builder // loaded at once: each import of an import would take another round trip
	for _, name := range modulesOf("app.js", texts) {
		fmt.Fprintf(&modules, "<link rel=\"modulepreload\" href=\"panel/%s/%s\">\n", p.version, name)
	}
	for name, text := range texts {
		at := "/panel/" + name
		if name == "index.html" {
			at, text = "/", []byte(strings.NewReplacer("{{API}}", html.EscapeString(cfg.API), "{{VERSION}}", p.version,
				"{{MODULES}}\n", modules.String()).Replace(string(text)))
		}
		if p.files[at], err = pack(name, text); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// modulesOf returns the modules that the module name always loads, and itself, but not those that it imports when they
// are needed.
func modulesOf(name string, texts map[string][]byte) []string {
	found, imports := []string{name}, regexp.MustCompile(`\bfrom "\./([\w.-]+\.js)"`)
	for i := 0; i < len(found); i++ {
		for _, imported := range imports.FindAllSubmatch(texts[found[i]], -1) {
			if name := string(imported[1]); !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	return found
}

func pack(name string, text []byte) (file, error) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(text)
	err = errors.Join(err, w.Close())
	sum := sha256.Sum256(text)
	return file{kind: kindOf(name), tag: hex.EncodeToString(sum[:8]), plain: text, packed: packed.Bytes()}, err
}

// Mount adds the page to mux at "/", with its files below "/panel/". Like [http.ServeMux.Handle], it panics if mux has
// these patterns already.
func Mount(mux *http.ServeMux, cfg Config) error {
	page, err := New(cfg)
	if err != nil {
		return err
	}
	mux.Handle("/{$}", page)
	mux.Handle("/panel/", page)
	return nil
}

// kindOf returns the content type of a file. It does not depend on the tables of the operating system.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	}
	return "text/html; charset=utf-8"
}

// ServeHTTP implements http.Handler.
func (p *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at, caching := r.URL.Path, "no-cache"
	if version, name, ok := strings.Cut(strings.TrimPrefix(at, "/panel/"), "/"); ok &&
		strings.HasPrefix(at, "/panel/") {
		at = "/panel/" + name
		if version == p.version {
			caching = "max-age=31536000, immutable"
		}
	}
	f, ok := p.files[at]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "use GET", http.StatusMethodNotAllowed)
		return
	}
	text, tag := f.plain, `"`+f.tag+`"`
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		text, tag = f.packed, `"`+f.tag+`-gzip"`
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", tag)
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", caching)
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Header.Get("If-None-Match") == tag {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(text) // the client went away
}
