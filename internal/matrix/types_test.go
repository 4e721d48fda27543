package matrix

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
)

// TestTypeLists checks that on every route only the query types outside a key's list fail. Package auth tests the lists
// of tokens.
func TestTypeLists(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		w := newWorld(t, e)
		_, secret, err := w.engine.keys.CreateKey(t.Context(),
			auth.Key{ID: "key_types", Owner: acme, All: true, Scopes: []auth.Scope{auth.ReadData},
				Types: []string{"pages", "countries"}})
		if err != nil {
			t.Fatal(err)
		}
		w.secrets["types"] = secret
		for name, got := range w.answeredTypes(t, state{sent: "types"}) {
			want := []string{"pages", "countries"}
			if name == "batch" { // a batch of two queries
				want = want[:1]
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got): %s", name, diff)
			}
		}
	})
}

// answeredTypes queries three types on every route, and returns the types that succeeded.
func (w *world) answeredTypes(t *testing.T, st state) map[string][]string {
	t.Helper()
	const days = `"startDate":"2026-02-01","endDate":"2026-02-02"`
	const three = `{"parameters":["pages","summary_metrics","countries"],` + days + `}`
	const address = "?website_id=" + listed
	found := map[string][]string{}
	for _, q := range []struct{ name, method, target, body string }{
		{"query", http.MethodPost, "/v1/query" + address, three},
		{"address", http.MethodGet, "/v1/query" + address +
			"&parameters=pages,summary_metrics,countries&startDate=2026-02-01&endDate=2026-02-02", ""},
		{"compile", http.MethodPost, "/v1/query/compile" + address, three},
		{"batch", http.MethodPost, "/v1/query" + address, `[{"parameters":["pages"],` + days +
			`},{"parameters":["summary_metrics"],` + days + `}]`},
		{"overview", http.MethodGet, "/v1/websites/" + listed + "/analytics?startDate=2026-02-01&endDate=2026-02-02",
			""},
	} {
		r := httptest.NewRequest(q.method, q.target, strings.NewReader(q.body))
		st.show(w, r.Header)
		rec := w.send(hostAPI, r)
		found[q.name] = succeeded(t, q.name, rec)
	}
	return found
}

// succeeded returns the types of an answer that did not fail. The others must have an error.
func succeeded(t *testing.T, name string, rec *httptest.ResponseRecorder) (types []string) {
	t.Helper()
	type part struct {
		Parameter, Error, Code, Section string
		Success                         bool
	}
	var body struct {
		Data    []part
		Results []struct{ Data []part }
		Errors  []part
		Code    string
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
		t.Fatalf("%s: %v: %s", name, err, rec.Body)
	}
	parts := body.Data
	for _, r := range body.Results {
		parts = append(parts, r.Data...)
	}
	if name == "overview" {
		parts = body.Errors
		for _, section := range []string{"pages", "countries"} {
			if rec.Code == http.StatusOK &&
				!slices.ContainsFunc(body.Errors, func(p part) bool { return p.Section == section }) {
				types = append(types, section)
			}
		}
	}
	for _, p := range parts {
		switch {
		case p.Success:
			types = append(types, p.Parameter)
		case p.Code != "FORBIDDEN" || !strings.Contains(p.Error, "this access does not include"):
			t.Errorf("%s: %s%s fails with %s %q", name, p.Parameter, p.Section, p.Code, p.Error)
		}
	}
	return types
}
