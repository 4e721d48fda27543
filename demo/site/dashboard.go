package site

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"net/url"
	"path"
	"time"
)

//go:embed dashboard
var dashboardFiles embed.FS

// dashboardPolicy allows requests to this server only. Trusted types prevent the page from parsing texts as HTML.
const dashboardPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// AddDashboard adds the page to mux, at /. It asks the API on the same address.
func AddDashboard(mux *http.ServeMux) error {
	for pattern, name := range map[string]string{"/{$}": "index.html", "/dashboard.css": "dashboard.css", "/dashboard.js": "dashboard.js"} {
		text, err := dashboardFiles.ReadFile(path.Join("dashboard", name))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		tag := `"` + hex.EncodeToString(sum[:8]) + `"`
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("ETag", tag)
			h.Set("Cache-Control", "no-cache")
			h.Set("Content-Security-Policy", dashboardPolicy)
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("X-Content-Type-Options", "nosniff")
			http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
		})
	}
	return nil
}

// dashboardOf returns the URL of the dashboard for a key and a website. Browsers do not send the part after #.
func dashboardOf(address, key, website string) string {
	if key == "" {
		return address + "/"
	}
	return address + "/#" + url.Values{"key": {key}, "website": {website}}.Encode()
}
