package track

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestDocumentHasEveryRoute compares the document with the table of routes.
func TestDocumentHasEveryRoute(t *testing.T) {
	for _, profiles := range []Profiles{nil, nowhere{}} {
		js, err := Document(Config{Profiles: profiles}, "/ingest")
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Paths map[string]map[string]json.RawMessage
		}
		if err := json.Unmarshal(js, &doc); err != nil {
			t.Fatal(err)
		}
		left := len(doc.Paths)
		for _, r := range Routes() {
			_, found := doc.Paths["/ingest"+r.Path][strings.ToLower(r.Method)]
			if exists := profiles != nil || r.Path != "/identify"; found != exists {
				t.Errorf("%s %s: in the document %v, want %v", r.Method, r.Path, found, exists)
			}
			if found {
				left--
			}
		}
		if left != 0 {
			t.Errorf("the document has %d more paths than the table of routes", left)
		}
	}
}

// TestProblems checks that errors have the form of RFC 9457 if Accept asks for it, and only then.
func TestProblems(t *testing.T) {
	w := &world{}
	for accept, want := range map[string]string{"": "application/json; charset=utf-8",
		"*/*": "application/json; charset=utf-8", "application/problem+json": "application/problem+json"} {
		r := httptest.NewRequest(http.MethodPost, "/vitals", strings.NewReader(`{}`))
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		rec := httptest.NewRecorder()
		w.handler(t).ServeHTTP(rec, r)
		status := map[bool]string{true: `"status":400`, false: `"status":"error"`}[accept == "application/problem+json"]
		if rec.Code != http.StatusBadRequest || rec.Header().Get("Content-Type") != want ||
			!strings.Contains(rec.Body.String(), status) || !strings.Contains(rec.Body.String(), `"code":"`) {
			t.Errorf("Accept %q: status %d, %v: %s", accept, rec.Code, rec.Header(), rec.Body)
		}
	}
}
